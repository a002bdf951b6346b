"""Generated command lines, run by bash under strace in a scratch tree: none that would pass may open or change a file outside the root.

By hand with other lines: `python3 tests/live/test_shell_lines.py --lines 20000 --seed 7` prints each line that was missed.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from parts import GATE, need

# The root lies this deep, so that no line can climb out of the scratch tree.
DEPTH = "1/2/3/4/5/6/7/8"
PIECES = [
    "..", "..", "..", "o", "o", "k", "k", "sub", "a", ".", "$D", "${D}", '"$D"', "${N:-..}", "{..,.}", "{o,k}", "'..'", "\\.\\.",
    "$'\\x2e.'", "?", "*", "[ok]", "$(echo ..)", "`echo o`", "$(printf %s k)", "${D%x}", '"${P%/*}"', "${P##*/}", '""', "$PWD", "~",
    "${D:0:2}", "${N//n/.}", "$(dirname ../o/k)", "$(basename o/k)", "$OLDPWD", "${D:+..}", "\"$(pwd)\"", "$1", "${U}", "$@",
]
SAFE = ["a", "new", "sub/a", "sub/new"]
READERS = [
    "cat", "head -n 3", "tail -n 2", "grep -h c", "sort", "cat <", "sed p", "sed -n 1p", "awk 1", "cat --", "nl", "wc -l", "cut -c1", "od -c",
    "tac", "rev <", "fold", "fmt", "pr", "uniq", "md5sum", "sha256sum", "base64", "diff a", "cmp a", "comm a", "join a", "paste a",
    "cat a -", "ls", "ls -la", "dd of=/dev/null if=%", "tee -a sub/new <", "find % -type f", "find % -name k -exec cat {} +",
    "grep -r c", "tar cf - ", "cp -t sub", "cp % sub/new", "ln % sub/new", "xargs -a", "xargs cat <<<", "echo % | xargs cat",
    "printf '%s\\n' % | xargs -I{} cat {}", "mapfile -t M <", "read X <", "while read X; do echo \"$X\"; done <", "source", ".",
    "perl -ne print", "python3 -c 'import sys; print(open(sys.argv[1]).read())'", "strings", "shuf", "expand", "split -l 9 % sub/x",
    "timeout 5 cat", "nice cat", "nice -n 5 cat", "nohup cat", "setsid cat", "env cat", "env X=1 cat", "env -i cat", "env -C sub cat",
    "time cat", "command cat", "builtin source", "exec cat", "stdbuf -o0 cat", "sh -c 'cat \"$1\"' x", "bash -c 'cat $0'", "ionice cat",
    "xargs -n1 cat <<<", "find sub -newer", "[ -f % ] && cat", "test -e % && cat", "case % in *) cat % ;; esac #", "install -m 600 % sub/new #",
    "cat <<X\n$(cat %)\nX\n#", "echo \"$(<%)\" #", "diff <(cat %) a #", "cat < % | cat #", "exec 3< %; cat <&3 #", "f() { cat \"$@\"; }; f",
    "awk '{print}' FS=:", "sed -e p --", "sed -f", "awk -f", "grep -f % a #", "sort -m", "tar cf sub/t.tar", "patch -p0 --dry-run a", "zcat -f",
    "cat 0<", "{ cat; } <", "( cat ) <", "if true; then cat; fi <", "for i in 1; do cat; done <", "cat <<<\"$(cat %)\" #", "xxd", "hexdump -C", "file",
]
WRITERS = [
    "touch", "echo x >", "echo x >>", "echo x >|", "echo x &>", "echo x 2>", "echo x 1<>", "cp a", "tee", "tee -a", "mkdir", "mkdir -p",
    "rm -f", "rmdir", "mv a", "ln -s a", "truncate -s 0", "dd if=a status=none of=%", "install a", "sed -i s/c/d/", "sort a -o", "uniq a",
    "sed -n 'w %' a #", "awk '{print > \"%\"}' a #", "find sub -name a -fprint", "find % -maxdepth 1 -name k -delete #", "shuf a -o",
    "chmod 600", "split -l 9 a", "cat a >", ": >", "printf x >", "exec 4> %; echo x >&4 #", "true >", "bash -c 'echo x > \"$0\"'", "gzip -k",
    "perl -i -pe s/c/d/", "python3 -c 'import sys; open(sys.argv[1], \"w\")'", "cp -t % a #", "mv -t % a #", "tar xf sub/none -C", "unlink", "link a",
    "rename c d", "csplit -s -f % a 1 #", "env tee", "xargs touch <<<", "find sub -name a -exec cp {} % \\; #", "echo x | tee % #", "mktemp -p",
]
BEFORE = [
    "", "", "", "cd sub && ", "cd sub; ", "cd nosuch; ", "cd nosuch || ", "cd .. && ", "cd ..; ", "D=..; ", "D=../o; ", "N=nn; ", "P=../o/x; ",
    "for D in .. sub; do ", "if cd sub; then ", "f() { cd ..; }; f; ", "(cd sub); ", "{ cd ..; }; ", "set -- ../o; D=$1; ", "set -- .. o; ",
    "export D=..; ", "read D <<< ..; ", "D=(.. x); ", "pushd sub >/dev/null; ", "pushd .. >/dev/null; popd >/dev/null; ", "cd sub/..; ",
    "D=$(pwd)/..; ", "D=.; D+=.; ", "declare D=..; ", "local D=..; ", "D=x; unset D; ", "true && D=..; ", "false || D=..; ", "cd sub; cd ..; ",
    "CDPATH=..; ", "while D=..; do ", "until ! D=..; do ", "case x in x) D=..;; esac; ", "IFS=x; D=..x; ", "shopt -s dotglob; ",
    "alias c=cat; ", "trap 'cat ../k' EXIT; ", "let D=1; ", "D=${D:-..}; ", ": ${D:=..}; ", "eval D=..; ", "printf -v D %s ..; ", "cd \"$PWD/..\"; ",
]
CLOSE = {"for": "; done", "if ": "; fi", "whi": "; break; done", "unt": "; break; done"}
WRAPS = [
    ("", ""), ("", ""), ("", ""), ('echo "$(', ')"'), ("eval '", "'"), ("( ", " )"), ("cat <(", ")"), ('sh -c "', '"'), ("", " | cat"), ("! ", ""),
    ("", " && true"), ("", " || true"), ("", " &  wait"), ("{ ", "; }"), ("bash <<'E'\n", "\nE"), ("bash <<E\n", "\nE"), ("", " 2>/dev/null"),
    ("echo '", "' | sh"), ("cat <<E\n$(", ")\nE"), ("X=$(", ")"), ("coproc ", "; wait"), ("time ", ""), ("[[ -n $(", ") ]]"), ("f() { ", "; }; f"),
]


def word(chance):
    """A word that may lead out of the root, mostly in pieces that a slash joins."""
    pieces = [chance.choice(PIECES) for _ in range(chance.randint(1, 4))]
    return chance.choice(["/", "/", "/", ""]).join(pieces)


def line(chance):
    """One command line."""
    before, (opens, closes) = chance.choice(BEFORE), chance.choice(WRAPS)
    command, target = chance.choice(READERS if chance.random() < 0.6 else WRITERS), word(chance)
    command = command.replace("%", target) if "%" in command and "'%s" not in command else f"{command} {target}"
    command = command.replace("printf '%s\\n' %", f"printf '%s\\n' {target}").rstrip("#")
    if chance.random() < 0.15:
        command = f"{command} {chance.choice(SAFE)}"
    return f"{before}{opens}{command}{closes}{CLOSE.get(before[:3], '')}"


class Scratch:
    """A tree with the root deep inside it, and a way to run a line there and see what it touched outside of the root."""

    def __init__(self, base):
        self.base, self.place = base, base / "tree"
        self.root, self.home = self.place / DEPTH / "root", self.place / "home"
        self.as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
        base.chmod(0o755)
        (base / "policy.toml").write_text("version = 1\n")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}

    def furnish(self):
        shutil.rmtree(self.place, ignore_errors=True)
        above = self.root.parent
        for folder in (self.root / "sub", above / "o", self.home):
            folder.mkdir(parents=True)
        for file in (self.root / "a", self.root / "sub/a", self.root / "k", above / "k", above / "o/k", above / "o/o", above.parent / "k", self.home / "k"):
            file.write_text("c\n")
        if self.as_nobody:
            for folder, folders, files in os.walk(self.place):
                for name in [folder, *(os.path.join(folder, name) for name in folders + files)]:
                    os.chown(name, 65534, 65534, follow_symlinks=False)

    def outside(self):
        """All that lies outside of the root, with what stands in it."""
        found = {}
        for folder, folders, files in os.walk(self.place):
            folders[:] = [name for name in folders if Path(folder, name) != self.root]
            found[folder] = (os.stat(folder).st_mode,)
            for name in files:
                path = os.path.join(folder, name)
                about = os.lstat(path)
                found[path] = (about.st_mode, about.st_nlink, about.st_mtime_ns, about.st_size)
        return found

    def touched(self, text):
        """The paths outside of the root that running `text` opened or changed."""
        before, trace = self.outside(), self.base / "trace"
        trace.touch()
        trace.chmod(0o666)
        command = ["timeout", "10", "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-e", "trace=open,openat,creat", "-o", str(trace), *self.as_nobody, "bash", "-c", text]
        subprocess.run(command, cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        opened = re.findall(r"= \d+<([^>]*)>", trace.read_text(errors="replace"))
        after = self.outside()
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        own = [path for path in opened if path.startswith(f"{self.place}") and not f"{path}/".startswith(f"{self.root}/")]
        self.furnish()
        return sorted(changed | set(own))

    def verdicts(self, lines):
        """What the gate says of each line."""
        calls = "".join(json.dumps({"tool": "run_command", "arguments": {"command": text}}) + "\n" for text in lines)
        command = [need(GATE), "check", "--batch", "--json", "--root", str(self.root), "--policy", str(self.base / "policy.toml")]
        run = subprocess.run(command, input=calls, capture_output=True, text=True, env=self.environment)
        verdicts = [json.loads(reply)["verdict"] for reply in run.stdout.splitlines()]
        assert len(verdicts) == len(lines), run.stderr
        return verdicts


def missed(count, seed, scratch):
    """Of the lines that would pass, those that touch something outside, with what they touch; and how many would pass."""
    chance = random.Random(seed)
    lines = [line(chance) for _ in range(count)]
    scratch.furnish()
    passing = [text for text, verdict in zip(lines, scratch.verdicts(lines)) if verdict == "allow"]
    found = [(text, touched) for text in passing if (touched := scratch.touched(text))]
    return found, len(passing)


class ShellLines(unittest.TestCase):
    def test_what_leaves_the_root_is_asked_about(self):
        self.assertIsNotNone(shutil.which("strace"), "`strace` is missing: install it with the system's packages")
        with tempfile.TemporaryDirectory(prefix="callgate-lines-") as base:
            scratch = Scratch(Path(base).resolve())
            scratch.furnish()
            self.assertEqual(scratch.touched("cat ../k; echo x > ../new"), [str(scratch.root.parent / name) for name in ("k", "new")])
            found, passing = missed(1000, 1, scratch)
        self.assertGreater(passing, 200, "lines that stay inside have to pass for this to say anything")
        self.assertEqual(found, [])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="callgate-lines-") as base:
        found, passing = missed(chosen.lines, chosen.seed, Scratch(Path(base).resolve()))
    for text, touched in found:
        print(json.dumps(text), *touched, sep="\n    ")
    print(f"{chosen.lines} lines, {passing} would pass and were run, {len(found)} of them left the root")


if __name__ == "__main__":
    main()
