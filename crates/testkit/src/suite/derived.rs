//! Cases that follow from a tool's schema. For each keyword at each place, there's an input that violates only it.
//! There are also inputs in another form with the same meaning. So the fixtures' cases can show the tool's behavior,
//! and don't have to repeat its schema.

use serde_json::{Value, json};
use stead_core::{
    ErrorKind,
    catalogue::CatalogueTool,
    schema::{InputSchema, VERSION_PARAMETERS},
};

use super::Subject;
use crate::replay::{parse, rewrite};

/// Any useful pattern refuses at least one of these strings.
const UNLIKELY: &[&str] = &["", " ", "\0", "no match!", "0", "a/b", "-"];
/// A text that no schema has as a member or as a value of an enum.
const UNKNOWN: &str = "no_such_value";

/// Inputs that differ from a valid one at one place.
#[derive(Debug)]
pub(crate) struct Derived {
    /// JSON pointer of the place.
    pub(crate) pointer: String,
    /// The keyword that the inputs break, or the form that they have.
    pub(crate) rule: &'static str,
    inputs: Vec<Value>,
    /// The input that they all mean. `None` if the schema refuses them.
    meaning: Option<Value>,
}

impl Derived {
    /// The keyword that the refusal names. `None` if the schema accepts the inputs.
    pub(crate) fn keyword(&self) -> Option<&'static str> {
        let refused = self.meaning.is_none();
        refused.then_some(if self.rule == "null" {
            "type"
        } else {
            self.rule
        })
    }

    /// Differences between the tool's refusals and its schema.
    pub(super) fn faults(&self, tool: &CatalogueTool) -> Vec<String> {
        let inputs = self.inputs.iter();
        let fault = |input| match &self.meaning {
            Some(meaning) => self.misread(tool, input, meaning),
            None => self.fault(tool, input),
        };
        let mut faults: Vec<String> = inputs.filter_map(fault).collect();
        if self.inputs.is_empty() {
            faults.push(format!(
                "no input breaks {} at {:?}",
                self.rule, self.pointer
            ));
        }
        faults
    }

    fn fault(&self, tool: &CatalogueTool, input: &Value) -> Option<String> {
        let at = input.pointer(&self.pointer);
        let Err(error) = parse(tool, input.clone()) else {
            return Some(format!(
                "{:?} is {at:?}, which breaks {}: not refused",
                self.pointer, self.rule
            ));
        };
        let violations = error.violation_list();
        let keyword = self.keyword().unwrap_or_default();
        let named = violations.iter().any(|one| {
            one.path == self.pointer && one.keyword == keyword && !one.message.is_empty()
        });
        let only = violations
            .iter()
            .all(|one| one.path.starts_with(&self.pointer));
        (!named || !only || error.kind() != ErrorKind::SchemaViolation).then(|| {
            format!(
                "{:?} is {at:?}: expected a refusal there for {keyword}, found {violations:?}",
                self.pointer
            )
        })
    }

    /// The difference between the parsed struct and the one that's meant. Equal structs send equal requests.
    fn misread(&self, tool: &CatalogueTool, input: &Value, meaning: &Value) -> Option<String> {
        let (read, meant) = (rewrite(tool, input.clone()), rewrite(tool, meaning.clone()));
        let same = matches!((&read, &meant), (Ok(read), Ok(meant)) if read == meant);
        (!same).then(|| {
            let at = input.pointer(&self.pointer);
            let (pointer, rule) = (&self.pointer, self.rule);
            format!("{pointer:?} is {at:?} ({rule}): expected {meant:?}, found {read:?}")
        })
    }
}

/// All cases that follow from a tool's schema.
///
/// # Errors
/// One line for each place without an input: no case has a value there, and this can't make one up.
pub(crate) fn derive(subject: &Subject, tool: &CatalogueTool) -> Result<Vec<Derived>, Vec<String>> {
    let schema = tool.schema().map_err(|error| vec![error.to_string()])?;
    let valid = |input: &Value| {
        let mut input = input.clone();
        schema.validate(&mut input).is_ok().then_some(input)
    };
    let cases = subject.cases_of(tool.entry().name()).iter();
    let mut bases: Vec<Value> = cases.filter_map(|case| valid(&case.input)).collect();
    bases.extend(valid(&sample(schema.schema())));
    if bases.is_empty() {
        return Err(vec![String::from(
            "no case has an input that the schema takes",
        )]);
    }
    let mut found = Walk {
        schema,
        cases: Vec::new(),
        faults: Vec::new(),
    };
    found.node(schema.schema(), "", &bases);
    if found.faults.is_empty() {
        Ok(found.cases)
    } else {
        Err(found.faults)
    }
}

struct Walk<'a> {
    schema: &'a InputSchema,
    cases: Vec<Derived>,
    faults: Vec<String>,
}

impl Walk<'_> {
    /// Adds the cases of a node and of all nodes below it. Every base has a value at `pointer`.
    fn node(&mut self, node: &Value, pointer: &str, bases: &[Value]) {
        let Some(base) = bases.first() else {
            let fault = format!("{pointer:?}: no case has a value there, and none can be made up");
            self.faults.push(fault);
            return;
        };
        if !pointer.is_empty() {
            self.types(node, pointer, base);
        }
        for (rule, values) in breaches(node, base.pointer(pointer)) {
            self.add(
                pointer,
                rule,
                values
                    .iter()
                    .map(|value| with(base, pointer, value))
                    .collect(),
            );
        }
        for rule in ["pattern", "anyOf"] {
            if node.get(rule).is_some() {
                let texts = UNLIKELY.iter().map(|text| json!(text));
                let values = texts.chain([json!({}), json!([]), json!(true), json!(0.5)]);
                let inputs = values.map(|value| with(base, pointer, &value));
                self.add(
                    pointer,
                    rule,
                    inputs
                        .filter(|input| self.breaks(pointer, rule, input))
                        .collect(),
                );
            }
        }
        if let Some(required) = node["required"].as_array() {
            for name in required.iter().filter_map(Value::as_str) {
                let absent = without(base, pointer, name);
                self.add(&format!("{pointer}/{name}"), "required", vec![absent]);
            }
        }
        if node["additionalProperties"] == false {
            let more = format!("{pointer}/{UNKNOWN}");
            let input = with(base, &more, &json!(true));
            self.add(&more, "additionalProperties", vec![input]);
        }
        for (name, child) in node["properties"].as_object().into_iter().flatten() {
            if !VERSION_PARAMETERS.contains(&name.as_str()) {
                let place = format!("{pointer}/{name}");
                self.child(child, &place, bases);
                let mut required = node["required"].as_array().into_iter().flatten();
                if required.any(|one| one == name) {
                    self.null_is_refused(child, &place, base);
                } else {
                    let absent = without(base, pointer, name);
                    self.means(&place, "null", &absent, with(&absent, &place, &Value::Null));
                }
            }
        }
        if node["items"].is_object() {
            let place = format!("{pointer}/0");
            self.child(&node["items"], &place, bases);
            self.null_is_refused(&node["items"], &place, base);
        }
    }

    /// Adds the cases of a place below. The bases are the inputs that have it, or the first one with a made-up value.
    fn child(&mut self, node: &Value, pointer: &str, bases: &[Value]) {
        let mut having: Vec<Value> = bases
            .iter()
            .filter(|base| base.pointer(pointer).is_some_and(|value| !value.is_null()))
            .cloned()
            .collect();
        if having.is_empty() {
            let made_up = bases.first().map(|base| with(base, pointer, &sample(node)));
            having.extend(made_up.filter(|input| self.schema.validate(&mut input.clone()).is_ok()));
        }
        self.node(node, pointer, &having);
    }

    fn null_is_refused(&mut self, node: &Value, pointer: &str, base: &Value) {
        if !node["type"].is_null() && !takes(node, "null") {
            self.add(pointer, "null", vec![with(base, pointer, &Value::Null)]);
        }
    }

    fn types(&mut self, node: &Value, pointer: &str, base: &Value) {
        // A single text is accepted as a list of texts.
        let takes =
            |kind: &str| takes(node, kind) || (kind == "string" && takes(&node["items"], kind));
        if !node["type"].is_null() {
            let wrong = [
                ("string", json!(UNKNOWN)),
                ("boolean", json!(true)),
                ("number", json!(0.5)),
                ("array", json!([])),
                ("object", json!({})),
            ];
            let wrong = wrong.into_iter().filter(|(kind, _)| !takes(kind));
            self.add(
                pointer,
                "type",
                wrong
                    .map(|(_, value)| with(base, pointer, &value))
                    .collect(),
            );
            self.forms(node, pointer, base);
        }
    }

    /// Adds the value in other forms that models and languages write.
    fn forms(&mut self, node: &Value, pointer: &str, base: &Value) {
        let Some(value) = base.pointer(pointer) else {
            return;
        };
        match value.as_str() {
            None => {
                let text = json!(format!(" {value} "));
                self.means(pointer, "text", base, with(base, pointer, &text));
            }
            Some(word) if node.get("enum").is_some() => {
                let swapped: String = word.chars().map(swap_case).collect();
                let spelled = json!(format!(" {swapped} "));
                self.means(pointer, "case", base, with(base, pointer, &spelled));
            }
            Some(_) => {
                let (digits, number) = (with(base, pointer, &json!("7")), json!(7));
                if self.schema.validate(&mut digits.clone()).is_ok() {
                    self.means(pointer, "digits", &digits, with(base, pointer, &number));
                }
            }
        }
    }

    /// Whether the schema refuses the input because of this rule. A string that breaks a pattern can't be computed.
    fn breaks(&self, pointer: &str, rule: &str, input: &Value) -> bool {
        let refused = self.schema.validate(&mut input.clone()).err();
        refused.is_some_and(|error| {
            error
                .violation_list()
                .iter()
                .any(|one| one.path == pointer && one.keyword == rule)
        })
    }

    fn add(&mut self, pointer: &str, rule: &'static str, mut inputs: Vec<Value>) {
        // An empty text for an optional parameter counts as absent.
        let name = pointer.strip_prefix('/').unwrap_or_default();
        let required = self.schema.schema()["required"].as_array();
        let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
        if rule == "minLength" && !is_required && inputs[0][name] == "" {
            let input = inputs.remove(0);
            let mut absent = input.clone();
            absent.as_object_mut().map(|members| members.remove(name));
            return self.means(pointer, "empty", &absent, input);
        }
        self.cases.push(Derived {
            pointer: pointer.to_owned(),
            rule,
            inputs,
            meaning: None,
        });
    }

    fn means(&mut self, pointer: &str, rule: &'static str, meaning: &Value, input: Value) {
        self.cases.push(Derived {
            pointer: pointer.to_owned(),
            rule,
            inputs: vec![input],
            meaning: Some(meaning.clone()),
        });
    }
}

fn takes(node: &Value, kind: &str) -> bool {
    match &node["type"] {
        Value::Array(several) => several.iter().any(|one| one == kind),
        one => one == kind,
    }
}

fn swap_case(c: char) -> char {
    if c.is_lowercase() {
        c.to_ascii_uppercase()
    } else {
        c.to_ascii_lowercase()
    }
}

/// Values that break a node's own keywords. `now` is a valid value.
fn breaches(node: &Value, now: Option<&Value>) -> Vec<(&'static str, Vec<Value>)> {
    let mut found = Vec::new();
    let text = |length: u64| json!("x".repeat(usize::try_from(length).unwrap_or_default()));
    let item = || {
        now.and_then(|now| now.get(0))
            .cloned()
            .unwrap_or_else(|| sample(&node["items"]))
    };
    let list = |length: u64| (0..length).map(|_| item()).collect::<Value>();
    let shifted = |bound: &Value, by: i64| match bound.as_i64() {
        Some(bound) => json!(bound.saturating_add(by)),
        #[expect(clippy::cast_precision_loss, reason = "by one")]
        None => json!(bound.as_f64().unwrap_or_default() + by as f64),
    };
    let mut add = |rule, values| found.push((rule, values));
    for (rule, by) in [
        ("minimum", -1),
        ("maximum", 1),
        ("exclusiveMinimum", 0),
        ("exclusiveMaximum", 0),
    ] {
        if let Some(bound) = node.get(rule) {
            add(rule, vec![shifted(bound, by)]);
        }
    }
    let count = |keyword: &str| node[keyword].as_u64();
    if let Some(least) = count("minLength").filter(|least| *least > 0) {
        add("minLength", vec![text(least - 1)]);
    }
    if let Some(most) = count("maxLength") {
        add("maxLength", vec![text(most + 1)]);
    }
    if let Some(least) = count("minItems").filter(|least| *least > 0) {
        add("minItems", vec![list(least - 1)]);
    }
    if let Some(most) = count("maxItems") {
        add("maxItems", vec![list(most + 1)]);
    }
    if count("minProperties").is_some_and(|least| least > 0) {
        add("minProperties", vec![json!({})]);
    }
    if let Some(most) = count("maxProperties") {
        let members = (0..=most).map(|number| (format!("member{number}"), Value::Null));
        add("maxProperties", vec![Value::Object(members.collect())]);
    }
    if node.get("enum").is_some() {
        add("enum", vec![json!(UNKNOWN)]);
    }
    found
}

/// A small value for a schema, which isn't always valid.
fn sample(node: &Value) -> Value {
    if let Some(first) = node["enum"].get(0) {
        return first.clone();
    }
    if let Some(first) = node["anyOf"].get(0) {
        return sample(first);
    }
    let kind = node["type"].as_str().or_else(|| node["type"][0].as_str());
    let least = |keyword: &str| usize::try_from(node[keyword].as_u64().unwrap_or(1)).unwrap_or(1);
    match kind {
        Some("string") => json!("x".repeat(least("minLength"))),
        Some("integer" | "number") => node.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => (0..least("minItems"))
            .map(|_| sample(&node["items"]))
            .collect(),
        Some("object") => {
            let names = node["required"].as_array().into_iter().flatten();
            let names = names.filter_map(Value::as_str);
            names
                .map(|name| (name.to_owned(), sample(&node["properties"][name])))
                .collect()
        }
        _ => Value::Null,
    }
}

/// The input with this value at a pointer. The pointer's parent exists.
fn with(input: &Value, pointer: &str, value: &Value) -> Value {
    let mut input = input.clone();
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return value.clone();
    };
    match input.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.insert(name.to_owned(), value.clone());
        }
        Some(Value::Array(items)) if items.is_empty() => items.push(value.clone()),
        Some(Value::Array(items)) => items[0] = value.clone(),
        _ => {}
    }
    input
}

fn without(input: &Value, parent: &str, name: &str) -> Value {
    let mut input = input.clone();
    if let Some(Value::Object(members)) = input.pointer_mut(parent) {
        members.remove(name);
    }
    input
}
