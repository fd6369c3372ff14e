//! Functions: which SQLite has, which have another name there, and which the session answers; and pieces of SQLite's
//! syntax tree.

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, Ident, ObjectName,
    OrderByExpr, Value, WindowType,
};

use super::{
    functions::{CONVERT, DIVIDE, TRUTH},
    kinds::arguments,
    translate::Translator,
    values::{kind_named, name_of as type_name, written},
};
use crate::warehouse::{account::Kind, errors::SqlError};

/// Functions that SQLite has under the same name, or that are added to it.
const SAME: &str = "ABS AVG CEIL COALESCE COUNT DATEADD DATEDIFF DATE_PART DATE_TRUNC DENSE_RANK FIRST_VALUE FLOOR \
    GROUP_CONCAT IFNULL IIF INSTR LAG LAST_VALUE LEAD LENGTH LOWER LTRIM MAX MIN NTILE NULLIF RANK REPLACE ROUND \
    ROW_NUMBER RTRIM SIGN SUBSTR SUBSTRING SUM TRIM UPPER";

/// Functions that SQLite has under another name.
const RENAMED: &str = "ANY_VALUE=MIN GREATEST=MAX IFF=IIF LEAST=MIN LEN=LENGTH NVL=IFNULL";

/// Functions of one argument that make a type of it.
const CONVERSIONS: &str = "DATE=DATE TO_CHAR=TEXT TO_DATE=DATE TO_NUMBER=NUMBER TO_TIMESTAMP=TIMESTAMP \
    TO_TIMESTAMP_NTZ=TIMESTAMP TO_VARCHAR=TEXT";

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
        if SAME.split(' ').any(|same| same == name)
            || [CONVERT, DIVIDE, TRUTH].contains(&name.as_str())
        {
            return Ok(None);
        }
        let find = |table: &'static str| {
            let mut pairs = table.split(' ').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(known, _)| *known == name)
                .map(|(_, other)| other)
        };
        if let Some(other) = find(RENAMED) {
            function.name = ObjectName::from(vec![Ident::new(other)]);
            return Ok(None);
        }
        let given: Vec<Expr> = arguments(function).into_iter().cloned().collect();
        let conversion = find(CONVERSIONS).and_then(kind_named);
        if let (Some(kind), [value]) = (conversion, given.as_slice()) {
            return Ok(Some(convert(kind, value.clone())));
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

/// A value as a type takes it.
pub(super) fn convert(kind: Kind, value: Expr) -> Expr {
    call(CONVERT, vec![text(&type_name(kind)), value])
}

pub(super) fn operation(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(right),
    }
}

pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(argument).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

pub(super) fn argument(expr: Expr) -> FunctionArg {
    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
}

pub(super) fn text(text: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(text.to_owned()).into())
}

/// A text of any letters: the library's writer takes some quotes for escaped ones.
pub(super) fn constant(text: &str) -> Expr {
    let hex = crate::ids::hex(text.as_bytes());
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(Value::HexStringLiteral(hex).into())),
        data_type: DataType::Text,
        array: false,
        format: None,
    }
}

pub(super) fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Value(Value::Null.into()))
}

/// Snowflake sorts NULL above all values, SQLite below them.
pub(super) fn nulls_are_highest(key: &mut OrderByExpr) {
    let descending = key.options.asc == Some(false);
    key.options.nulls_first.get_or_insert(descending);
}
