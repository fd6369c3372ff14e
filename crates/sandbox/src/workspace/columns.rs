//! Columns of a new database (Notion API, "Property schema object").

use serde_json::{Value, json};

use super::{
    content::Column,
    errors::ApiError,
    ids::id_of,
    reader::{Reader, list, wrong_type},
};

/// The kinds of columns that the sandbox supports.
pub(crate) const KINDS: [&str; 17] = [
    "title",
    "rich_text",
    "number",
    "select",
    "multi_select",
    "status",
    "date",
    "people",
    "files",
    "checkbox",
    "url",
    "email",
    "phone_number",
    "created_time",
    "created_by",
    "last_edited_time",
    "last_edited_by",
];

/// The colors of new options, in turn.
const COLORS: [&str; 5] = ["blue", "green", "orange", "purple", "gray"];

/// Parses the columns of a request. Exactly one must be a title.
pub(crate) fn read(value: &Value, path: &str) -> Result<Vec<Column>, ApiError> {
    let members = value
        .as_object()
        .ok_or_else(|| wrong_type(path, "an object", value))?;
    let columns: Vec<Column> = members
        .iter()
        .map(|(name, definition)| column(name, definition, path))
        .collect::<Result<_, _>>()?;
    match columns
        .iter()
        .filter(|column| column.kind == "title")
        .count()
    {
        1 => Ok(columns),
        0 => Err(ApiError::invalid("Title is not provided")),
        _ => Err(ApiError::invalid(
            "Only one title property is allowed per database.",
        )),
    }
}

/// A column with this name. The title's ID is `title`. Others have short IDs with special characters.
pub(crate) fn new(name: &str, kind: &'static str, options: &[&str]) -> Column {
    let config = match kind {
        "select" | "multi_select" | "status" => {
            let options: Vec<Value> = options
                .iter()
                .enumerate()
                .map(|(index, option)| self::option(name, option, None, index))
                .collect();
            json!({"options": options})
        }
        "number" => json!({"format": "number"}),
        _ => json!({}),
    };
    Column {
        id: id(name, kind),
        name: name.to_owned(),
        kind,
        config,
    }
}

/// A new option.
pub(crate) fn option(column: &str, name: &str, color: Option<&str>, index: usize) -> Value {
    let color = color.unwrap_or(COLORS[index % COLORS.len()]);
    json!({
        "id": id_of(&format!("option {column} {name}")),
        "name": name,
        "color": color,
    })
}

fn column(name: &str, definition: &Value, path: &str) -> Result<Column, ApiError> {
    let path = format!("{path}.{name}");
    let known: Vec<&str> = KINDS
        .iter()
        .copied()
        .chain(["type", "name", "description"])
        .collect();
    let reader = Reader::new(definition, path.clone(), &known)?;
    let given: Vec<&'static str> = KINDS
        .iter()
        .copied()
        .filter(|kind| reader.get(kind).is_some())
        .collect();
    let [kind] = given.as_slice() else {
        return Err(ApiError::at(
            &format!("{path}.title"),
            "defined, instead was `undefined`",
        ));
    };
    if let Some(said) = reader.text("type")?
        && said != *kind
    {
        return Err(ApiError::at(&reader.path("type"), &format!("`\"{kind}\"`")));
    }
    let mut column = new(name, kind, &[]);
    let members: &[&str] = match *kind {
        "number" => &["format"],
        "select" | "multi_select" | "status" => &["options"],
        _ => &[],
    };
    let config = Reader::new(reader.required(kind)?, reader.path(kind), members)?;
    if let Some(format) = config.text("format")? {
        column.config["format"] = json!(format);
    }
    if let Some(options) = config.get("options") {
        let path = config.path("options");
        let mut read = Vec::new();
        for (index, item) in list(options, &path, 100)?.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let item = Reader::new(item, path, &["name", "color", "description", "id"])?;
            item.required("name")?;
            let name = item.text("name")?.unwrap_or_default();
            if name.contains(',') {
                return Err(ApiError::invalid(format!(
                    "Invalid select option, commas not allowed: {name}"
                )));
            }
            read.push(option(&column.name, name, item.text("color")?, index));
        }
        column.config["options"] = json!(read);
    }
    Ok(column)
}

/// A short ID with characters that must be encoded, like Notion's own IDs.
fn id(name: &str, kind: &str) -> String {
    const LETTERS: &[u8] = b"aZ:<;}`|=@^?Q7";
    if kind == "title" {
        return String::from("title");
    }
    let digest = id_of(&format!("column {name}"));
    let odd = digest.bytes().filter(u8::is_ascii_hexdigit).take(4);
    odd.map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]))
        .collect()
}
