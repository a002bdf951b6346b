//! One component of a shell glob against one name: `*`, `?`, `[…]`, backslashes, and extended groups taken at their widest.

/// A compiled pattern for one path component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wildcard {
    pieces: Vec<GlobPiece>,
    /// The longest run of literal characters: what does not hold it does not match.
    needle: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobPiece {
    Literal(char),
    Any,
    Run,
    Class { negated: bool, members: Vec<Member> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Member {
    One(char),
    Range(char, char),
    Named(String),
}

impl Wildcard {
    /// Compiles one component. Never fails: an unclosed bracket is a literal, as the shell has it, and an extended group
    /// (`@(a|b)`) stands for any run of characters, which matches at least what the shell would.
    pub fn new(pattern: &str) -> Self {
        let characters: Vec<char> = pattern.chars().collect();
        let mut pieces = Vec::with_capacity(characters.len());
        let mut rest: &[char] = &characters;
        while let Some((piece, after)) = next_piece(rest) {
            if piece != GlobPiece::Run || pieces.last() != Some(&GlobPiece::Run) {
                pieces.push(piece);
            }
            rest = after;
        }
        let literal = |piece: &GlobPiece| if let GlobPiece::Literal(character) = piece { Some(*character) } else { None };
        let runs = pieces.split(|piece| literal(piece).is_none());
        let needle = runs.max_by_key(|run| run.len()).into_iter().flatten().filter_map(literal).collect();
        Self { pieces, needle }
    }

    /// Whether `name` matches as a whole. A leading dot is not special here; see [`Self::reaches_hidden`].
    pub fn matches(&self, name: &str) -> bool {
        let fits =
            |piece: Option<&GlobPiece>, end: Option<char>| !matches!(piece, Some(GlobPiece::Literal(literal)) if Some(*literal) != end);
        let may_match = fits(self.pieces.last(), name.chars().next_back()) && fits(self.pieces.first(), name.chars().next());
        if !may_match || !name.contains(&self.needle) {
            return false;
        }
        let name: Vec<char> = name.chars().collect();
        matches(&self.pieces, &name)
    }

    /// Whether the pattern spells a leading dot itself, which the shell wants before it matches a hidden name.
    pub fn reaches_hidden(&self) -> bool {
        matches!(self.pieces.first(), Some(GlobPiece::Literal('.')))
    }

    /// Whether there is nothing in the pattern but literal characters.
    pub fn is_literal(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, GlobPiece::Literal(_)))
    }

    /// The name that a literal pattern stands for, with its backslashes removed.
    pub fn literal(&self) -> Option<String> {
        let character = |piece: &GlobPiece| if let GlobPiece::Literal(character) = piece { Some(*character) } else { None };
        self.pieces.iter().map(character).collect()
    }

    /// Whether the pattern opens with something other than a run, so that it aims at names of one beginning.
    pub fn opens_fixed(&self) -> bool {
        !matches!(self.pieces.first(), None | Some(GlobPiece::Run))
    }

    /// How many characters the pattern spells, classes with a single member included.
    pub fn spelled(&self) -> usize {
        let fixed = |piece: &&GlobPiece| match piece {
            GlobPiece::Literal(_) => true,
            GlobPiece::Class { negated, members } => !negated && members.len() == 1,
            GlobPiece::Any | GlobPiece::Run => false,
        };
        self.pieces.iter().filter(fixed).count()
    }
}

/// Whether `text` holds a character that makes it a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// The most alternatives that braces are opened into; past it the rest stays as it stands.
const MOST_ALTERNATIVES: usize = 64;

/// The pattern with its braces opened: `{a,b}c` is `ac` and `bc`. Quoting is gone by now, so every brace counts.
pub fn alternatives(pattern: &str) -> Vec<String> {
    let (mut done, mut open) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(next) = open.pop() {
        match split_brace(&next) {
            Some((before, inner, after)) if done.len() + open.len() < MOST_ALTERNATIVES => {
                open.extend(inner.iter().take(MOST_ALTERNATIVES).map(|part| format!("{before}{part}{after}")));
            }
            _ => done.push(next),
        }
    }
    done
}

fn split_brace(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let start = text.find('{')?;
    let (mut depth, mut parts, mut from) = (0usize, Vec::new(), start + 1);
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match character {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(text.get(from..at)?);
                from = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            parts.push(text.get(from..at)?);
            return (parts.len() > 1).then_some((text.get(..start)?, parts, text.get(at + 1..)?));
        }
    }
    None
}

fn next_piece(rest: &[char]) -> Option<(GlobPiece, &[char])> {
    let (first, after) = rest.split_first()?;
    if matches!(first, '@' | '+' | '!' | '*' | '?')
        && let Some(after) = group(after)
    {
        return Some((GlobPiece::Run, after));
    }
    Some(match first {
        '*' => (GlobPiece::Run, after),
        '?' => (GlobPiece::Any, after),
        '[' => class(after).unwrap_or((GlobPiece::Literal('['), after)),
        '\\' => match after.split_first() {
            Some((escaped, after)) => (GlobPiece::Literal(*escaped), after),
            None => (GlobPiece::Literal('\\'), after),
        },
        other => (GlobPiece::Literal(*other), after),
    })
}

/// What follows the extended group that begins at `rest`, if one does.
fn group(rest: &[char]) -> Option<&[char]> {
    let mut depth = 0usize;
    for (at, character) in rest.iter().enumerate() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { None } else { rest.get(at + 1..) };
        }
    }
    None
}

fn class(rest: &[char]) -> Option<(GlobPiece, &[char])> {
    let negated = matches!(rest.first(), Some('!' | '^'));
    let mut at = if negated { rest.get(1..)? } else { rest };
    let mut members = Vec::new();
    loop {
        let (first, after) = at.split_first()?;
        if *first == ']' && !members.is_empty() {
            return Some((GlobPiece::Class { negated, members }, after));
        }
        let (member, after) = member(*first, after)?;
        members.push(member);
        at = after;
    }
}

fn member(first: char, after: &[char]) -> Option<(Member, &[char])> {
    if first == '['
        && let Some((kind @ (':' | '.' | '='), inside)) = after.split_first()
        && let Some(end) = inside.windows(2).position(|pair| pair == [*kind, ']'])
    {
        let name: String = inside.get(..end)?.iter().collect();
        let rest = inside.get(end + 2..)?;
        let single = name.chars().next().filter(|_| *kind != ':');
        return Some((single.map_or(Member::Named(name), Member::One), rest));
    }
    let (low, after) = if first == '\\' { after.split_first().map(|(low, after)| (*low, after))? } else { (first, after) };
    match after {
        ['-', high, rest @ ..] if *high != ']' => Some((Member::Range(low, *high), rest)),
        _ => Some((Member::One(low), after)),
    }
}

/// Greedy with one point of return: linear in practice, `pieces × name` at worst.
fn matches(pieces: &[GlobPiece], name: &[char]) -> bool {
    let (mut piece, mut at) = (0usize, 0usize);
    let mut back: Option<(usize, usize)> = None;
    while let Some(character) = name.get(at) {
        match pieces.get(piece) {
            Some(GlobPiece::Run) => {
                back = Some((piece + 1, at));
                piece += 1;
            }
            Some(other) if accepts(other, *character) => {
                piece += 1;
                at += 1;
            }
            _ => {
                let Some((resume, from)) = back else { return false };
                back = Some((resume, from + 1));
                piece = resume;
                at = from + 1;
            }
        }
    }
    pieces.get(piece..).unwrap_or_default().iter().all(|rest| *rest == GlobPiece::Run)
}

fn accepts(piece: &GlobPiece, character: char) -> bool {
    match piece {
        GlobPiece::Literal(literal) => *literal == character,
        GlobPiece::Any | GlobPiece::Run => true,
        GlobPiece::Class { negated, members } => members.iter().any(|member| holds(member, character)) != *negated,
    }
}

fn holds(member: &Member, character: char) -> bool {
    match member {
        Member::One(one) => *one == character,
        Member::Range(low, high) => (*low..=*high).contains(&character),
        Member::Named(name) => named(name, character),
    }
}

/// POSIX character classes; an unknown name holds everything, so that nothing is missed.
fn named(name: &str, character: char) -> bool {
    match name {
        "alpha" => character.is_alphabetic(),
        "digit" => character.is_ascii_digit(),
        "alnum" | "word" => character.is_alphanumeric() || character == '_',
        "upper" => character.is_uppercase(),
        "lower" => character.is_lowercase(),
        "space" | "blank" => character.is_whitespace(),
        "punct" => character.is_ascii_punctuation(),
        "xdigit" => character.is_ascii_hexdigit(),
        "cntrl" => character.is_control(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::Wildcard;

    #[test]
    fn matches_as_the_shell_does() {
        let rows = [
            ("*", "", true),
            (".e*", ".env", true),
            (".en?", ".env", true),
            (".*nv", ".env", true),
            ("[.]env", ".env", true),
            ("[!a]env", ".env", true),
            ("[^.]env", ".env", false),
            ("[[:alpha:]]b", "ab", true),
            ("[a-c]x", "bx", true),
            ("[]]x", "]x", true),
            ("[ab", "[ab", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("@(.env|x)", ".env", true),
            ("a*b*c", "a1b2b3c", true),
            ("a*b*c", "a1b2b3", false),
        ];
        for (pattern, name, wanted) in rows {
            assert_eq!(Wildcard::new(pattern).matches(name), wanted, "{pattern} against {name}");
        }
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = Wildcard::new(&"*a".repeat(200));
        assert!(!pattern.matches(&"a".repeat(20_000).replace("aaaaaaaaaa", "aaaaaaaaab")[..199]));
        assert!(!pattern.matches(&"b".repeat(20_000)));
    }

    proptest::proptest! {
        #[test]
        fn a_literal_matches_itself(name in "[a-zA-Z0-9._-]{0,20}") {
            proptest::prop_assert!(Wildcard::new(&name).matches(&name));
        }

        #[test]
        fn never_panics(pattern in ".{0,40}", name in ".{0,40}") {
            let _ = Wildcard::new(&pattern).matches(&name);
        }
    }
}
