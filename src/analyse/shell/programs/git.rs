//! Settings of `git` that run something or name a file.
use super::act::{Act, Acts, Use};
use super::arguments::ReadArguments;
use super::command_words::COMMAND_WORDS;
use crate::analyse::shell::values::Field;
use crate::policy::Direction;

impl Acts {
    /// `key=value` of `git -c`.
    pub fn config(&mut self, field: &Field) {
        if let Some((key, value)) = field.split_once('=') {
            self.git_setting(&key.text, &value);
        }
    }

    /// Whether the setting runs something or names a file, which is then followed.
    fn git_setting(&mut self, key: &str, value: &Field) -> bool {
        let key = key.to_ascii_lowercase();
        let last = key.rsplit('.').next().unwrap_or(&key);
        if key.starts_with("alias.") {
            if value.text.starts_with('!') {
                self.shell_text(&value.skip(1));
                return true;
            }
            let mut line = Field { span: value.span, ..Field::known("git ") };
            line.push_field(value);
            self.shell_text(&line);
            return false;
        }
        if COMMAND_WORDS.git.commands.has(last) || key.starts_with("pager.") {
            if !matches!(value.text.as_str(), "true" | "false" | "") {
                self.shell_text(&value.skip(usize::from(value.text.starts_with('!'))));
            }
            return true;
        }
        if COMMAND_WORDS.git.paths.has(last) {
            self.path(value, Use::new(Direction::Read, "setting of `git`"));
            return true;
        }
        false
    }

    /// `git config key value` keeps the setting, so one that runs something changes a control file.
    pub fn git_config(&mut self, read: &ReadArguments) {
        let asks = read.has(["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l"]);
        let operands = match read.operands.split_first() {
            Some((first, rest)) if matches!(first.text.as_str(), "set" | "unset" | "edit" | "rename-section") => rest,
            Some((first, _)) if matches!(first.text.as_str(), "get" | "list") => return,
            _ => &read.operands,
        };
        let (Some(key), Some(value)) = (operands.first(), operands.get(1)) else { return };
        if asks {
            return;
        }
        let runs = self.git_setting(&key.text, value);
        let write = Use::new(Direction::Write, "settings written by `git config`");
        if read.has(["--global"]) {
            self.push(Act::BelowHome(Field::default(), "/.gitconfig".to_owned(), write));
        } else if read.has(["--system"]) {
            self.path(&Field::known("/etc/gitconfig"), write);
        } else if runs && !read.has(["-f", "--file", "--blob"]) {
            self.path(&Field { span: key.span, ..Field::known(".git/config") }, write);
        }
    }
}
