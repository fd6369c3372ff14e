//! The input of a typed call.

use serde_json::Value;

use super::Tool;
use crate::{Error, ErrorKind, Result};

/// Converts a tool's struct to the JSON input of a call. Absent parameters are omitted. A nested `null` stays, because
/// it has a meaning for the product.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] if the struct can't be written as JSON.
pub fn input_of<T: Tool>(tool: &T) -> Result<Value> {
    let mut input = serde_json::to_value(tool).map_err(|error| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the input of {} can't be written as JSON", T::NAME),
        )
        .with_source(error)
    })?;
    if let Value::Object(parameters) = &mut input {
        parameters.retain(|_, parameter| !parameter.is_null());
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Map, json};

    use super::*;
    use crate::tool::{Call, Effect, Io, Output};

    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct SetDates {
        dates: Map<String, Value>,
        note: Option<String>,
    }

    impl Tool for SetDates {
        const NAME: &'static str = "notes_set_dates";
        const EFFECT: Effect = Effect::Write;
        type Output = Value;
        async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
            Ok(Value::Null.into())
        }
    }

    #[test]
    fn an_absent_parameter_is_left_out_and_a_null_below_one_stays() {
        let Value::Object(dates) = json!({ "due": { "date": null }, "done": null, "all": [null] })
        else {
            unreachable!()
        };
        let input = input_of(&SetDates {
            dates: dates.clone(),
            note: None,
        });
        assert_eq!(input.unwrap(), json!({ "dates": dates }));
    }
}
