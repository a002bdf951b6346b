//! Brace expansion: `{a,b}` and `{1..9}`, on the pieces of a word before anything else is expanded.
use super::syntax::{Piece, Word};

/// Most words that one word may become.
const MOST_WORDS: usize = 4096;

/// A character of unquoted text, or a whole piece of another kind.
#[derive(Clone)]
enum Unit {
    Active(char),
    Other(Piece),
}

/// The words that `word` becomes; nothing if they are too many.
pub fn expand(word: &Word) -> Option<Vec<Word>> {
    let active = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('{'));
    if !word.pieces.iter().any(active) {
        return Some(vec![word.clone()]);
    }
    let mut done = Vec::new();
    let mut open = vec![units(word)];
    let mut work = 0usize;
    while let Some(units) = open.pop() {
        work = work.saturating_add(units.len());
        if done.len() + open.len() > MOST_WORDS || work > MOST_WORDS * 64 {
            return None;
        }
        match first_brace(&units) {
            // The parts go on the stack in reverse, so that words come out in order.
            Some((start, end, parts)) => open.extend(parts.into_iter().rev().map(|part| {
                let head = units.iter().take(start).cloned();
                head.chain(part).chain(units.iter().skip(end).cloned()).collect()
            })),
            None => done.push(Word { pieces: pieces(units), span: word.span }),
        }
        if open.len() > MOST_WORDS {
            return None;
        }
    }
    Some(done)
}

fn units(word: &Word) -> Vec<Unit> {
    let mut units = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) => units.extend(text.chars().map(Unit::Active)),
            other => units.push(Unit::Other(other.clone())),
        }
    }
    units
}

fn pieces(units: Vec<Unit>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for unit in units {
        match (unit, pieces.last_mut()) {
            (Unit::Active(character), Some(Piece::Text(text))) => text.push(character),
            (Unit::Active(character), _) => pieces.push(Piece::Text(character.to_string())),
            (Unit::Other(piece), _) => pieces.push(piece),
        }
    }
    pieces
}

/// The first brace expression: where it starts, where it ends, and its parts. A brace that is none stays as it is.
fn first_brace(units: &[Unit]) -> Option<(usize, usize, Vec<Vec<Unit>>)> {
    let closes = matching(units);
    let mut start = 0;
    while start < units.len() {
        if let Some(end) = closes.get(start).copied().flatten() {
            let inner = units.get(start + 1..end).unwrap_or_default();
            if let Some(parts) = alternatives(inner).or_else(|| sequence(inner)) {
                return Some((start, end + 1, parts));
            }
        }
        start += 1;
    }
    None
}

/// For each opening brace the place of the one that closes it.
fn matching(units: &[Unit]) -> Vec<Option<usize>> {
    let mut closes = vec![None; units.len()];
    let mut open = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        match unit {
            Unit::Active('{') => open.push(at),
            Unit::Active('}') => {
                if let Some(slot) = open.pop().and_then(|start| closes.get_mut(start)) {
                    *slot = Some(at);
                }
            }
            _ => {}
        }
    }
    closes
}

fn alternatives(inner: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0usize;
    for unit in inner {
        match unit {
            Unit::Active('{') => depth += 1,
            Unit::Active('}') => depth = depth.saturating_sub(1),
            Unit::Active(',') if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(unit.clone());
        }
    }
    (parts.len() > 1).then_some(parts)
}

fn sequence(inner: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let text: String = inner.iter().map(|unit| if let Unit::Active(character) = unit { *character } else { '\0' }).collect();
    let mut bounds = text.split("..");
    let (first, last, step) = (bounds.next()?, bounds.next()?, bounds.next());
    if bounds.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok().map(|step| step.saturating_abs().max(1)))?;
    let letters = |text: &str| text.chars().next().filter(|only| only.is_ascii_alphabetic() && text.len() == 1);
    let words: Vec<String> = match (first.parse::<i64>(), last.parse::<i64>(), letters(first), letters(last)) {
        (Ok(first), Ok(last), ..) => range(first, last, step).map(|number| number.to_string()).collect(),
        (.., Some(first), Some(last)) => {
            let codes = range(i64::from(u32::from(first)), i64::from(u32::from(last)), step);
            codes.filter_map(|code| u32::try_from(code).ok().and_then(char::from_u32)).map(String::from).collect()
        }
        _ => return None,
    };
    Some(words.into_iter().map(|word| word.chars().map(Unit::Active).collect()).collect())
}

/// The numbers from `first` to `last` in either direction, a few more than are allowed at most.
fn range(first: i64, last: i64, step: i64) -> impl Iterator<Item = i64> {
    let signed = if first <= last { step } else { -step };
    std::iter::successors(Some(first), move |now| now.checked_add(signed))
        .take_while(move |now| if first <= last { *now <= last } else { *now >= last })
        .take(MOST_WORDS + 2)
}
