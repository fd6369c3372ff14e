//! Functions that Snowflake has and SQLite does not, or has otherwise.

use jiff::{Span, ToSpan as _, Unit, civil::DateTime};
use rusqlite::{
    Connection, Error, Result,
    functions::{Context, FunctionFlags},
    types::{Type, Value},
};

use super::values::{converted, kind_named, read_moment, written};
use crate::warehouse::errors::SqlError;

/// Converts a value to a type: `STEAD_AS('DATE', x)`.
pub(super) const CONVERT: &str = "STEAD_AS";
/// Divides as Snowflake does: with decimals, and not by zero.
pub(super) const DIVIDE: &str = "STEAD_DIVIDE";

/// `true` or `false` for a truth.
pub(super) const TRUTH: &str = "STEAD_TRUTH";

/// Adds them to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let add = |name, arguments, function: fn(&Context<'_>) -> Result<Value>| {
        connection.create_scalar_function(name, arguments, flags, function)
    };
    add("UPPER", 1, |call| case(call, |text| text.to_uppercase()))?;
    add("LOWER", 1, |call| case(call, |text| text.to_lowercase()))?;
    add(CONVERT, 2, convert)?;
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

/// The error that a function gave, from SQLite's message.
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

fn convert(call: &Context<'_>) -> Result<Value> {
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

/// A moment among the arguments, and whether it is a date without a time.
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

/// How many borders of the unit lie between two moments.
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
