//! Functions: which SQLite has, which have another name there, and which the session answers.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, Ident, ObjectName, Value, WindowType,
};

use super::{
    build::{argument, call, constant, convert, nulls_are_highest, operation, text},
    functions::{CONVERT, DIVIDE, TRUTH},
    translate::Translator,
    types::arguments,
    values::written,
};
use crate::warehouse::{account::Kind, errors::SqlError};

/// Functions that SQLite has under the same name, or that are added to it.
const SAME: &[&str] = &[
    "ABS",
    "AVG",
    "CEIL",
    "COALESCE",
    "COUNT",
    "DATEADD",
    "DATEDIFF",
    "DATE_PART",
    "DATE_TRUNC",
    "DENSE_RANK",
    "FIRST_VALUE",
    "FLOOR",
    "GROUP_CONCAT",
    "IFNULL",
    "IIF",
    "INSTR",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "LENGTH",
    "LOWER",
    "LTRIM",
    "MAX",
    "MIN",
    "NTILE",
    "NULLIF",
    "RANK",
    "REPLACE",
    "ROUND",
    "ROW_NUMBER",
    "RTRIM",
    "SIGN",
    "SUBSTR",
    "SUBSTRING",
    "SUM",
    "TRIM",
    "UPPER",
    CONVERT,
    DIVIDE,
    TRUTH,
];

/// Functions that SQLite has under another name.
const RENAMED: &[(&str, &str)] = &[
    ("ANY_VALUE", "MIN"),
    ("GREATEST", "MAX"),
    ("IFF", "IIF"),
    ("LEAST", "MIN"),
    ("LEN", "LENGTH"),
    ("NVL", "IFNULL"),
];

/// Functions of one argument that make a type of it.
const CONVERSIONS: &[(&str, Kind)] = &[
    ("DATE", Kind::Date),
    ("TO_CHAR", Kind::Text),
    ("TO_DATE", Kind::Date),
    ("TO_NUMBER", Kind::Fixed(0)),
    ("TO_TIMESTAMP", Kind::TimestampNtz),
    ("TO_TIMESTAMP_NTZ", Kind::TimestampNtz),
    ("TO_VARCHAR", Kind::Text),
];

/// Parts of a moment that are functions.
const PARTS: [&str; 7] = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"];

impl Translator<'_> {
    /// What stands in SQLite for a function whose arguments are translated; nothing where it is the same.
    pub(super) fn function(&mut self, function: &mut Function) -> Result<Option<Expr>, SqlError> {
        let name = function.name.to_string().to_uppercase();
        let said = |value: Option<&str>| match value {
            Some(value) => constant(value),
            None => Expr::Value(Value::Null.into()),
        };
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            window.order_by.iter_mut().for_each(nulls_are_highest);
        }
        if SAME.contains(&name.as_str()) {
            return Ok(None);
        }
        if let Some((_, other)) = RENAMED.iter().find(|(known, _)| *known == name) {
            function.name = ObjectName::from(vec![Ident::new(*other)]);
            return Ok(None);
        }
        let given: Vec<Expr> = arguments(function).into_iter().cloned().collect();
        let conversion = CONVERSIONS.iter().find(|(known, _)| *known == name);
        if let (Some((_, kind)), [value]) = (conversion, given.as_slice()) {
            return Ok(Some(convert(*kind, value.clone())));
        }
        if let ([value], true) = (given.as_slice(), PARTS.contains(&name.as_str())) {
            return Ok(Some(call(
                "DATE_PART",
                vec![constant(&name), value.clone()],
            )));
        }
        let session = self.session;
        let now = || self.now.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        Ok(Some(match (name.as_str(), given.as_slice()) {
            ("CURRENT_USER", []) => said(Some(session.person.name)),
            ("CURRENT_ROLE", []) => said(Some(&session.role)),
            ("CURRENT_WAREHOUSE", []) => said(session.warehouse.as_deref()),
            ("CURRENT_DATABASE", []) => said(session.database.as_deref()),
            ("CURRENT_SCHEMA", []) => said(session.schema.as_deref()),
            ("CURRENT_VERSION", []) => said(Some("10.15.0")),
            ("CURRENT_DATE", []) => constant(&now().date().to_string()),
            ("CURRENT_TIMESTAMP", []) => constant(&written(now())),
            ("SYSTEM$WAIT", [Expr::Value(seconds)]) => {
                let seconds: u32 =
                    seconds.value.to_string().parse().map_err(|_| {
                        SqlError::unsupported("SYSTEM$WAIT of anything but seconds")
                    })?;
                self.seconds += i64::from(seconds);
                constant(&format!("waited {seconds} seconds"))
            }
            ("CONCAT", [first, rest @ ..]) => rest.iter().fold(first.clone(), |left, right| {
                Expr::Nested(Box::new(operation(
                    left,
                    BinaryOperator::StringConcat,
                    right.clone(),
                )))
            }),
            ("LISTAGG", [_, ..]) => {
                listagg(function, given.len());
                return Ok(None);
            }
            _ => return Err(SqlError::unsupported(&format!("the function {name}"))),
        }))
    }
}

/// `day` in `DATEADD(day, 1, x)` is a word, not a column.
pub(super) fn unit_is_text(expr: &mut Expr) {
    let Expr::Function(function) = expr else {
        return;
    };
    let name = function.name.to_string().to_uppercase();
    if !matches!(
        name.as_str(),
        "DATEADD" | "DATEDIFF" | "DATE_TRUNC" | "DATE_PART"
    ) {
        return;
    }
    if let FunctionArguments::List(list) = &mut function.args
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(unit))) = list.args.first_mut()
        && let Expr::Identifier(word) = unit
    {
        *unit = text(&word.value);
    }
}

/// `LISTAGG(x, ', ') WITHIN GROUP (ORDER BY y)` is `GROUP_CONCAT(x, ', ' ORDER BY y)`.
fn listagg(function: &mut Function, arguments: usize) {
    function.name = ObjectName::from(vec![Ident::new("GROUP_CONCAT")]);
    let mut order = std::mem::take(&mut function.within_group);
    order.iter_mut().for_each(nulls_are_highest);
    if let FunctionArguments::List(list) = &mut function.args {
        if arguments == 1 {
            list.args.push(argument(constant("")));
        }
        if !order.is_empty() {
            list.clauses.push(FunctionArgumentClause::OrderBy(order));
        }
    }
}
