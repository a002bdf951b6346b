//! The indentation of a replacement whose block was quoted with another one than it has in the file.
use std::collections::BTreeMap;

/// A step of indentation as it was quoted, and as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unit {
    quoted: String,
    found: String,
}

/// What is known of how a block was quoted.
struct Shift<'a> {
    /// The indentation in the file for each one of the quote.
    known: BTreeMap<&'a str, &'a str>,
    unit: Option<Unit>,
}

/// Moves each line of `new` by as much as its own line of the quote differs from the file, and a line that was not quoted by as much
/// as the nearest known depth.
pub fn moved(found: &str, wanted: &str, new: &str) -> String {
    let (found, wanted, lines): (Vec<&str>, Vec<&str>, Vec<&str>) =
        (found.split('\n').collect(), wanted.split('\n').collect(), new.split('\n').collect());
    let pairs = pairs(&found, &wanted);
    if pairs.iter().all(|(theirs, ours)| theirs == ours) {
        return new.to_owned();
    }
    let shift = Shift::new(&pairs, &lines);
    // Where no line was added or taken away, each is still in its place.
    let in_place = lines.len() == wanted.len() && found.len() == wanted.len();
    let own = |index: usize, ours: &str| {
        let quoted = wanted.get(index).filter(|line| in_place && !line.trim().is_empty() && indentation(line) == ours)?;
        found.get(index).filter(|line| line.trim() == quoted.trim() || shift.known.contains_key(ours)).map(|line| indentation(line))
    };
    let moved = lines.iter().enumerate().map(|(index, line)| {
        let ours = indentation(line);
        let rest = line.get(ours.len()..).unwrap_or_default();
        match own(index, ours) {
            _ if rest.trim().is_empty() => (*line).to_owned(),
            Some(theirs) => format!("{theirs}{rest}"),
            None => format!("{}{rest}", shift.of(ours)),
        }
    });
    moved.collect::<Vec<_>>().join("\n")
}

/// The indentations, in the file and in the quote, of the lines that are the same but for them; of the first lines if none is.
fn pairs<'a>(found: &[&'a str], wanted: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let both = found.iter().zip(wanted).filter(|(theirs, ours)| theirs.trim() == ours.trim() && !ours.trim().is_empty());
    let pairs: Vec<_> = both.map(|(theirs, ours)| (indentation(theirs), indentation(ours))).collect();
    let first = |lines: &[&'a str]| lines.iter().find(|line| !line.trim().is_empty()).map_or("", |line| indentation(line));
    if pairs.is_empty() { vec![(first(found), first(wanted))] } else { pairs }
}

fn indentation(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

impl<'a> Shift<'a> {
    fn new(pairs: &[(&'a str, &'a str)], new: &[&str]) -> Self {
        let mut known = BTreeMap::new();
        for (theirs, ours) in pairs {
            known.entry(*ours).or_insert(*theirs);
        }
        let unit = step(&known).or_else(|| guessed(&known, new));
        Self { known, unit }
    }

    /// The indentation in the file for one of the quote.
    fn of(&self, ours: &str) -> String {
        if let Some(theirs) = self.known.get(ours) {
            return (*theirs).to_owned();
        }
        let deeper = self.known.iter().filter_map(|(known, theirs)| Some((known.len(), theirs, ours.strip_prefix(known)?)));
        if let Some((_, theirs, rest)) = deeper.max_by_key(|(length, ..)| *length) {
            return format!("{theirs}{}", self.scaled(rest));
        }
        let shallower = self.known.iter().filter_map(|(known, theirs)| Some((known.len(), theirs, known.strip_prefix(ours)?)));
        let nearest = shallower.min_by_key(|(length, ..)| *length);
        nearest.and_then(|(_, theirs, more)| theirs.strip_suffix(self.scaled(more).as_str())).unwrap_or(ours).to_owned()
    }

    /// Steps of the quote as steps of the file; what is no whole step stays.
    fn scaled(&self, mut rest: &str) -> String {
        let mut scaled = String::new();
        while let Some((unit, after)) = self.unit.as_ref().and_then(|unit| Some((unit, rest.strip_prefix(unit.quoted.as_str())?))) {
            scaled.push_str(&unit.found);
            rest = after;
        }
        scaled + rest
    }
}

/// The step that two known depths show, one above the other.
fn step(known: &BTreeMap<&str, &str>) -> Option<Unit> {
    let mut depths = known.iter().zip(known.iter().skip(1));
    depths.find_map(|((quoted, found), (deeper_quoted, deeper_found))| {
        let quoted = deeper_quoted.strip_prefix(quoted).filter(|step| !step.is_empty())?;
        let found = deeper_found.strip_prefix(found).filter(|step| !step.is_empty())?;
        Some(Unit { quoted: quoted.to_owned(), found: found.to_owned() })
    })
}

/// One depth shows no step; but a file that is indented by tabs takes one tab for each step of the new text, and the other way round.
fn guessed(known: &BTreeMap<&str, &str>, new: &[&str]) -> Option<Unit> {
    let (ours, theirs) = known.iter().next()?;
    let tabs = theirs.contains('\t');
    let mut widths: Vec<&str> = new.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).collect();
    widths.push(ours);
    widths.sort_by_key(|indentation| indentation.len());
    let steps = widths.iter().zip(widths.iter().skip(1)).filter_map(|(less, more)| more.strip_prefix(less));
    let quoted = steps.filter(|step| !step.is_empty()).min_by_key(|step| step.len())?;
    match (tabs, quoted.contains('\t')) {
        (true, false) => Some(Unit { quoted: quoted.to_owned(), found: "\t".to_owned() }),
        (false, true) if !theirs.is_empty() => Some(Unit { quoted: "\t".to_owned(), found: (*theirs).to_owned() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn each_line_moves_by_its_own_difference() {
        for (found, wanted, new, after) in [
            // Only the inner line was quoted with another depth.
            ("def f():\n    x = 9", "def f():\n  x = 9", "def f():\n  x = 0", "def f():\n    x = 0"),
            ("def f():\n    x = 9", "def f():\n  x = 9", "def f():\n  if y:\n    x = 0", "def f():\n    if y:\n        x = 0"),
            // Without any indentation.
            ("    a\n    b", "a\nb", "a\nif c:\n    b", "    a\n    if c:\n        b"),
            // A file of tabs keeps its tabs, at depths that were not quoted as well.
            ("\tif a:\n\t\tb", "    if a:\n        b", "    if a:\n        if c:\n            b", "\tif a:\n\t\tif c:\n\t\t\tb"),
            ("\ta", "  a", "  if c:\n    a", "\tif c:\n\t\ta"),
            ("\ta", "a", "if c:\n    a", "\tif c:\n\t\ta"),
            // And one of blanks its blanks.
            ("  if a:\n    b", "\tif a:\n\t\tb", "\tif c:\n\t\t\tb", "  if c:\n      b"),
            // A line that leaves the block goes back by as much.
            ("        a\n        b", "    a\n    b", "    a\nend", "        a\n    end"),
            // Nothing differs, blank lines stay blank, what cannot be moved stays.
            ("  a", "  a", "b\n  c", "b\n  c"),
            ("    a\n\n    b", "a\n\nb", "a\n\nc", "    a\n\n    c"),
            ("a", "  a", "  b", "b"),
            ("a", "  a", "b", "b"),
        ] {
            assert_eq!(moved(found, wanted, new), after, "{found:?} quoted as {wanted:?}, then {new:?}");
        }
    }
}
