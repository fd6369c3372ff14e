//! Rich text (Notion API, "Rich text").

use serde_json::{Value, json};

use super::{
    errors::ApiError,
    ids,
    reader::{Reader, bounded_text, list, wrong_type},
};

/// The colors of text and of its background.
const COLORS: [&str; 10] = [
    "default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red",
];

/// Parses a request's list of pieces, and returns it as responses show it.
pub(crate) fn read(value: &Value, path: &str) -> Result<Value, ApiError> {
    list(value, path, 100)?
        .iter()
        .enumerate()
        .map(|(index, piece)| self::piece(piece, &format!("{path}[{index}]")))
        .collect()
}

/// Rich text with plain words.
pub(crate) fn of(words: &str) -> Value {
    json!([shown(
        "text",
        &json!({"content": words, "link": null}),
        &json!({}),
        words,
        None
    )])
}

/// Only the words of a rich text.
pub(crate) fn plain(rich_text: &Value) -> String {
    let pieces = rich_text.as_array().into_iter().flatten();
    pieces
        .filter_map(|piece| piece["plain_text"].as_str())
        .collect()
}

fn piece(value: &Value, path: &str) -> Result<Value, ApiError> {
    let known = [
        "type",
        "text",
        "mention",
        "equation",
        "annotations",
        "plain_text",
        "href",
    ];
    let reader = Reader::new(value, path, &known)?;
    let kind = reader.one_of("type", &["text", "mention", "equation"])?;
    let given: Vec<&str> = ["text", "mention", "equation"]
        .into_iter()
        .filter(|name| reader.get(name).is_some())
        .collect();
    let [only] = given.as_slice() else {
        return Err(ApiError::at(
            &reader.path("text"),
            "defined, instead was `undefined`",
        ));
    };
    if kind.is_some_and(|kind| kind != *only) {
        return Err(ApiError::at(&reader.path("type"), &format!("`\"{only}\"`")));
    }
    let looks = annotations(&reader)?;
    let inner = reader.required(only)?;
    let inner_path = reader.path(only);
    match *only {
        "text" => {
            let text = Reader::new(inner, inner_path, &["content", "link"])?;
            let content = bounded_text(text.required("content")?, &text.path("content"), 2000)?;
            let link = match text.get("link") {
                None | Some(Value::Null) => None,
                Some(link) => {
                    let link = Reader::new(link, text.path("link"), &["url"])?;
                    Some(bounded_text(
                        link.required("url")?,
                        &link.path("url"),
                        2000,
                    )?)
                }
            };
            let shown_link = link.map(|url| json!({"url": url}));
            let inner = json!({"content": content, "link": shown_link});
            Ok(shown("text", &inner, &looks, content, link))
        }
        "equation" => {
            let equation = Reader::new(inner, inner_path, &["expression"])?;
            let expression = bounded_text(
                equation.required("expression")?,
                &equation.path("expression"),
                1000,
            )?;
            Ok(shown(
                "equation",
                &json!({"expression": expression}),
                &looks,
                expression,
                None,
            ))
        }
        _ => mention(inner, &inner_path, &looks),
    }
}

fn mention(value: &Value, path: &str, looks: &Value) -> Result<Value, ApiError> {
    let mention = Reader::new(value, path, &["type", "page", "database", "user", "date"])?;
    for kind in ["page", "database", "user"] {
        if let Some(target) = mention.get(kind) {
            let target = Reader::new(target, mention.path(kind), &["id", "object"])?;
            let id = target
                .id("id")?
                .ok_or_else(|| wrong_type(&target.path("id"), "defined", &Value::Null))?;
            let inner = json!({"type": kind, kind: {"id": id}});
            let href = format!("https://www.notion.so/{}", ids::compact(&id));
            return Ok(shown("mention", &inner, looks, "Untitled", Some(&href)));
        }
    }
    let date = mention.required("date")?;
    let start = date["start"]
        .as_str()
        .ok_or_else(|| wrong_type(&format!("{path}.date.start"), "a string", date))?;
    Ok(shown(
        "mention",
        &json!({"type": "date", "date": date}),
        looks,
        start,
        None,
    ))
}

fn annotations(piece: &Reader<'_>) -> Result<Value, ApiError> {
    let Some(value) = piece.get("annotations") else {
        return Ok(json!({}));
    };
    let flags = ["bold", "italic", "strikethrough", "underline", "code"];
    let known: Vec<&str> = flags.into_iter().chain(["color"]).collect();
    let reader = Reader::new(value, piece.path("annotations"), &known)?;
    for flag in flags {
        reader.flag(flag)?;
    }
    if let Some(color) = reader.text("color")? {
        let plain = color.strip_suffix("_background").unwrap_or(color);
        if !COLORS.contains(&plain) {
            return Err(wrong_type(&reader.path("color"), "a colour", &json!(color)));
        }
    }
    Ok(value.clone())
}

/// A piece as responses show it.
fn shown(kind: &str, inner: &Value, looks: &Value, words: &str, href: Option<&str>) -> Value {
    let mut annotations = json!({
        "bold": false,
        "italic": false,
        "strikethrough": false,
        "underline": false,
        "code": false,
        "color": "default",
    });
    for (name, value) in looks.as_object().into_iter().flatten() {
        annotations[name] = value.clone();
    }
    json!({
        "type": kind,
        kind: inner,
        "annotations": annotations,
        "plain_text": words,
        "href": href,
    })
}
