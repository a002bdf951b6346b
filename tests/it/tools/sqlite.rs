//! The database tools on real SQLite files: what they tell, and that nothing can be changed or run for ever.
#![cfg(feature = "sqlite")]
use std::path::PathBuf;

use crate::support::HANG;
use callgate_workspace::place::Base;
use callgate_workspace::sqlite::rusqlite::Connection;
use callgate_workspace::sqlite::tables::{QueryArguments, SchemaArguments, SqliteQuery, SqliteSchema, sqlite_query, sqlite_schema};
use callgate_workspace::work::Stop;
use serde_json::json;

struct Shop(tempfile::TempDir);

impl Shop {
    fn new() -> Self {
        let shop = Self(tempfile::tempdir().unwrap());
        let connection = Connection::open(shop.path()).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                 CREATE TABLE book (title TEXT, author INTEGER REFERENCES author (id), price REAL, cover BLOB);
                 CREATE VIEW cheap AS SELECT title FROM book WHERE price < 10;
                 CREATE VIRTUAL TABLE words USING fts5 (body);
                 INSERT INTO author VALUES (1, 'Lem'), (2, 'Le Guin');
                 INSERT INTO book VALUES ('Solaris', 1, 8.5, x'00ff'), ('Lathe', 2, NULL, NULL);
                 INSERT INTO words VALUES ('an ocean that thinks'), ('a dream that changes');",
            )
            .unwrap();
        shop
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("shop ?#%.db")
    }

    fn query(&self, sql: &str) -> SqliteQuery {
        let arguments = QueryArguments { db_path: "shop ?#%.db".into(), sql: sql.into(), limit: 50 };
        sqlite_query(&Base::new(self.0.path().to_owned()), &arguments, &stop())
    }

    fn schema(&self, file: &str) -> SqliteSchema {
        sqlite_schema(&Base::new(self.0.path().to_owned()), &SchemaArguments { db_path: file.into() }, &stop())
    }

    fn rows(&self, sql: &str) -> serde_json::Value {
        let result = self.query(sql);
        assert_eq!(result.error, None, "{sql}");
        json!(result.rows)
    }
}

fn stop() -> Stop {
    Stop::after(HANG)
}

#[test]
fn a_column_with_two_foreign_keys_is_one_column() {
    let shop = Shop::new();
    let connection = Connection::open(shop.path()).unwrap();
    connection
        .execute_batch("CREATE TABLE p (id PRIMARY KEY, name UNIQUE); CREATE TABLE q (pid REFERENCES p (id), x, FOREIGN KEY (pid) REFERENCES p (name));")
        .unwrap();
    let schema = shop.schema("shop ?#%.db");
    let table = schema.tables.iter().find(|table| table.name == "q").unwrap();
    let columns: Vec<_> = table.columns.iter().map(|column| (column.name.as_str(), column.references.as_deref())).collect();
    assert_eq!(columns, [("pid", Some("p.id, p.name")), ("x", None)]);
}

#[test]
fn rows_come_with_their_columns_and_types() {
    let shop = Shop::new();
    let result = shop.query("SELECT title, price, cover FROM book ORDER BY title");
    assert_eq!(result.columns, ["title", "price", "cover"]);
    assert_eq!(json!(result.rows), json!([["Lathe", null, null], ["Solaris", 8.5, "[blob of 2 bytes]"]]));
    assert_eq!(shop.rows("WITH a AS (SELECT count(*) AS n FROM author) SELECT n FROM a -- and a comment;"), json!([[2]]));
    assert_eq!(shop.rows("VALUES (9223372036854775807, 1e999)"), json!([[i64::MAX, null]]));
    assert_eq!(shop.rows("SELECT body FROM words WHERE words MATCH 'ocean'"), json!([["an ocean that thinks"]]));
    assert_eq!(shop.rows("SELECT value FROM json_each('[1,2]')"), json!([[1], [2]]));
    assert_eq!(shop.rows("PRAGMA table_info(author)").as_array().unwrap().len(), 2);
    assert!(!shop.rows("EXPLAIN QUERY PLAN SELECT * FROM book").as_array().unwrap().is_empty());
}

#[test]
fn the_schema_tells_tables_columns_and_references() {
    let shop = Shop::new();
    let schema = shop.schema("shop ?#%.db");
    assert_eq!(schema.error, None);
    let book = schema.tables.iter().find(|table| table.name == "book").unwrap();
    assert_eq!(book.columns[1].references.as_deref(), Some("author.id"));
    assert_eq!((book.columns[2].name.as_str(), book.columns[2].kind.as_str()), ("price", "REAL"));
    assert!(schema.tables.iter().any(|table| table.name == "cheap" && table.kind == "view"));
    let author = schema.tables.iter().find(|table| table.name == "author").unwrap();
    assert_eq!((author.columns[0].primary_key, author.columns[1].not_null), (1, true));
}

#[test]
fn nothing_that_changes_anything_is_run() {
    let shop = Shop::new();
    let before = std::fs::read(shop.path()).unwrap();
    let outside = shop.0.path().join("outside.db");
    let (attach, vacuum) = (format!("ATTACH '{0}' AS x", outside.display()), format!("VACUUM INTO '{0}'", outside.display()));
    for sql in [
        "DELETE FROM book",
        "INSERT INTO author VALUES (3, 'x') RETURNING id",
        "UPDATE book SET price = 0 RETURNING title",
        "DROP TABLE book",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x AS SELECT 1",
        "WITH a AS (SELECT 1) DELETE FROM book",
        "REPLACE INTO author VALUES (1, 'x')",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
        "BEGIN IMMEDIATE",
        "SAVEPOINT a",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 7",
        "PRAGMA query_only = 0",
        "PRAGMA writable_schema = 1",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA temp_store_directory = '/tmp'",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple', x'00')",
        "INSERT INTO words(words) VALUES ('optimize')",
        "SELECT 1; DELETE FROM book",
        "SELECT 1; SELECT 2",
        "/* SELECT */ DELETE FROM book",
        "",
        " ; ",
        "-- nothing",
        "SELEC 1",
        "SELECT \0 1",
        attach.as_str(),
        vacuum.as_str(),
    ] {
        let result = shop.query(sql);
        assert!(result.error.is_some() && result.rows.is_empty(), "{sql}: {result:?}");
    }
    assert_eq!(std::fs::read(shop.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(shop.0.path()).unwrap().count(), 1, "no file was made");
}

#[test]
fn a_statement_without_end_and_one_without_measure_are_stopped() {
    let shop = Shop::new();
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    assert!(shop.query(endless).error.unwrap().contains("too long"));
    for sql in [
        "SELECT zeroblob(1000000000)".to_owned(),
        format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("SELECT {}", vec!["1"; 5_000].join(" UNION SELECT ")),
        "SELECT 1;".repeat(2_200),
        format!("SELECT '{}'", "x".repeat(30_000)),
        "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaa' GLOB replace(hex(zeroblob(500)), '00', '*a')".to_owned(),
    ] {
        let short: String = sql.chars().take(40).collect();
        assert!(shop.query(&sql).error.is_some(), "{short}");
    }
}

#[test]
fn many_rows_and_long_values_are_cut_with_a_note() {
    let shop = Shop::new();
    let result = shop.query("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n");
    assert_eq!((result.rows.len(), result.truncated), (50, true));
    assert!(result.note.unwrap().contains("first 50 rows"));
    let long = shop.query("SELECT replace(hex(zeroblob(5000)), '0', 'é')");
    assert_eq!((long.rows[0][0].as_str().unwrap().chars().count(), long.truncated), (4_000, true));
}

#[test]
fn a_write_ahead_database_is_read_without_leaving_files() {
    let shop = Shop::new();
    let writer = Connection::open(shop.path()).unwrap();
    writer.pragma_update(None, "journal_mode", "wal").unwrap();
    writer.execute("INSERT INTO author VALUES (3, 'new')", []).unwrap();
    assert_eq!(shop.rows("SELECT count(*) FROM author"), json!([[3]]), "what is still in the log is seen");
    drop(writer);
    assert_eq!(shop.rows("SELECT count(*) FROM author"), json!([[3]]));
    assert_eq!(std::fs::read_dir(shop.0.path()).unwrap().count(), 1);
}

#[test]
fn what_is_no_database_is_refused() {
    let shop = Shop::new();
    std::fs::write(shop.0.path().join("text.db"), "hello").unwrap();
    std::fs::write(shop.0.path().join("cut.db"), &std::fs::read(shop.path()).unwrap()[..2_000]).unwrap();
    std::fs::write(shop.0.path().join("empty.db"), "").unwrap();
    assert!(shop.schema("text.db").error.unwrap().contains("no SQLite database"));
    assert!(shop.schema("cut.db").error.is_some());
    assert!(shop.schema("missing.db").error.unwrap().contains("does not exist"));
    assert!(shop.schema(".").error.unwrap().contains("directory"));
    assert_eq!(shop.schema("empty.db").tables, []);
    assert!(shop.schema("file:shop.db?mode=rwc").error.unwrap().contains("does not exist"));
}
