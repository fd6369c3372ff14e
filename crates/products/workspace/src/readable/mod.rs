//! The readable views of the results: rows as `{column: value}`, rich text as plain text, and titles.

mod block;
mod value;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use stead_core::tool::{Readable, items_of, text_of};

use crate::cut;

pub(crate) use self::block::BlocksView;
use self::value::{file, option, person, plain_text, plain_value};

/// A page or a row of a database, shortened. In a search, also a database or a data source.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct PageView {
    /// Kind of object: `page`, `database` or `data_source`; only in a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    /// Id of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Link to open it in a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Title, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Kind and id of the parent.
    #[serde(skip_serializing_if = "Map::is_empty")]
    parent: Map<String, Value>,
    /// Values by column name: plain text, numbers, booleans, dates and lists of these; `null` for none. Not in a search.
    #[serde(skip_serializing_if = "Map::is_empty")]
    values: Map<String, Value>,
    /// Columns whose value may be incomplete, because the product returns at most 25 references of each. A warning tells
    /// how to read the rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<String>,
    /// When it was created, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_time: Option<String>,
    /// The creator's name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    /// When it was last changed, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_time: Option<String>,
    /// Name or id of the last editor, if it isn't the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_by: Option<String>,
    /// Whether it is in the trash.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_trash: bool,
}

impl PageView {
    fn new(page: &Value) -> Self {
        let properties = page["properties"].as_object();
        let values = properties.into_iter().flatten();
        Self {
            values: values
                .map(|(name, property)| (name.clone(), plain_value(property)))
                .collect(),
            truncated: cut::names(page),
            ..Self::head(page)
        }
    }

    /// A row of a query. It has no parent and title: all rows have the same parent, and the title is among the values.
    fn row(page: &Value) -> Self {
        Self {
            title: None,
            parent: Map::new(),
            ..Self::new(page)
        }
    }

    /// A result of a search, with its kind.
    fn found(object: &Value) -> Self {
        Self {
            object: text_of(&object["object"]),
            ..Self::head(object)
        }
    }

    /// The page without its values.
    fn head(page: &Value) -> Self {
        Self {
            object: None,
            id: text_of(&page["id"]),
            url: text_of(&page["url"]),
            title: title_of(page),
            parent: parent_of(page),
            values: Map::new(),
            truncated: Vec::new(),
            created_time: text_of(&page["created_time"]),
            created_by: text_of(&person(&page["created_by"])),
            last_edited_time: text_of(&page["last_edited_time"]),
            last_edited_by: editor_of(page),
            in_trash: page["in_trash"] == true || page["archived"] == true,
        }
    }
}

/// The last editor, if it isn't the creator.
fn editor_of(object: &Value) -> Option<String> {
    let editor = &object["last_edited_by"];
    let is_other = editor["id"] != object["created_by"]["id"];
    is_other.then(|| text_of(&person(editor)))?
}

/// The title: a database's own title, or a page's property of that type.
fn title_of(object: &Value) -> Option<String> {
    let own = plain_text(&object["title"]);
    let properties = object["properties"].as_object().into_iter().flatten();
    own.or_else(|| {
        let mut titles = properties.filter(|(_, property)| property["type"] == "title");
        titles.find_map(|(_, property)| plain_text(&property["title"]))
    })
}

/// The parent, such as `{"database_id": "…"}`. For a data source, also its database.
fn parent_of(object: &Value) -> Map<String, Value> {
    let parent = object["parent"].as_object().into_iter().flatten();
    let ids = parent.filter(|(kind, id)| *kind != "type" && !id.is_null());
    ids.map(|(kind, id)| (kind.clone(), id.clone())).collect()
}

impl Readable for PageView {
    const UNTRUSTED: &'static [&'static str] = &["title", "values"];

    fn of(result: Value) -> Self {
        Self::new(&result)
    }
}

/// A page of rows, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowsView {
    /// The rows of this page.
    rows: Vec<PageView>,
    /// Cursor for the next rows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Readable for RowsView {
    const UNTRUSTED: &'static [&'static str] = &["rows[].values"];

    fn of(result: Value) -> Self {
        Self {
            rows: items_of(&result["results"])
                .iter()
                .map(PageView::row)
                .collect(),
            next_cursor: text_of(&result["next_cursor"]),
        }
    }
}

/// A page of a data source's entries, shortened. A wiki also contains data sources.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntriesView {
    /// The rows of this page. A data source has `object` and a title, and no values.
    rows: Vec<PageView>,
    /// Cursor for the next rows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Readable for EntriesView {
    const UNTRUSTED: &'static [&'static str] = &["rows[].title", "rows[].values"];

    fn of(result: Value) -> Self {
        let entry = |entry: &Value| match entry["object"] == "data_source" {
            true => PageView::found(entry),
            false => PageView::row(entry),
        };
        Self {
            rows: items_of(&result["results"]).iter().map(entry).collect(),
            next_cursor: text_of(&result["next_cursor"]),
        }
    }
}

/// A page of search results, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundView {
    /// Pages, and databases or data sources.
    results: Vec<PageView>,
    /// Cursor for the next results; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Readable for FoundView {
    const UNTRUSTED: &'static [&'static str] = &["results[].title"];

    fn of(result: Value) -> Self {
        let found = items_of(&result["results"]).iter();
        Self {
            results: found.map(PageView::found).collect(),
            next_cursor: text_of(&result["next_cursor"]),
        }
    }
}

/// A database, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DatabaseView {
    /// Id of the database or of the data source.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Title, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Link to the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Kind and id of the parent.
    #[serde(skip_serializing_if = "Map::is_empty")]
    parent: Map<String, Value>,
    /// Description of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The creator's name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    /// When it was created, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_time: Option<String>,
    /// Name or id of the last editor, if it isn't the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_by: Option<String>,
    /// When it was last changed, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_time: Option<String>,
    /// Columns by name: `{type, id, options?, …}`. They have the names of a selection's options, and other facts of the
    /// type, such as a relation's database.
    #[serde(skip_serializing_if = "Map::is_empty")]
    columns: Map<String, Value>,
    /// Its data sources; from version 2025-09-03 on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    data_sources: Vec<SourceView>,
}

/// A data source of a database.
#[derive(Debug, Serialize, JsonSchema)]
struct SourceView {
    /// Id of the data source.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Name of the data source.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its columns by name, if the database has several data sources.
    #[serde(skip_serializing_if = "Map::is_empty")]
    columns: Map<String, Value>,
}

fn columns_of(object: &Value) -> Map<String, Value> {
    let columns = object["properties"].as_object().into_iter().flatten();
    let short = |(name, column): (&String, &Value)| {
        let kind = column["type"].as_str().unwrap_or_default();
        let mut short = json!({ "type": kind, "id": column["id"] });
        if let Some(description) = text_of(&column["description"]) {
            short["description"] = json!(description);
        }
        for (member, value) in column[kind].as_object().into_iter().flatten() {
            let names = items_of(value).iter().map(option);
            let names: Vec<Value> = names.collect();
            match names.is_empty() {
                true if value.is_null()
                    || value.is_array()
                    || *value == json!({})
                    || member == "type" => {}
                true => short[format!("{kind}_{member}")] = value.clone(),
                false => short[member] = json!(names),
            }
        }
        (name.clone(), short)
    };
    columns.map(short).collect()
}

impl Readable for DatabaseView {
    const UNTRUSTED: &'static [&'static str] = &[
        "title",
        "description",
        "columns",
        "data_sources[].name",
        "data_sources[].columns",
    ];

    fn of(result: Value) -> Self {
        let source = |source: &Value| SourceView {
            id: text_of(&source["id"]),
            name: text_of(&source["name"]),
            columns: columns_of(source),
        };
        Self {
            id: text_of(&result["id"]),
            title: plain_text(&result["title"]),
            url: text_of(&result["url"]),
            parent: parent_of(&result),
            description: plain_text(&result["description"]),
            created_by: text_of(&person(&result["created_by"])),
            created_time: text_of(&result["created_time"]),
            last_edited_by: editor_of(&result),
            last_edited_time: text_of(&result["last_edited_time"]),
            columns: columns_of(&result),
            data_sources: items_of(&result["data_sources"])
                .iter()
                .map(source)
                .collect(),
        }
    }
}

/// A comment, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommentView {
    /// Id of the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Text of the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The author's name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    /// Displayed name of the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    /// Attached files: `{category, url, expiry_time}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Map<String, Value>>,
    /// When it was changed, RFC 3339; absent if it wasn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_time: Option<String>,
    /// When it was written, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_time: Option<String>,
    /// Id of its discussion.
    #[serde(skip_serializing_if = "Option::is_none")]
    discussion_id: Option<String>,
    /// Kind and id of the parent.
    #[serde(skip_serializing_if = "Map::is_empty")]
    parent: Map<String, Value>,
}

impl CommentView {
    fn new(comment: &Value) -> Self {
        Self {
            id: text_of(&comment["id"]),
            text: plain_text(&comment["rich_text"]),
            created_by: text_of(&person(&comment["created_by"])),
            display_name: text_of(&comment["display_name"]["resolved_name"]),
            attachments: items_of(&comment["attachments"])
                .iter()
                .filter_map(|attached| file(attached).as_object().cloned())
                .collect(),
            last_edited_time: text_of(&comment["last_edited_time"])
                .filter(|time| *time != comment["created_time"]),
            created_time: text_of(&comment["created_time"]),
            discussion_id: text_of(&comment["discussion_id"]),
            parent: parent_of(comment),
        }
    }
}

impl Readable for CommentView {
    const UNTRUSTED: &'static [&'static str] = &["text", "display_name"];

    fn of(result: Value) -> Self {
        Self::new(&result)
    }
}

/// A page of comments, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommentsView {
    /// The comments, oldest first.
    comments: Vec<CommentView>,
    /// Cursor for the next comments; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Readable for CommentsView {
    const UNTRUSTED: &'static [&'static str] = &["comments[].text", "comments[].display_name"];

    fn of(result: Value) -> Self {
        Self {
            comments: items_of(&result["results"])
                .iter()
                .map(CommentView::new)
                .collect(),
            next_cursor: text_of(&result["next_cursor"]),
        }
    }
}
