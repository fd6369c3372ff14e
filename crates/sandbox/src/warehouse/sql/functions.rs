//! Functions: adds those that SQLite lacks or that differ in Snowflake, and rewrites calls of the others.

use jiff::{Span, ToSpan as _, Unit, civil::DateTime};
use rusqlite::{
    Connection, Error, Result,
    functions::{Context, FunctionFlags},
    types::{Type, Value},
};
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, Ident, ObjectName,
    OrderByExpr, Value as Literal, WindowType,
};

use super::{
    Translator,
    kinds::arguments,
    values::{converted, kind_named, name_of as type_name, read_moment, written},
};
use crate::warehouse::{account::Kind, errors::SqlError};

/// Converts a value to a type: `STEAD_AS('DATE', x)`.
pub(super) const CONVERT: &str = "STEAD_AS";
/// Divides like Snowflake: with decimals, and with an error for zero.
pub(super) const DIVIDE: &str = "STEAD_DIVIDE";

/// Shows a boolean as `true` or `false`.
pub(super) const TRUTH: &str = "STEAD_TRUTH";

/// Adds the functions to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let add = |name, arguments, function: fn(&Context<'_>) -> Result<Value>| {
        connection.create_scalar_function(name, arguments, flags, function)
    };
    add("UPPER", 1, |call| case(call, |text| text.to_uppercase()))?;
    add("LOWER", 1, |call| case(call, |text| text.to_lowercase()))?;
    add(CONVERT, 2, convert_value)?;
    add(DIVIDE, 2, divide)?;
    add(TRUTH, 1, |call| {
        let truth: Option<bool> = call.get(0)?;
        Ok(truth.map_or(Value::Null, |truth| Value::Text(truth.to_string())))
    })?;
    add("CEIL", 1, |call| rounded(call, f64::ceil))?;
    add("FLOOR", 1, |call| rounded(call, f64::floor))?;
    add("DATE_TRUNC", 2, date_trunc)?;
    add("DATE_PART", 2, date_part)?;
    add("DATEADD", 3, date_add)?;
    add("DATEDIFF", 3, date_diff)
}

/// Reads the error of a function from SQLite's message.
pub(super) fn error_of(message: &str) -> Option<SqlError> {
    let mut parts = message.strip_prefix('\u{1}')?.splitn(3, '|');
    let (code, state) = (parts.next()?, parts.next()?);
    Some(SqlError::new(code, state, parts.next()?))
}

fn fail(error: &SqlError) -> Error {
    let message = format!("\u{1}{}|{}|{}", error.code, error.state, error.message);
    Error::UserFunctionError(message.into())
}

fn case(call: &Context<'_>, change: fn(&str) -> String) -> Result<Value> {
    Ok(match call.get(0)? {
        Value::Text(text) => Value::Text(change(&text)),
        other => other,
    })
}

fn convert_value(call: &Context<'_>) -> Result<Value> {
    let name: String = call.get(0)?;
    let kind = kind_named(&name).ok_or(Error::InvalidFunctionParameterType(0, Type::Text))?;
    converted(kind, call.get(1)?).map_err(|error| fail(&error))
}

fn divide(call: &Context<'_>) -> Result<Value> {
    let (Some(left), Some(right)) = (number(call, 0)?, number(call, 1)?) else {
        return Ok(Value::Null);
    };
    if right == 0.0 {
        return Err(fail(&SqlError::new("100051", "22012", "Division by zero")));
    }
    Ok(Value::Real(left / right))
}

fn rounded(call: &Context<'_>, round: fn(f64) -> f64) -> Result<Value> {
    Ok(number(call, 0)?.map_or(Value::Null, |number| Value::Real(round(number))))
}

fn number(call: &Context<'_>, index: usize) -> Result<Option<f64>> {
    Ok(match call.get(index)? {
        Value::Integer(number) => Some(number.to_string().parse().unwrap_or_default()),
        Value::Real(number) => Some(number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    })
}

/// A date or time in the arguments, and whether it's a date without a time.
fn moment(call: &Context<'_>, index: usize) -> Result<Option<(DateTime, bool)>> {
    let Value::Text(text) = call.get(index)? else {
        return Ok(None);
    };
    match read_moment(&text) {
        Some(moment) => Ok(Some((moment, text.len() <= 10))),
        None => {
            let message = format!("Timestamp '{text}' is not recognized");
            Err(fail(&SqlError::new("100035", "22007", message)))
        }
    }
}

fn of(moment: DateTime, is_date: bool) -> Value {
    Value::Text(if is_date {
        moment.date().to_string()
    } else {
        written(moment)
    })
}

fn unit(call: &Context<'_>) -> Result<Unit> {
    let name: String = call.get(0)?;
    let name = name.to_lowercase();
    Ok(match name.trim_end_matches('s') {
        "year" | "yyyy" | "yy" | "y" => Unit::Year,
        "month" | "mon" | "mm" => Unit::Month,
        "week" | "wk" | "w" => Unit::Week,
        "day" | "dayofmonth" | "dd" | "d" => Unit::Day,
        "hour" | "hh" | "h" => Unit::Hour,
        "minute" | "min" | "mi" | "m" => Unit::Minute,
        "second" | "sec" => Unit::Second,
        _ => {
            let message = format!("unit of time {name}");
            return Err(Error::UserFunctionError(message.into()));
        }
    })
}

fn truncated(moment: DateTime, unit: Unit) -> Option<DateTime> {
    let day = moment.date();
    let start = match unit {
        Unit::Year => day.first_of_year(),
        Unit::Month => day.first_of_month(),
        Unit::Week => {
            let monday = i64::from(day.weekday().to_monday_zero_offset());
            day.checked_sub(monday.days()).ok()?
        }
        _ => day,
    };
    let with = moment.with().subsec_nanosecond(0);
    match unit {
        Unit::Hour => with.minute(0).second(0).build().ok(),
        Unit::Minute => with.second(0).build().ok(),
        Unit::Second => with.build().ok(),
        _ => Some(start.to_datetime(jiff::civil::Time::midnight())),
    }
}

fn date_trunc(call: &Context<'_>) -> Result<Value> {
    let unit = unit(call)?;
    let Some((moment, is_date)) = moment(call, 1)? else {
        return Ok(Value::Null);
    };
    Ok(truncated(moment, unit).map_or(Value::Null, |start| of(start, is_date)))
}

fn date_part(call: &Context<'_>) -> Result<Value> {
    let unit = unit(call)?;
    let Some((moment, _)) = moment(call, 1)? else {
        return Ok(Value::Null);
    };
    Ok(Value::Integer(match unit {
        Unit::Year => i64::from(moment.year()),
        Unit::Month => i64::from(moment.month()),
        Unit::Week => i64::from(moment.date().iso_week_date().week()),
        Unit::Day => i64::from(moment.day()),
        Unit::Hour => i64::from(moment.hour()),
        Unit::Minute => i64::from(moment.minute()),
        _ => i64::from(moment.second()),
    }))
}

fn date_add(call: &Context<'_>) -> Result<Value> {
    let unit = unit(call)?;
    let amount: Option<i64> = call.get(1)?;
    let (Some(amount), Some((moment, is_date))) = (amount, moment(call, 2)?) else {
        return Ok(Value::Null);
    };
    let span = match unit {
        Unit::Year => Span::new().try_years(amount),
        Unit::Month => Span::new().try_months(amount),
        Unit::Week => Span::new().try_weeks(amount),
        Unit::Day => Span::new().try_days(amount),
        Unit::Hour => Span::new().try_hours(amount),
        Unit::Minute => Span::new().try_minutes(amount),
        _ => Span::new().try_seconds(amount),
    };
    let later = span.and_then(|span| moment.checked_add(span));
    let keeps_date = is_date && unit >= Unit::Day;
    Ok(later.map_or(Value::Null, |later| of(later, keeps_date)))
}

/// How many boundaries of the unit are between two times.
fn date_diff(call: &Context<'_>) -> Result<Value> {
    let unit = unit(call)?;
    let (Some((from, _)), Some((to, _))) = (moment(call, 1)?, moment(call, 2)?) else {
        return Ok(Value::Null);
    };
    let months = |moment: DateTime| i64::from(moment.year()) * 12 + i64::from(moment.month());
    let seconds = |unit_seconds: i64| {
        let (from, to) = (truncated(from, unit), truncated(to, unit));
        let between = from.zip(to).map(|(from, to)| to.duration_since(from));
        between.map_or(0, |between| between.as_secs() / unit_seconds)
    };
    Ok(Value::Integer(match unit {
        Unit::Year => i64::from(to.year()) - i64::from(from.year()),
        Unit::Month => months(to) - months(from),
        Unit::Week => seconds(604_800),
        Unit::Day => seconds(86_400),
        Unit::Hour => seconds(3600),
        Unit::Minute => seconds(60),
        _ => seconds(1),
    }))
}

/// Functions that SQLite has under the same name, or that are added to it.
const SAME: [&str; 3] = [
    "AVG COUNT DENSE_RANK FIRST_VALUE GROUP_CONCAT LAG LAST_VALUE LEAD MAX MIN NTILE RANK ROW_NUMBER SUM",
    "ABS CEIL COALESCE DATEADD DATEDIFF DATE_PART DATE_TRUNC FLOOR IFNULL IIF NULLIF ROUND SIGN",
    "INSTR LENGTH LOWER LTRIM REPLACE RTRIM SUBSTR SUBSTRING TRIM UPPER",
];

/// Functions that SQLite has under another name.
const RENAMED: &str = "ANY_VALUE=MIN GREATEST=MAX IFF=IIF LEAST=MIN LEN=LENGTH NVL=IFNULL";

/// Functions of one argument that convert it to a type.
const CONVERSIONS: &str = "DATE=DATE TO_CHAR=TEXT TO_DATE=DATE TO_NUMBER=NUMBER TO_TIMESTAMP=TIMESTAMP \
    TO_TIMESTAMP_NTZ=TIMESTAMP TO_VARCHAR=TEXT";

/// Parts of a time that have their own functions.
const PARTS: [&str; 7] = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"];

impl Translator<'_> {
    /// The SQLite expression for a function with translated arguments. `None` if the function stays.
    pub(super) fn function(&mut self, function: &mut Function) -> Result<Option<Expr>, SqlError> {
        let name = function.name.to_string().to_uppercase();
        let said = |value: Option<&str>| match value {
            Some(value) => constant(value),
            None => Expr::Value(Literal::Null.into()),
        };
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            window.order_by.iter_mut().for_each(nulls_are_highest);
        }
        if SAME
            .iter()
            .any(|same| same.split(' ').any(|same| same == name))
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

/// In `DATEADD(day, 1, x)`, `day` is a word and not a column.
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

/// Converts a value to a type.
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
    Expr::Value(Literal::SingleQuotedString(text.to_owned()).into())
}

/// A text constant with any letters. sqlparser's writer mistakes some quotes for escaped ones.
pub(super) fn constant(text: &str) -> Expr {
    let hex = crate::shared::hex(text.as_bytes());
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(Literal::HexStringLiteral(hex).into())),
        data_type: DataType::Text,
        array: false,
        format: None,
    }
}

pub(super) fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Value(Literal::Null.into()))
}

/// Snowflake sorts NULL above all values, and SQLite below them.
pub(super) fn nulls_are_highest(key: &mut OrderByExpr) {
    let descending = key.options.asc == Some(false);
    key.options.nulls_first.get_or_insert(descending);
}
