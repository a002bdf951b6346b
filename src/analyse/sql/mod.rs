//! SQL text: whether it changes data, and which files and commands it reaches.
mod token;

use crate::policy::Direction;

use token::{Token, tokens};

/// A file that a statement reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFile {
    /// The path as it stands in the literal.
    pub path: String,
    pub direction: Direction,
}

/// What was seen in one text of SQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// The first word that changes data, schema, settings or rights.
    pub changes: Option<String>,
    pub files: Vec<SqlFile>,
    /// Commands it runs on the database's machine.
    pub commands: Vec<String>,
}

const CHANGES: &[&str] = &[
    "INSERT", "UPDATE", "DELETE", "MERGE", "UPSERT", "REPLACE", "CREATE", "DROP", "ALTER", "TRUNCATE", "GRANT", "REVOKE", "ATTACH",
    "DETACH", "VACUUM", "REINDEX", "COPY", "CALL", "EXEC", "EXECUTE", "DO", "LOAD", "IMPORT", "LOCK", "RENAME", "REFRESH", "CLUSTER",
    "COMMENT", "SECURITY", "REASSIGN", "INSTALL", "BULK", "HANDLER", "FLUSH", "KILL", "SHUTDOWN", "RESET", "OPTIMIZE", "REPAIR", "EXPORT",
];
/// Words that open a statement but change nothing by themselves.
const OPENERS: &[&str] =
    &["SELECT", "WITH", "EXPLAIN", "BEGIN", "START", "COMMIT", "ROLLBACK", "SET", "PRAGMA", "SHOW", "DESCRIBE", "VALUES", "TABLE", "USE"];
const READERS: &[&str] = &[
    "READFILE",
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "PG_LS_DIR",
    "PG_STAT_FILE",
    "LO_IMPORT",
    "LOAD_FILE",
    "READ_CSV",
    "READ_CSV_AUTO",
    "READ_PARQUET",
    "READ_JSON",
    "READ_JSON_AUTO",
    "READ_NDJSON",
    "READ_TEXT",
    "READ_BLOB",
    "PARQUET_SCAN",
    "SQLITE_SCAN",
    "LOAD_EXTENSION",
    "GLOB",
    "FILE",
    "BULK",
    "FSDIR",
    "SNIFF_CSV",
    "PARQUET_METADATA",
    "PARQUET_SCHEMA",
    "SQLITE_ATTACH",
    "OPENROWSET",
];
const WRITERS: &[&str] = &["WRITEFILE", "LO_EXPORT", "PG_FILE_WRITE", "EDIT"];
/// Words right before the literal of a file that is read or written.
const READ_BEFORE: &[&str] = &["INFILE", "FROM", "JOIN", "BULK", "LOAD", "DIRECTORY"];
const WRITE_BEFORE: &[&str] = &["ATTACH", "DATABASE", "OUTFILE", "DUMPFILE", "INTO", "TO", "LOCATION"];

/// Looks through the text. Linear; what is not SQL gives nothing.
pub fn analyse(text: &str) -> Statement {
    let tokens = tokens(text);
    let mut seen = Statement { changes: changes(&tokens).or_else(|| graph_changes(&tokens)), ..Statement::default() };
    for (at, token) in tokens.iter().enumerate() {
        if let Token::Text(literal) = token {
            literal_at(&tokens, at, literal, &mut seen);
        }
    }
    dot_commands(text, &mut seen);
    seen
}

/// Whether a text of unknown role is a statement: a word that opens one, and a second word that only SQL has there.
pub fn is_statement(text: &str) -> bool {
    const LONGEST: usize = 256 << 10;
    let head: String = text.trim_start().chars().take(9).collect::<String>().to_ascii_uppercase();
    let opens = CHANGES.iter().chain(OPENERS).any(|word| head.starts_with(word)) || head.starts_with("--") || head.starts_with("/*");
    if !opens || text.len() > LONGEST {
        return false;
    }
    let tokens = tokens(text);
    let words: Vec<&str> = tokens.iter().filter_map(word).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match words.first().copied() {
        Some("SELECT" | "WITH") => {
            has(&["FROM", "SELECT", "INTO", "UPDATE", "INSERT", "DELETE"]) && tokens.iter().any(|token| !matches!(token, Token::Word(_)))
        }
        Some("INSERT" | "REPLACE" | "MERGE") => words.get(1).is_some_and(|word| matches!(*word, "INTO" | "OR")),
        Some("UPDATE") => words.contains(&"SET"),
        Some("DELETE") => words.get(1) == Some(&"FROM"),
        Some("CREATE" | "DROP" | "ALTER" | "TRUNCATE") => {
            has(&["TABLE", "INDEX", "VIEW", "DATABASE", "SCHEMA", "TRIGGER", "FUNCTION", "USER", "ROLE"])
        }
        Some("ATTACH" | "COPY") => tokens.iter().any(|token| matches!(token, Token::Text(_))),
        // Words with which a program or a sentence begins as well
        Some("IMPORT") => words.get(1).is_some_and(|word| matches!(*word, "DATABASE" | "FOREIGN" | "TABLE" | "INTO")),
        Some("EXPORT") => words.get(1).is_some_and(|word| matches!(*word, "DATABASE" | "DATA")),
        Some("LOAD") => tokens.get(1).is_some_and(|token| matches!(token, Token::Text(_))) || words.get(1) == Some(&"DATA"),
        Some("LOCK" | "RENAME") => words.get(1).is_some_and(|word| matches!(*word, "TABLE" | "TABLES" | "USER")),
        Some(first) => tokens.contains(&Token::Mark(';')) && CHANGES.iter().chain(OPENERS).any(|word| *word == first),
        None => false,
    }
}

fn word(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

/// A changing verb counts at the start of a statement, after `(` (a common table expression), after `AS`, `EXPLAIN` or
/// `ANALYZE`, and after the `)` that closes the last common table expression.
fn changes(tokens: &[Token]) -> Option<String> {
    let mut before: Option<&Token> = None;
    for (at, token) in tokens.iter().enumerate() {
        let opens = match before {
            None | Some(Token::Mark(';' | '(' | ')')) => true,
            Some(Token::Word(word)) => matches!(word.as_str(), "AS" | "FOR" | "EXPLAIN" | "ANALYZE" | "MATERIALIZED" | "BEGIN" | "THEN"),
            Some(_) => false,
        };
        let Token::Word(word) = token else {
            before = Some(token);
            continue;
        };
        let follows_call = matches!(tokens.get(at + 1), Some(Token::Mark('(')));
        let is_change =
            opens && CHANGES.contains(&word.as_str()) && !(follows_call && matches!(word.as_str(), "REPLACE" | "INSERT" | "TRUNCATE"));
        if is_change || is_mode(tokens, at, word) {
            return Some(word.clone());
        }
        before = Some(token);
    }
    None
}

/// A graph query (Cypher) reads first and changes later, without a mark between.
fn graph_changes(tokens: &[Token]) -> Option<String> {
    const CLAUSES: &[&str] = &["CREATE", "MERGE", "DELETE", "DETACH", "SET", "REMOVE", "DROP", "FOREACH"];
    let mut words = tokens.iter().filter_map(word);
    matches!(words.next()?, "MATCH" | "OPTIONAL" | "UNWIND" | "CALL" | "WITH")
        .then(|| words.find(|word| CLAUSES.contains(word)).map(str::to_owned))
        .flatten()
        .filter(|_| word(tokens.first().unwrap_or(&Token::Mark(' '))) == Some("MATCH") || has_node(tokens))
}

/// `(n)` and `(:Label)` stand in graph queries only.
fn has_node(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| matches!(pair, [Token::Mark('('), Token::Mark(':')]))
}

/// `SELECT … INTO t`, `SET … READ WRITE`, `PRAGMA x = y`, `FOR UPDATE`, and functions that change something.
fn is_mode(tokens: &[Token], at: usize, word: &str) -> bool {
    let next = |by: usize| tokens.get(at + by);
    let is = |token: Option<&Token>, wanted: &str| token.and_then(self::word) == Some(wanted);
    match word {
        "INTO" => !is(next(1), "OUTFILE") || at > 0,
        "READ" => is(next(1), "WRITE"),
        "PRAGMA" => tokens.iter().skip(at).take(6).any(|token| *token == Token::Mark('=')),
        "SETVAL"
        | "NEXTVAL"
        | "DBLINK_EXEC"
        | "PG_TERMINATE_BACKEND"
        | "PG_CANCEL_BACKEND"
        | "PG_RELOAD_CONF"
        | "SET_CONFIG"
        | "XP_CMDSHELL" => true,
        "LOAD_EXTENSION" | "WRITEFILE" | "LO_EXPORT" | "LO_IMPORT" | "PG_FILE_WRITE" | "LO_UNLINK" => next(1) == Some(&Token::Mark('(')),
        _ => false,
    }
}

fn literal_at(tokens: &[Token], at: usize, literal: &str, seen: &mut Statement) {
    let back = |by: usize| at.checked_sub(by).and_then(|index| tokens.get(index));
    let (one, two) = (back(1), back(2));
    let mut file = |direction| seen.files.push(SqlFile { path: literal.to_owned(), direction });
    match (two.and_then(word), one) {
        (Some(function), Some(Token::Mark('('))) if READERS.contains(&function) => file(Direction::Read),
        (Some(function), Some(Token::Mark('('))) if WRITERS.contains(&function) => file(Direction::Write),
        (_, Some(Token::Word(before))) if matches!(before.as_str(), "PROGRAM" | "XP_CMDSHELL") => seen.commands.push(literal.to_owned()),
        (_, Some(Token::Word(before))) if WRITE_BEFORE.contains(&before.as_str()) => file(Direction::Write),
        (_, Some(Token::Word(before))) if READ_BEFORE.contains(&before.as_str()) => file(Direction::Read),
        (_, Some(Token::Mark('[' | ','))) if is_in_reader_list(tokens, at) => file(Direction::Read),
        _ => {}
    }
}

/// `read_csv(['a', 'b'])`: literals of a list that a reading function takes.
fn is_in_reader_list(tokens: &[Token], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    let mut back = before.iter().rev().skip_while(|token| matches!(token, Token::Text(_) | Token::Mark(',')));
    back.next() == Some(&Token::Mark('['))
        && back.next() == Some(&Token::Mark('('))
        && back.next().and_then(word).is_some_and(|function| READERS.contains(&function))
}

/// `.read file`, `.output file`, `.shell command` and their like of the `sqlite3` program, and `\i`, `\o`, `\!` of `psql`.
fn dot_commands(text: &str, seen: &mut Statement) {
    for line in text.lines() {
        let line = line.trim();
        let Some((name, rest)) = line.strip_prefix(['.', '\\']).and_then(|line| line.split_once(char::is_whitespace)) else { continue };
        let rest = rest.trim().trim_matches(['"', '\'']).to_owned();
        let direction = match name {
            "shell" | "system" | "!" => {
                seen.commands.push(rest);
                continue;
            }
            "read" | "import" | "restore" | "load" | "i" | "ir" | "include" => Direction::Read,
            "output" | "once" | "backup" | "save" | "open" | "log" | "o" | "excel" | "dump" => Direction::Write,
            _ => continue,
        };
        let path = rest.split_whitespace().next().unwrap_or_default().to_owned();
        seen.files.push(SqlFile { path, direction });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_changes_wherever_they_hide() {
        for text in [
            "WITH i AS (INSERT INTO n(x) VALUES (1) RETURNING 1) SELECT 1",
            "ROLLBACK; DROP TABLE t",
            "SET TRANSACTION READ WRITE; TRUNCATE t",
            "/* select */ DELETE FROM t",
            "select 1;\n--x\nupdate t set a=1",
            "/*!50000 DROP TABLE t */",
            "SELECT * INTO t2 FROM t",
            "PRAGMA journal_mode = WAL",
            "EXPLAIN ANALYZE DELETE FROM t",
            "SELECT $$x$$; DROP TABLE t",
            "SELECT setval('s', 1)",
            "SELECT a FROM t FOR UPDATE",
            "MATCH (n) DETACH DELETE n",
            "UNWIND $x AS r MERGE (:L {a: r})",
        ] {
            assert!(analyse(text).changes.is_some(), "{text}");
        }
        for text in [
            "SELECT 'DROP TABLE t'",
            "SELECT replace(a, 'b', 'c') FROM t",
            "-- DELETE FROM t\nSELECT 1",
            "SELECT \"update\" FROM t",
            "SELECT $$; DROP TABLE t$$",
            "PRAGMA table_info(t)",
            "MATCH (n) RETURN n",
            "SELECT updated FROM t WHERE a = 'x;DELETE'",
        ] {
            assert_eq!(analyse(text).changes, None, "{text}");
        }
    }

    #[test]
    fn finds_files_and_commands() {
        let table = [
            ("COPY t TO '/x'", "/x", Direction::Write),
            ("COPY t FROM '/x'", "/x", Direction::Read),
            ("ATTACH '/x' AS a", "/x", Direction::Write),
            ("ATTACH DATABASE '/x' AS a", "/x", Direction::Write),
            ("LOAD DATA LOCAL INFILE '/x' INTO TABLE t", "/x", Direction::Read),
            ("SELECT 1 INTO OUTFILE '/x'", "/x", Direction::Write),
            ("SELECT pg_read_file('/x')", "/x", Direction::Read),
            ("SELECT readfile('/x')", "/x", Direction::Read),
            ("SELECT * FROM '/x'", "/x", Direction::Read),
            ("SELECT * FROM read_csv(['a', '/x'])", "/x", Direction::Read),
            ("VACUUM INTO '/x'", "/x", Direction::Write),
            (".read /x", "/x", Direction::Read),
        ];
        for (text, path, direction) in table {
            assert!(analyse(text).files.contains(&SqlFile { path: path.into(), direction }), "{text}");
        }
        assert_eq!(analyse("COPY t FROM PROGRAM 'cat /x'").commands, ["cat /x"]);
        assert_eq!(analyse("SELECT a FROM t WHERE p LIKE '/x/%'").files, []);
    }
}
