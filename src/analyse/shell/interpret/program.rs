//! Running a program: by what the table says of it, or by rules of its own.
use super::interpreter::Interpreter;
use crate::analyse::shell::programs::{Program, Special, TABLE, output, read_arguments};
use crate::analyse::shell::values::{Field, Stream, Unknown};

impl Interpreter<'_> {
    /// Runs the program `name`.
    pub(super) fn program(&mut self, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let lower;
        let name = match name.strip_suffix(".exe").or_else(|| name.strip_suffix(".EXE")) {
            Some(stem) => {
                lower = stem.to_ascii_lowercase();
                lower.as_str()
            }
            None => name,
        };
        let Some(program) = TABLE.find(name).or_else(|| TABLE.find(unversioned(name))) else {
            self.guess_all(arguments);
            return Stream::Unknown(Unknown::Computed);
        };
        let directories = self.state.frames.directories().to_vec();
        let output = match self.special(program, name, arguments, input) {
            Some(output) => output,
            None => self.by_table(program, name, arguments, input),
        };
        if !matches!(name, "cd" | "pushd") {
            self.state.frames.go(directories);
        }
        output
    }

    /// Runs a program by what the table says of it.
    pub(super) fn by_table(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let (read, found) = read_arguments(program, arguments);
        let title = std::iter::once(name).chain(read.path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        self.act(&Stream::None, |acts| {
            if found.special == Some(Special::GitConfig) {
                acts.git_config(&read);
            }
            acts.apply_all(&read, &title);
        });
        if !read.command.is_empty() {
            return self.run(&read.command, input);
        }
        output(found, &read, input)
    }
}

/// The name without the version that some systems append: `python3.12`, `gcc-13`.
fn unversioned(name: &str) -> &str {
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    stem.strip_suffix('-').unwrap_or(stem)
}
