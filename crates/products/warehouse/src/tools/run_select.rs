//! Runs a statement that only reads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Rows, bindings,
    classify::{Bound, reading},
    readable::StatementView,
    reader::Reader,
    statement::{RowLimit, Statement},
};

/// Most rows if the caller doesn't say.
const LIMIT: u64 = 1000;

/// Run one statement that only reads: SELECT, SHOW, DESCRIBE, LIST or EXPLAIN. For names of tables and columns, use
/// `warehouse_get_tables` and `warehouse_get_columns`.
///
/// Stead refuses any other statement, and queries that call your own functions; use `warehouse_execute_query` for those.
/// After 45 seconds without a result, `state` is `running`; call `warehouse_get_query_status` then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct RunSelect {
    /// SQL, with a `?` for each value of `bindings`.
    pub statement: String,
    /// Values for each `?`, by number: `{"1": 123, "2": "a"}`, or with types: `{"1": {"type": "FIXED", "value": "123"}}`.
    pub bindings: Option<Map<String, Value>>,
    /// Database of the session. A plain name is upper-cased, a name in double quotes is exact.
    pub database: Option<String>,
    /// Schema of the session.
    pub schema: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
    /// Most rows to return; when absent, the statement's own LIMIT or 1000.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Seconds after which the statement is cancelled.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
}

impl Tool for RunSelect {
    const NAME: &'static str = "warehouse_run_select";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// SQL API, `POST /api/v2/statements`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let Submission {
            statement,
            is_show,
            limit,
        } = self.read()?;
        statement.limited_rows(call, io, is_show, limit).await
    }
}

/// The statement to submit.
struct Submission {
    statement: Statement,
    is_show: bool,
    limit: RowLimit,
}

impl RunSelect {
    fn read(&self) -> Result<Submission> {
        let mut reader = Reader::default();
        let mut sql = self.statement.clone();
        let most = self.limit.unwrap_or(LIMIT);
        let mut limit = RowLimit::None;
        let mut is_show = false;
        match reading(&sql) {
            Err(reason) => reader.refuse("statement", "readOnly", reason),
            Ok(read) => {
                is_show = read.is_show;
                match read.bound {
                    Bound::Open(at) => {
                        sql.insert_str(at, &format!(" LIMIT {most}"));
                        limit = RowLimit::InStatement(most);
                    }
                    Bound::Own(own) if self.limit.is_some() && own.is_none_or(|own| own > most) => {
                        let message = "the statement has its own LIMIT, FETCH or TOP, which isn't a smaller number; omit one of the two";
                        reader.refuse("limit", "unused", message);
                    }
                    Bound::Own(_) => {}
                    Bound::NoQuery => limit = RowLimit::OfResponse(most),
                }
            }
        }
        let statement = Statement {
            statement: sql,
            timeout: self.timeout,
            database: reader.optional_name("database", &self.database),
            schema: reader.optional_name("schema", &self.schema),
            warehouse: reader.optional_name("warehouse", &self.warehouse),
            role: reader.optional_name("role", &self.role),
            bindings: self
                .bindings
                .as_ref()
                .map(|given| bindings::read(&mut reader, given)),
            parameters: None,
            leaves_open: true,
        };
        reader.end()?;
        Ok(Submission {
            statement,
            is_show,
            limit,
        })
    }
}
