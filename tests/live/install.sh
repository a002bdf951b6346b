#!/usr/bin/env bash
# Installs the real servers and clients of the live tests by pinned version into the cache folder that git ignores.
# Usage: tests/live/install.sh [CACHE]. An up-to-date cache is left as it is.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:-$here/../../.cache/live}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# Runs a step up to three times: a registry that hiccups once is not a failing build.
try() {
    for turn in 1 2 3; do
        "$@" && return
        echo "install: attempt $turn of \`$*\` failed" >&2
    done
    return 1
}

# No lock file: it would carry the address of the registry. The direct dependencies are pinned exactly in package.json.
node_parts() {
    mkdir -p "$cache/node"
    cmp -s "$here/package.json" "$cache/node/installed.json" && return
    cp "$here/package.json" "$cache/node/package.json"
    (cd "$cache/node" && try npm install --no-package-lock --no-audit --no-fund --loglevel=error)
    cp "$here/package.json" "$cache/node/installed.json"
}

# Makes the virtual environment $1 from the requirements file $2.
python_parts() {
    cmp -s "$here/$2" "$cache/$1/installed.txt" && return
    python3 -m venv --clear "$cache/$1"
    try "$cache/$1/bin/pip" install --quiet --disable-pip-version-check -r "$here/$2"
    cp "$here/$2" "$cache/$1/installed.txt"
}

# Shows which files a command line opens. Part of the system, so only a machine without it has to let us install it.
tracer() {
    command -v strace > /dev/null && return
    try sh -c 'apt-get update -qq && apt-get install -y -qq strace'
}

tracer
node_parts
python_parts python-servers requirements-servers.txt
python_parts python-client requirements-client.txt
