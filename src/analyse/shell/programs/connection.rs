//! Addresses of programs that connect two ends (`socat`): a socket, a file, or a command that is run.
use std::rc::Rc;

use super::act::{Acts, Use};
use crate::analyse::shell::values::Field;
use crate::policy::Direction;

/// Kinds of address that open the file, pipe or socket that they name, by how they begin.
const PLACES: [&str; 8] = ["unix", "open", "gopen", "creat", "file", "pipe", "fifo", "pty"];
/// Kinds of address that run the command line that they hold.
const COMMANDS: [&str; 3] = ["exec", "system", "shell"];

impl Acts {
    /// What an address comes to: `KIND:VALUE,option,…`, or two of them with `!!` between, for each direction one.
    pub fn connection(&mut self, field: &Field, because: &Rc<str>) {
        let Some(at) = field.text.find("!!") else { return self.one_way(field, because) };
        self.one_way(&field.before(at), because);
        self.connection(&field.skip(at + 2), because);
    }

    fn one_way(&mut self, field: &Field, because: &Rc<str>) {
        // An address without a kind is a path if it has a slash, else a word like `STDIO`.
        let Some((kind, value)) = field.split_once(':').filter(|(kind, _)| !kind.text.contains('/')) else {
            return if field.text.contains('/') {
                self.place_of_address(field, because)
            };
        };
        let kind = kind.text.to_ascii_lowercase();
        if COMMANDS.contains(&kind.as_str()) {
            return self.shell_text(&value);
        }
        if PLACES.iter().any(|place| kind.starts_with(place)) {
            self.place_of_address(&value, because);
        }
    }

    /// A path up to the first option; `-` and numbers are descriptors.
    fn place_of_address(&mut self, value: &Field, because: &Rc<str>) {
        let path = value.text.find(',').map_or_else(|| value.clone(), |end| value.before(end));
        let is_descriptor = path.text == "-" || path.text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_descriptor {
            self.path(&path, Use::new(Direction::Unknown, Rc::clone(because)));
        }
    }
}
