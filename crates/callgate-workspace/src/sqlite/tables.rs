//! `sqlite_query` and `sqlite_schema`: reading a SQLite database.
use rmcp::schemars::{self, JsonSchema};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Rows};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::outcome::payloads;
use crate::place::Base;
use crate::sqlite::database::{self, STATEMENT};
use crate::work::Stop;

/// Arguments of `sqlite_query`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryArguments {
    /// Database file, relative to the root or absolute.
    pub db_path: String,
    /// One statement that reads: SELECT (also with WITH), VALUES, EXPLAIN or a telling PRAGMA.
    pub sql: String,
    /// Rows to return at most, up to 1000.
    #[serde(default = "fifty")]
    pub limit: u32,
}

/// Arguments of `sqlite_schema`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaArguments {
    /// Database file, relative to the root or absolute.
    pub db_path: String,
}

/// Result of `sqlite_query`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SqliteQuery {
    /// The database, relative to the root when it is below it.
    pub db_path: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with one value per column. A blob is told by its size only.
    pub rows: Vec<Vec<Value>>,
    /// Whether there are more rows, or values were cut.
    pub truncated: bool,
    /// What was left out and why.
    pub note: Option<String>,
    /// Why there is no answer.
    pub error: Option<String>,
}

/// One column of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its declared type, or nothing.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it may not be null.
    pub not_null: bool,
    /// Its place in the primary key, from 1; 0 when it is no part.
    pub primary_key: u32,
    /// The table and column it refers to, as `table.column`; several are separated by commas.
    pub references: Option<String>,
}

/// One table or view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// `table` or `view`.
    pub kind: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Result of `sqlite_schema`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SqliteSchema {
    /// The database, relative to the root when it is below it.
    pub db_path: String,
    /// Tables and views by name.
    pub tables: Vec<Table>,
    /// Whether there are more tables.
    pub truncated: bool,
    /// Why there is no answer.
    pub error: Option<String>,
}

payloads!(SqliteQuery, SqliteSchema);

/// Rows one answer may hold, whatever was asked for.
const MOST: u32 = 1_000;
/// Characters of one value that are shown.
const SHOWN: usize = 4_000;
/// Bytes of values in one answer.
const ANSWER: usize = 200_000;
/// Semicolons one statement may hold, in its texts.
const SEMICOLONS: usize = 100;
/// Tables one answer may hold.
const TABLES: usize = 300;

fn fifty() -> u32 {
    50
}

/// Runs one query.
pub fn sqlite_query(base: &Base, arguments: &QueryArguments, stop: &Stop) -> SqliteQuery {
    let mut result = SqliteQuery::default();
    let opened = check(&arguments.sql).and_then(|()| open(base, &arguments.db_path, &mut result.db_path, stop));
    let answered = opened.and_then(|connection| query(&connection, arguments, &mut result).map_err(|error| database::explain(&error)));
    if let Err(error) = answered {
        result.error = Some(error);
    }
    result
}

/// Tells the tables of a database.
pub fn sqlite_schema(base: &Base, arguments: &SchemaArguments, stop: &Stop) -> SqliteSchema {
    let mut result = SqliteSchema::default();
    let answered = open(base, &arguments.db_path, &mut result.db_path, stop)
        .and_then(|connection| schema(&connection, &mut result).map_err(|error| database::explain(&error)));
    if let Err(error) = answered {
        result.error = Some(error);
    }
    result
}

fn check(sql: &str) -> Result<(), String> {
    match sql.len() {
        _ if sql.trim().is_empty() => Err("the statement is empty; send one SELECT".to_owned()),
        _ if sql.contains('\0') => Err("the statement holds a NUL character; remove it".to_owned()),
        // The statements after the first are compiled one within the other, so their number is bounded before.
        _ if sql.matches(';').count() > SEMICOLONS => Err(database::explain(&rusqlite::Error::MultipleStatement)),
        length if length > STATEMENT => Err(format!("the statement has {length} bytes and {STATEMENT} are allowed; shorten it")),
        _ => Ok(()),
    }
}

fn open(base: &Base, argument: &str, shown: &mut String, stop: &Stop) -> Result<Connection, String> {
    let path = base.resolve(argument)?;
    *shown = base.show(&path);
    database::open(base, &path, stop)
}

fn query(connection: &Connection, arguments: &QueryArguments, result: &mut SqliteQuery) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&arguments.sql)?;
    // The authoriser has already refused what changes something; a second opinion costs nothing.
    if !statement.readonly() || statement.column_count() == 0 {
        result.error = Some("the statement returns no rows; only statements that read are allowed, such as SELECT".to_owned());
        return Ok(());
    }
    result.columns = statement.column_names().map(str::to_owned).collect();
    let most = usize::try_from(arguments.limit.clamp(1, MOST)).unwrap_or(1);
    let (columns, mut rows) = (result.columns.len(), statement.query([])?);
    collect(&mut rows, columns, most, result)
}

fn collect(rows: &mut Rows<'_>, columns: usize, most: usize, result: &mut SqliteQuery) -> rusqlite::Result<()> {
    let mut size = 0;
    let mut cut = false;
    while let Some(row) = rows.next()? {
        if result.rows.len() == most || size > ANSWER {
            result.note = Some(format!("only the first {} rows are shown; raise limit, or narrow the statement", result.rows.len()));
            result.truncated = true;
            return Ok(());
        }
        let values = (0..columns).map(|index| row.get_ref(index).map(|value| shown(value, &mut size, &mut cut)));
        result.rows.push(values.collect::<rusqlite::Result<_>>()?);
    }
    result.truncated = cut;
    result.note = cut.then(|| format!("long values are cut after {SHOWN} characters; use substr() to see more"));
    Ok(())
}

fn shown(value: ValueRef<'_>, size: &mut usize, cut: &mut bool) -> Value {
    *size += 8;
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Blob(bytes) => format!("[blob of {} bytes]", bytes.len()).into(),
        ValueRef::Text(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let short: String = text.chars().take(SHOWN).collect();
            *cut |= short.len() < text.len();
            *size += short.len();
            short.into()
        }
    }
}

fn schema(connection: &Connection, result: &mut SqliteSchema) -> rusqlite::Result<()> {
    let names =
        "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name";
    let mut statement = connection.prepare(names)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if result.tables.len() == TABLES {
            result.truncated = true;
            break;
        }
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let columns = columns(connection, &name)?;
        result.tables.push(Table { name, kind, columns });
    }
    Ok(())
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    // SQLite numbers the foreign keys of a table from the last one written.
    let told = "SELECT c.name, c.type, c.\"notnull\", c.pk, \
            (SELECT group_concat(f.\"table\" || coalesce('.' || f.\"to\", ''), ', ' ORDER BY f.id DESC, f.seq) \
                FROM pragma_foreign_key_list(?1) AS f WHERE f.\"from\" = c.name) \
        FROM pragma_table_xinfo(?1) AS c ORDER BY c.cid";
    let mut statement = connection.prepare(told)?;
    let rows = statement.query_map([table], |row| {
        Ok(Column { name: row.get(0)?, kind: row.get(1)?, not_null: row.get(2)?, primary_key: row.get(3)?, references: row.get(4)? })
    })?;
    rows.collect()
}
