//! By which names a server's command line makes it known: packages, modules, images and the program itself.

/// Programs that start what their first operand names.
const LAUNCHERS: &[&str] =
    &["npx", "uvx", "bunx", "pnpx", "pipx", "uv", "bun", "pnpm", "yarn", "npm", "deno", "node", "python", "python3", "docker", "podman"];
/// Words that stand between a launcher and what it starts.
const SUBCOMMANDS: &[&str] = &["x", "dlx", "exec", "run", "tool", "container"];
/// Options of launchers that name what is started.
const NAMING: &[&str] = &["-p", "--package", "--from", "-m"];
/// Options of launchers whose value is the next word.
const VALUED: &[&str] = &[
    "-c",
    "--call",
    "--with",
    "--python",
    "--index",
    "--index-url",
    "--directory",
    "--project",
    "--cache",
    "--registry",
    "-w",
    "--workspace",
    "--prefix",
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--network",
    "--net",
    "-u",
    "--user",
    "--workdir",
    "--entrypoint",
    "--platform",
    "--pull",
    "-l",
    "--label",
    "--add-host",
    "-r",
    "--require",
    "--import",
    "--loader",
    "-W",
    "-X",
    "--memory",
    "--cpus",
    "--pids-limit",
];

/// The names by which a server started with `command` may be known, most telling first. Its own arguments (a directory that is
/// called `git`) are none of them.
pub fn command_names(command: &str, arguments: &[String]) -> Vec<String> {
    let program = basename(command);
    if !LAUNCHERS.contains(&program) {
        return vec![program.to_owned()];
    }
    let mut names = Vec::new();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if NAMING.contains(&word) {
            words.next().into_iter().for_each(|named| add(&mut names, named));
            if word == "-m" {
                break;
            }
        } else if let Some((_, named)) = word.split_once('=').filter(|(option, _)| NAMING.contains(option)) {
            add(&mut names, named);
        } else if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && !SUBCOMMANDS.contains(&word) {
            add(&mut names, word);
            break;
        }
    }
    names
}

/// Adds the operand without its version, and what a path in it is called.
fn add(names: &mut Vec<String>, operand: &str) {
    let package = without_version(operand);
    names.push(package.to_owned());
    if !package.starts_with('@') {
        names.push(basename(package).to_owned());
    }
}

/// `@scope/name@1.2` and `name==1.2`, `name:latest` (images), `name[extra]` without what follows the name.
fn without_version(operand: &str) -> &str {
    let from = usize::from(operand.starts_with('@'));
    let slash = operand.rfind('/').map_or(0, |at| at + 1);
    let end = operand
        .char_indices()
        .find(|(at, character)| *at >= from.max(slash) && matches!(character, '@' | '=' | '[' | ':' | '<' | '>' | '~'));
    end.and_then(|(at, _)| operand.get(..at)).filter(|package| !package.is_empty()).unwrap_or(operand)
}

fn basename(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let suffixes = [".exe", ".cmd", ".bat", ".js", ".mjs", ".py"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::command_names;

    #[test]
    fn the_package_is_found_and_its_arguments_are_not() {
        for (line, first) in [
            ("npx -y @modelcontextprotocol/server-filesystem@2025.8.21 /srv/git", "@modelcontextprotocol/server-filesystem"),
            ("uvx --from mcp-server-git==1.2 mcp-server-git --repository git", "mcp-server-git"),
            ("uv tool run mcp-server-time", "mcp-server-time"),
            ("python3 -m mcp_server_git --repository time", "mcp_server_git"),
            ("/usr/bin/python -m mcp_server_git", "mcp_server_git"),
            ("docker run -i --rm -e TOKEN --mount type=bind,src=/git,dst=/g mcp/filesystem:latest /g", "mcp/filesystem"),
            ("/opt/bin/mcp-server-git /memory", "mcp-server-git"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let names = command_names(&words[0], &words[1..]);
            assert_eq!(names.first().map(String::as_str), Some(first), "{line}");
            assert!(!names.iter().any(|name| ["git", "time", "memory"].contains(&name.as_str())), "{line}: {names:?}");
        }
    }
}
