//! A SQLite file opened so that no statement can change anything or run for ever.
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use crate::place::{Base, open_regular, plain};
use crate::work::Stop;

/// Instructions of SQLite's machine that one call may take.
const INSTRUCTIONS: u64 = 25_000_000;
/// Instructions between two looks at the budget.
const STEP: u16 = 10_000;
/// Longest value, in bytes, that a statement may build.
const VALUE: i32 = 16 << 20;
/// Longest statement, in bytes.
pub const STATEMENT: usize = 20_000;
/// Characters of a URI path that need no escape.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

/// Pragmas that only tell something.
const PRAGMAS: &[&str] = &[
    "application_id",
    "collation_list",
    "compile_options",
    "data_version",
    "database_list",
    "encoding",
    "foreign_key_check",
    "foreign_key_list",
    "freelist_count",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "module_list",
    "page_count",
    "page_size",
    "pragma_list",
    "quick_check",
    "schema_version",
    "table_info",
    "table_list",
    "table_xinfo",
    "user_version",
];
/// Pragmas above that take the name of a table or index; any other one with a value would set something.
const WITH_NAME: &[&str] = &[
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Opens a database for reading.
pub fn open(base: &Base, path: &Path, stop: &Stop) -> Result<Connection, String> {
    let uri = uri(base, path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(uri, flags).and_then(|mut connection| {
        restrict(&mut connection, stop)?;
        Ok(connection)
    });
    opened.map_err(|error| explain(&error))
}

/// The error in words.
pub fn explain(error: &Error) -> String {
    match error {
        Error::MultipleStatement => "there is more than one statement; send one at a time".to_owned(),
        Error::SqliteFailure(failure, _) if failure.code == ErrorCode::OperationInterrupted => {
            "the statement took too long and was stopped; narrow it, for example with WHERE on an indexed column".to_owned()
        }
        Error::SqliteFailure(failure, _) if failure.code == ErrorCode::AuthorizationForStatementDenied => {
            "only statements that read are allowed: one SELECT, VALUES or EXPLAIN, or a PRAGMA that only tells something".to_owned()
        }
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        Error::SqlInputError { msg, offset, .. } => format!("{msg}, at byte {offset} of the statement"),
        other => other.to_string(),
    }
}

/// The file as a URI. A file in write-ahead mode without a log is opened as unchanging, since SQLite would make the log.
fn uri(base: &Base, path: &Path) -> Result<String, String> {
    let mut head = Vec::new();
    let file = open_regular(path).map_err(|error| base.explain(path, &error))?;
    file.take(100).read_to_end(&mut head).map_err(|error| format!("reading failed: {}", plain(&error)))?;
    if !head.is_empty() && !head.starts_with(b"SQLite format 3\0") {
        return Err(format!("`{}` is no SQLite database; use read_file to see a text file", base.show(path).escape_debug()));
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let unchanging = head.get(18..20) == Some(&[2, 2]) && !Path::new(&log).exists();
    let name = path.to_str().ok_or("the path is not valid UTF-8, so SQLite cannot be told it; rename the file")?;
    let immutable = if unchanging { "&immutable=1" } else { "" };
    Ok(format!("file:{}?mode=ro{immutable}", utf8_percent_encode(name, PATH)))
}

fn restrict(connection: &mut Connection, stop: &Stop) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(2))?;
    for (pragma, value) in [("query_only", true), ("trusted_schema", false), ("cell_size_check", true)] {
        connection.pragma_update(None, pragma, value)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, i32::try_from(STATEMENT).unwrap_or(i32::MAX))?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 100)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200)?;
    connection.set_limit(Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100)?;
    let (stop, mut used) = (stop.clone(), 0);
    let exhausted = move || {
        used += u64::from(STEP);
        used > INSTRUCTIONS || stop.now()
    };
    connection.progress_handler(STEP.into(), Some(exhausted))?;
    connection.authorizer(Some(|context: AuthContext<'_>| authorise(&context.action)))
}

fn authorise(action: &AuthAction<'_>) -> Authorization {
    let reads = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !["load_extension", "fts3_tokenizer"].iter().any(|name| function_name.eq_ignore_ascii_case(name))
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let name = pragma_name.to_ascii_lowercase();
            PRAGMAS.contains(&name.as_str()) && (pragma_value.is_none() || WITH_NAME.contains(&name.as_str()))
        }
        _ => false,
    };
    if reads { Authorization::Allow } else { Authorization::Deny }
}
