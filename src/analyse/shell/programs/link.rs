//! `ln`: a relative target of a symbolic link is read from where the link stands.
use super::act::Acts;
use super::arguments::ReadArguments;
use super::table::WordRole;
use crate::analyse::shell::values::MARK;

impl Acts {
    /// `ln -s target link` and its other forms.
    pub fn link(&mut self, read: &ReadArguments) {
        let symbolic = read.has(["-s", "--symbolic"]) && !read.has(["-r", "--relative"]);
        let (Some(last), true) = (read.operands.last().filter(|_| read.operands.len() > 1), symbolic) else {
            return self.apply_all(read, "ln");
        };
        let directory = last.text.rsplit_once('/').map(|(directory, _)| directory.len() + 1);
        for (field, role) in &read.words {
            let relative = *role == WordRole::Read && !field.text.starts_with(['/', '~', MARK]);
            match directory {
                Some(length) if relative => {
                    let mut target = last.before(length);
                    target.push_field(field);
                    target.span = field.span;
                    self.apply(&target, *role, "ln");
                }
                _ => self.apply(field, *role, "ln"),
            }
        }
    }
}
