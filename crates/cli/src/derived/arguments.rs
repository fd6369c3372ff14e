//! The arguments of a command, from the path, the query and the body of its operation.
//!
//! Members of the path are positional. Every other member is an option: `max_bytes` is `--max-bytes`. A list is an option
//! that repeats, and an object is given as JSON. An operation that takes a secret needs a command by hand, because every
//! user of the machine can read a command line.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, builder::PossibleValuesParser};
use serde_json::{Map, Number, Value};
use stead_core::{
    api::{Form, Given, Operation, Parameter, Query, QueryWriter},
    tool::schema_of,
};

use crate::{
    Globals,
    exit::Exit,
    failure::{Failure, Outcome},
    target::Target,
};

/// Parameters of a list's pages. A command reads all pages.
const PAGES: &[&str] = &["page_token", "page_size"];

#[derive(Debug)]
pub(super) struct Arguments {
    path: &'static [&'static str],
    query: Vec<Parameter>,
    body: Option<Vec<Member>>,
}

/// A member of a body.
#[derive(Debug)]
struct Member {
    name: String,
    help: String,
    required: bool,
    nullable: bool,
    kind: Kind,
}

/// How a member's value is written on a command line.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Word(Vec<String>),
    Flag,
    Number,
    /// An option that repeats.
    List(Box<Self>),
    /// Anything else.
    Json,
}

impl Arguments {
    pub(super) fn of<O: Operation>() -> Self {
        let query = O::parameters().into_iter().flatten().copied();
        Self {
            path: O::INFO.path_members,
            query: query.filter(|one| !PAGES.contains(&one.name)).collect(),
            body: O::INFO
                .has_body
                .then(|| members(&schema_of::<O::Body>().to_value())),
        }
    }

    /// The pointer of each member in a request, and its argument.
    pub(super) fn by_pointer(&self) -> Vec<(String, String)> {
        let path = self
            .path
            .iter()
            .map(|name| (format!("/{name}"), name.to_uppercase()));
        let query = self.query.iter().map(|one| one.name);
        let body = self.body.iter().flatten().map(|one| one.name.as_str());
        let options = query.chain(body);
        let options = options.map(|name| (format!("/{name}"), format!("--{}", option_name(name))));
        path.chain(options).collect()
    }

    /// The arguments in the form that clap reads.
    pub(super) fn to_clap(&self) -> Vec<Arg> {
        let path = self.path.iter().map(|name| {
            Arg::new(*name)
                .value_name(name.to_uppercase())
                .help(help_of_path(name))
                .required(true)
        });
        let query = self.query.iter().map(|one| {
            let kind = match one.form {
                Form::Texts => Kind::List(Box::new(Kind::Text)),
                Form::Flag => Kind::Flag,
                Form::Words(words) => Kind::Word(words.iter().map(ToString::to_string).collect()),
                Form::Number(..) => Kind::Number,
                _ => Kind::Text,
            };
            option(&option_name(one.name), one.description, one.required, &kind)
        });
        let body = self.body.iter().flatten();
        let body =
            body.map(|one| option(&option_name(&one.name), &one.help, one.required, &one.kind));
        path.chain(query).chain(body).collect()
    }

    /// The operation that a command line means.
    pub(super) fn read<O: Operation>(&self, matches: &ArgMatches) -> Outcome<O> {
        let path = self
            .path
            .iter()
            .map(|name| text(matches, name).unwrap_or_default());
        let mut query = QueryWriter::default();
        for one in &self.query {
            let given = matches
                .get_raw(&option_name(one.name))
                .into_iter()
                .flatten();
            for value in given {
                query.text(one.name, Some(&value.to_string_lossy()));
            }
        }
        let mut query = Query::read(query.as_str().trim_start_matches('?'));
        let body = self.body.as_ref().map(|members| body(members, matches));
        let body = body.transpose()?.map(|body| {
            serde_json::from_value(body).map_err(|error| {
                Failure::new(
                    Exit::Input,
                    error.to_string(),
                    "`--help` says what each option expects.",
                )
            })
        });
        Ok(O::read(Given {
            path: path.collect(),
            query: &mut query,
            body: body.transpose()?,
        })?)
    }
}

/// The body that the options give.
fn body(members: &[Member], matches: &ArgMatches) -> Outcome<Value> {
    let mut body = Map::new();
    for member in members {
        let option = option_name(&member.name);
        let given = matches.get_raw(&option).into_iter().flatten();
        let given: Vec<String> = given
            .map(|text| text.to_string_lossy().into_owned())
            .collect();
        let Some(first) = given.first() else {
            continue;
        };
        let value = match &member.kind {
            Kind::List(item) => {
                let items = given.iter().map(|text| value(&option, text, item));
                Value::Array(items.collect::<Outcome<_>>()?)
            }
            _ if first.is_empty() && member.nullable => Value::Null,
            kind => value(&option, first, kind)?,
        };
        body.insert(member.name.clone(), value);
    }
    Ok(Value::Object(body))
}

/// The option of a member. A member must not hide an option of every command: a webhook's `url` is `--new-url`.
fn option_name(member: &str) -> String {
    static TAKEN: LazyLock<Vec<String>> = LazyLock::new(|| {
        let every = [
            Target::augment_args(Command::new("")),
            Globals::augment_args(Command::new("")),
        ];
        let options = every.iter().flat_map(Command::get_arguments);
        options
            .filter_map(Arg::get_long)
            .map(str::to_owned)
            .collect()
    });
    let name = member.replace('_', "-");
    match TAKEN.contains(&name) {
        true => format!("new-{name}"),
        false => name,
    }
}

/// The help of a member of the path, from its name.
fn help_of_path(name: &str) -> String {
    let words = name.replace('_', " ");
    match (words.strip_suffix(" id"), words.strip_suffix(" name")) {
        (Some(of), _) => format!("ID of the {of}"),
        (_, Some(of)) => format!("Name of the {of}"),
        _ => format!("The {words}"),
    }
}

fn option(name: &str, help: &str, required: bool, kind: &Kind) -> Arg {
    let option = Arg::new(name.to_owned())
        .long(name.to_owned())
        .help(
            help.replace('\n', " ")
                .trim()
                .trim_end_matches('.')
                .to_owned(),
        )
        .required(required);
    valued(option, name, kind)
}

fn valued(option: Arg, name: &str, kind: &Kind) -> Arg {
    match kind {
        Kind::Text => option.value_name(value_name(name)),
        Kind::Json => option.value_name("JSON"),
        Kind::Word(words) => option
            .value_name(value_name(name))
            .value_parser(PossibleValuesParser::new(words)),
        // `--disabled` means true, and `--disabled=false` is possible.
        Kind::Flag => option
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(["true", "false"]),
        Kind::Number => option
            .value_name("NUMBER")
            .allow_negative_numbers(true)
            .value_parser(number),
        Kind::List(item) => valued(option, name, item).action(ArgAction::Append),
    }
}

/// The name that stands for an option's value in the help.
fn value_name(option: &str) -> String {
    option.replace('-', "_").to_uppercase()
}

/// Accepts a number in JSON's form, and keeps its text.
fn number(text: &str) -> Result<String, String> {
    let number: Result<Number, _> = text.parse();
    number.map_err(|_| String::from("expected a number"))?;
    Ok(text.to_owned())
}

/// The members of an object's schema.
fn members(schema: &Value) -> Vec<Member> {
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let members = properties.map(|(name, schema)| Member {
        help: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        required: required.is_some_and(|all| all.iter().any(|one| one == name)),
        nullable: types(schema).contains(&"null"),
        kind: kind(schema),
        name: name.clone(),
    });
    members.collect()
}

/// All types that a value of this schema may have.
fn types(schema: &Value) -> Vec<&str> {
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().flat_map(types).collect();
    }
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kind(schema: &Value) -> Kind {
    if let Some(any) = schema["anyOf"].as_array() {
        let mut kinds = any.iter().filter(|one| one["type"] != "null").map(kind);
        return match (kinds.next(), kinds.next()) {
            (Some(only), None) => only,
            _ => Kind::Json,
        };
    }
    let words = schema["enum"].as_array().into_iter().flatten();
    let words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    let mut types = types(schema);
    types.retain(|one| *one != "null");
    match types.as_slice() {
        ["string"] if !words.is_empty() => Kind::Word(words),
        ["string"] => Kind::Text,
        ["boolean"] => Kind::Flag,
        ["integer" | "number"] => Kind::Number,
        ["array"] => match kind(&schema["items"]) {
            Kind::List(_) | Kind::Json => Kind::Json,
            item => Kind::List(Box::new(item)),
        },
        _ => Kind::Json,
    }
}

fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    let mut raw = matches.get_raw(name)?;
    raw.next().map(|text| text.to_string_lossy().into_owned())
}

fn value(name: &str, text: &str, kind: &Kind) -> Outcome<Value> {
    let json = || {
        serde_json::from_str(text).map_err(|error| {
            Failure::new(
                Exit::Input,
                format!("--{name} isn't valid JSON: {error}"),
                "Put the JSON into single quotes, so that the shell doesn't change it.",
            )
        })
    };
    Ok(match kind {
        Kind::Text | Kind::Word(_) => text.into(),
        Kind::Flag => (text == "true").into(),
        Kind::Number | Kind::Json => json()?,
        Kind::List(item) => value(name, text, item)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_kind_follows_from_the_schema() {
        for (schema, expected) in [
            (json!({ "type": "string" }), Kind::Text),
            (json!({ "type": ["string", "null"] }), Kind::Text),
            (json!({ "type": "boolean" }), Kind::Flag),
            (
                json!({ "type": ["integer", "null"], "minimum": 0 }),
                Kind::Number,
            ),
            (json!({ "type": "object" }), Kind::Json),
            (
                json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] }),
                Kind::Word(vec![String::from("a")]),
            ),
            (
                json!({ "type": "array", "items": { "type": "string" } }),
                Kind::List(Box::new(Kind::Text)),
            ),
            (
                json!({ "type": "array", "items": { "type": "object" } }),
                Kind::Json,
            ),
        ] {
            assert_eq!(kind(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_body_has_only_the_given_members() {
        let arguments = Arguments {
            path: &[],
            query: Vec::new(),
            body: Some(members(&json!({
                "properties": {
                    "text": { "type": ["string", "null"] },
                    "absent": { "type": "string" },
                    "number": { "type": "integer" },
                    "enabled": { "type": "boolean" },
                    "list": { "type": "array", "items": { "type": "string" } },
                    "object": { "type": "object" },
                    "url": { "type": "string" },
                },
            }))),
        };
        let line = "test --text= --number 12345678901234567890 --enabled=false --list a --list b --new-url u";
        let mut line: Vec<&str> = line.split(' ').collect();
        line.extend(["--object", r#"{"a": 1}"#]);
        let command = Command::new("test").args(arguments.to_clap());
        let matches = command.get_matches_from(line);
        let members = arguments.body.as_deref().unwrap();
        assert_eq!(
            body(members, &matches).unwrap(),
            json!({
                "text": null,
                "number": 12_345_678_901_234_567_890_u64,
                "enabled": false,
                "list": ["a", "b"],
                "object": { "a": 1 },
                "url": "u",
            })
        );
    }
}
