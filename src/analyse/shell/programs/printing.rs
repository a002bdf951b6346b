//! `echo` and `printf`: messages whose text other commands may read.
use super::act::Acts;
use super::arguments::ReadArguments;
use super::table::WordRole;
use crate::analyse::shell::grammar::{unescape_ansi, unescape_echo};
use crate::analyse::shell::values::{Field, Stream, Unknown, unknown_of_field};

impl Acts {
    pub fn echo(&mut self, arguments: &[Field]) -> Stream {
        let mut words = arguments;
        let mut escapes = false;
        let mut end = "\n";
        while let Some(first) = words.first().filter(|field| {
            field.text.len() > 1
                && field
                    .text
                    .get(1..)
                    .is_some_and(|rest| field.text.starts_with('-') && rest.bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E')))
        }) {
            escapes |= first.text.contains('e');
            end = if first.text.contains('n') { "" } else { end };
            words = words.get(1..).unwrap_or_default();
        }
        for word in words {
            self.apply(word, WordRole::Message, "echo");
        }
        match Stream::of(words, " ", end) {
            Stream::Text(text) if escapes => Stream::Text(unescape_echo(&text)),
            other => other,
        }
    }

    /// `printf`: what it writes, and the variable that takes it instead (`-v`).
    pub fn printf(&mut self, arguments: &[Field]) -> (Stream, Option<String>) {
        let mut words = arguments;
        let mut variable = None;
        if let Some((first, rest)) = arguments.split_first()
            && first.text == "-v"
        {
            variable = rest.first().map(|field| field.text.clone());
            words = rest.get(1..).unwrap_or_default();
        }
        let words = if words.first().is_some_and(|field| field.text == "--") { words.get(1..).unwrap_or_default() } else { words };
        for word in words {
            self.apply(word, WordRole::Message, "printf");
        }
        (formatted(words), variable)
    }

    /// `dirname`, `basename`, `realpath` and `readlink`: another spelling of their operand, which is known if the operand is.
    /// `here` is the directory it runs in, where that is certain.
    pub fn name_part(&mut self, name: &str, read: &ReadArguments, here: Option<&str>) -> Stream {
        self.apply_all(read, name);
        let unknown = || match read.operands.first().map(Field::worst) {
            _ if name == "basename" => Stream::Unknown(Unknown::Token),
            Some(Some(Unknown::Token)) | None => Stream::Unknown(Unknown::Inside),
            Some(Some(unknown)) => Stream::Unknown(unknown),
            Some(None) => Stream::Unknown(Unknown::Computed),
        };
        let [operand] = read.operands.as_slice() else { return unknown() };
        let Some(text) = operand.literal().filter(|text| !text.is_empty()) else { return unknown() };
        let trimmed = if text.trim_end_matches('/').is_empty() { "/" } else { text.trim_end_matches('/') };
        let part = match name {
            "dirname" => match trimmed.rsplit_once('/') {
                None => ".".to_owned(),
                Some((directory, _)) if directory.trim_end_matches('/').is_empty() => "/".to_owned(),
                Some((directory, _)) => directory.trim_end_matches('/').to_owned(),
            },
            "basename" => trimmed.rsplit('/').next().unwrap_or(trimmed).to_owned(),
            // What a link holds is not known here; where a whole path leads is the disk's to say.
            "readlink" if !read.has(["-f", "-e", "-m", "--canonicalize", "--canonicalize-existing", "--canonicalize-missing"]) => {
                return Stream::Unknown(Unknown::Inside);
            }
            _ if text.starts_with('/') => text.to_owned(),
            _ => match here {
                Some(here) => format!("{}/{text}", here.trim_end_matches('/')),
                None => return Stream::Unknown(Unknown::Inside),
            },
        };
        Stream::Text(part + "\n")
    }
}

/// What `printf` writes, for `%s`, `%b`, `%d` and escapes.
fn formatted(words: &[Field]) -> Stream {
    let Some((format, values)) = words.split_first() else { return Stream::None };
    let unknown = || Stream::Unknown(words.iter().map(unknown_of_field).max().unwrap_or(Unknown::Computed));
    let Some(format) = format.literal().or_else(|| format.unknowns.is_empty().then_some(format.text.as_str())) else { return unknown() };
    let mut values = values.iter();
    let mut out = String::new();
    for _ in 0..256 {
        let mut rest = format;
        let mut used = false;
        while let Some(at) = rest.find('%') {
            let (before, after) = rest.split_at(at);
            out.push_str(&unescape_ansi(before));
            let end = after.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(after.len().saturating_sub(1));
            let letter = after.get(end..).and_then(|rest| rest.chars().next());
            match (after.get(1..2), letter) {
                (Some("%"), _) => {
                    out.push('%');
                    rest = after.get(2..).unwrap_or_default();
                    continue;
                }
                (_, Some('s' | 'd' | 'i' | 'b' | 'q')) if end == 1 => {
                    used = true;
                    let Some(value) = values.next().map(Field::literal).unwrap_or(Some("")) else { return unknown() };
                    out.push_str(&if letter == Some('b') { unescape_echo(value) } else { value.to_owned() });
                }
                _ => return Stream::Unknown(Unknown::Computed),
            }
            rest = after.get(end + 1..).unwrap_or_default();
        }
        out.push_str(&unescape_ansi(rest));
        if !used || values.len() == 0 {
            break;
        }
    }
    Stream::Text(out)
}
