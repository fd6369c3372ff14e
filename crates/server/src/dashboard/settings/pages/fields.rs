//! The fields of a form. Kind, hint and requiredness of an input follow from the schema of the operation's body.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    environment::Environment,
    error::{Violation, Violations},
};

use super::{
    action::{Action, Form as Asks},
    input::{Input, Options, separated},
    member::{label, text},
    resource::Resource,
};
use crate::dashboard::{
    form::Form,
    schema::{Kind, kind, members},
};

/// An input of a form, with its schema.
struct Asked<'s> {
    name: &'s str,
    input: Option<&'s Input>,
    schema: &'s Value,
    is_required: bool,
}

/// The inputs of an action's form for one resource.
fn asked<'s>(resource: &'s Resource, action: &'s Action, schema: &'s Value) -> Vec<Asked<'s>> {
    let declared = match action.inputs.as_slice() {
        [] if action.form == Asks::Question => return Vec::new(),
        [] => &resource.inputs,
        inputs => inputs,
    };
    let mut members = members(schema);
    members.retain(|member| action.sends.get(member.name).is_none());
    if declared.is_empty() {
        // A form can't ask for members of members.
        members.retain(|one| !matches!(kind(one.schema, 0), Kind::Group(_) | Kind::Json));
        let all = members.into_iter().map(|member| Asked {
            name: member.name,
            input: None,
            schema: member.schema,
            is_required: member.is_required,
        });
        return all.collect();
    }
    let declared = declared.iter().filter_map(|input| {
        let member = members.iter().find(|member| member.name == input.name)?;
        Some(Asked {
            name: input.name,
            input: Some(input),
            schema: member.schema,
            is_required: member.is_required || input.required,
        })
    });
    declared.collect()
}

/// An input as a template shows it.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    name: String,
    label: String,
    hint: String,
    /// `text`, `url`, `email`, `number`, `datetime-local`, `flag`, `choice`, `checks` or `list`.
    kind: &'static str,
    placeholder: &'static str,
    required: bool,
    value: Value,
    options: Value,
    template: Option<&'static str>,
}

/// The fields of an action's form. `given` are the values to show, and `one` is the resource, if there is one.
pub(super) async fn fields(
    environment: &Environment,
    resource: &Resource,
    action: &Action,
    one: &Value,
    given: Option<&Value>,
) -> Result<Vec<Field>, Error> {
    let schema = (action.operation.body)();
    let mut fields = Vec::new();
    for asked in asked(resource, action, &schema) {
        let default = Input::of("");
        let input = asked.input.unwrap_or(&default);
        if !(input.when)(one) {
            continue;
        }
        let options = match input.options {
            Options::OfSchema => words(asked.schema, asked.is_required),
            Options::Fixed(options) => json!(options),
            Options::Loaded(load) => load(environment).await?,
        };
        let has_options = options.as_array().is_some_and(|all| !all.is_empty());
        if matches!(input.options, Options::Loaded(_)) && !has_options {
            continue;
        }
        let value = match given {
            Some(given) => given[asked.name].clone(),
            None if action.is_change() => one[asked.name].clone(),
            None => input.initial.clone(),
        };
        fields.push(Field {
            label: match input.label {
                "" => label(asked.name),
                label => label.to_owned(),
            },
            hint: match input.hint {
                "" => text(&asked.schema["description"]),
                hint => hint.to_owned(),
            },
            kind: match kind(asked.schema, 0) {
                Kind::Flag => "flag",
                Kind::List(_) if has_options => "checks",
                Kind::List(_) => "list",
                _ if has_options => "choice",
                Kind::Number => "number",
                Kind::Formatted("date-time") => "datetime-local",
                Kind::Formatted("uri") => "url",
                _ => match asked.name {
                    "url" => "url",
                    "email" => "email",
                    _ => "text",
                },
            },
            placeholder: input.placeholder,
            required: asked.is_required,
            value,
            options,
            template: input.template,
            name: asked.name.to_owned(),
        });
    }
    Ok(fields)
}

/// The words of a schema as options, and none if that's possible.
fn words(schema: &Value, is_required: bool) -> Value {
    let Kind::Choice(words) = kind(schema, 0) else {
        return Value::Null;
    };
    let none = (!is_required).then_some(("", String::from("—")));
    let words = words.into_iter().map(|word| (word, label(word)));
    json!(none.into_iter().chain(words).collect::<Vec<_>>())
}

/// The body from a form, and its faults.
pub(super) fn body(
    resource: &Resource,
    action: &Action,
    form: &Form,
) -> (Value, Result<(), Error>) {
    let schema = (action.operation.body)();
    let mut body = action.sends.as_object().cloned().unwrap_or_default();
    let mut violations = Violations::default();
    let asked = match action.form {
        Asks::None => Vec::new(),
        _ => asked(resource, action, &schema),
    };
    for one in asked {
        if let Some(value) = value(&one, form, action.is_change(), &mut violations) {
            body.insert(one.name.to_owned(), value);
        }
    }
    let is_valid = match violations.is_empty() {
        true => Ok(()),
        false => Err(Error::invalid(violations.into_list())),
    };
    (Value::Object(body), is_valid)
}

/// The value of an input. `None` if it's omitted.
fn value(
    asked: &Asked<'_>,
    form: &Form,
    is_change: bool,
    violations: &mut Violations,
) -> Option<Value> {
    let kind = kind(asked.schema, 0);
    let given = form.text(asked.name);
    let read = match (asked.input.and_then(|input| input.read), &kind) {
        (Some(read), _) => Some(read(form)),
        (None, Kind::Flag) => return Some(Value::Bool(given.is_some())),
        (None, Kind::List(_)) => Some(items(asked, form).into()),
        (None, _) => given.map(Value::from),
    };
    let is_empty = read
        .as_ref()
        .is_none_or(|value| *value == Value::Array(Vec::new()));
    if is_empty {
        let empty = match (asked.input.map(|input| &input.empty), kind) {
            (Some(empty), _) if is_change && !empty.is_null() => Some(empty.clone()),
            (_, Kind::List(_)) => Some(Value::Array(Vec::new())),
            (_, Kind::Number | Kind::Formatted(_)) => None,
            _ => Some(Value::from("")),
        };
        return empty.filter(|_| is_change || asked.is_required);
    }
    let text = given.unwrap_or_default();
    let checked = match kind {
        Kind::Number => text
            .parse::<u64>()
            .map(Value::from)
            .map_err(|_| "Enter a whole number."),
        Kind::Formatted("date-time") => match moment(text) {
            Some(moment) => Ok(Value::from(moment)),
            None => Err("Enter a date and a time, in UTC."),
        },
        _ => return read,
    };
    match checked {
        Ok(value) => Some(value),
        Err(message) => {
            violations.push(Violation::new(format!("/{}", asked.name), "type", message));
            read
        }
    }
}

/// The items of a list: the ticked ones, or otherwise comma-separated words.
fn items(asked: &Asked<'_>, form: &Form) -> Vec<String> {
    let given = form.all(asked.name);
    match asked.input.map(|input| input.options) {
        Some(Options::Fixed(_) | Options::Loaded(_)) => given,
        _ => separated(&given.join(",")),
    }
}

/// The value of a browser's field for a date and a time, in UTC.
fn moment(text: &str) -> Option<String> {
    let text = format!("{}Z", text.trim_end_matches('Z'));
    let moment: Timestamp = text.parse().ok()?;
    Some(moment.to_string())
}
