//! SQL that a person writes, and the SQL of what a panel asked.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Statements that only read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SqlRequest {
    /// One statement, or several with `;` between them.
    pub sql: String,
    /// Rows of each statement; 0 is 1,000, and no more than 100,000 are given.
    pub limit: u32,
    /// The longest that all of it may take; 0 is 10, and no more than 60 are given.
    pub seconds: u32,
    /// A name of the asker's own, under which the question can be cancelled.
    pub question: Option<String>,
}

dto! {
/// One result for each statement.
pub struct SqlAnswer {
    pub results: Vec<SqlResult>,
    pub took_micros: i64,
}
}

dto! {
pub struct SqlResult {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<SqlValue>>,
    /// Whether rows were left out, by the limit or because they are too many bytes.
    pub truncated: bool,
}
}

/// One value as SQLite has it. Numbers that JavaScript would round are text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum SqlValue {
    Null(()),
    Integer(i64),
    Real(f64),
    Text(String),
    Number {
        /// An integer beyond 53 bits, or `Infinity`.
        number: String,
    },
    Sealed {
        /// A value that only the install's key opens, which SQL has not.
        sealed_bytes: u64,
    },
    Blob {
        blob_bytes: u64,
        /// Its first bytes.
        hex: String,
    },
}

/// Which question to end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SqlCancelRequest {
    pub question: String,
}

dto! {
pub struct SqlCancelled {
    /// Whether it was still being answered.
    pub running: bool,
}
}

dto! {
/// What can be asked for.
pub struct SqlTables {
    pub tables: Vec<SqlTable>,
}
}

dto! {
pub struct SqlTable {
    pub name: String,
    pub columns: Vec<SqlColumn>,
    /// The statement that made it, with its words.
    pub made_by: String,
}
}

dto! {
pub struct SqlColumn {
    pub name: String,
    /// As declared, such as `integer`.
    pub declared: String,
    /// Whether only the install's key opens its values.
    pub sealed: bool,
}
}

/// A command as a panel asks it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct CopySqlRequest {
    pub command: String,
    /// Its request as JSON.
    pub request: String,
}

dto! {
/// The same question as SQL, its values written into it.
pub struct CopiedSql {
    /// Runs as it stands, in `bobbin sql` and in any tool with SQLite 3.42 or newer.
    pub sql: String,
    /// Statements in it: what the panel shows is derived from all of them.
    pub statements: u64,
    /// Whether there were more statements.
    pub truncated: bool,
}
}
