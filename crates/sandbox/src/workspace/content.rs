//! The content of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::ids::id_of;

/// All pages, databases, blocks and comments, in the order in which they were created.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    pub(crate) pages: Vec<Page>,
    pub(crate) databases: Vec<Database>,
    pub(crate) sources: Vec<Source>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) comments: Vec<Comment>,
    /// How many objects were created, which determines new IDs.
    made: u64,
}

/// Who created something, and when.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) created: Timestamp,
    pub(crate) edited: Timestamp,
    /// The ID of a person or an integration.
    pub(crate) author: String,
}

/// A page, which may be a row.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) parent: Parent,
    /// Values by plain property ID. A page that isn't a row has only its title.
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) icon: Value,
    pub(crate) cover: Value,
    pub(crate) origin: Origin,
}

/// The parent of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parent {
    /// The workspace. The page belongs to one person, given by email address, or to everyone.
    Top(Option<&'static str>),
    /// Another page.
    Page(String),
    /// A data source. The page is one of its rows.
    Source(String),
}

/// A database: a title and its data sources.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    pub(crate) id: String,
    /// The page that contains it.
    pub(crate) page: String,
    pub(crate) title: Value,
    pub(crate) sources: Vec<String>,
    pub(crate) origin: Origin,
}

/// A data source: its columns, and the rows whose parent it is.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: String,
    pub(crate) database: String,
    pub(crate) title: Value,
    pub(crate) columns: Vec<Column>,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The plain ID. Responses show it URL-encoded.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// Settings of the kind, such as the options of a select.
    pub(crate) config: Value,
}

/// A block in a page.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) id: String,
    /// The page or block that contains it.
    pub(crate) parent: String,
    pub(crate) kind: String,
    /// The content, which depends on the kind.
    pub(crate) body: Value,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) id: String,
    /// The page or block that it's on.
    pub(crate) parent: String,
    pub(crate) discussion: String,
    pub(crate) rich_text: Value,
    pub(crate) resolved: bool,
    pub(crate) origin: Origin,
}

impl Content {
    /// An ID for a new object.
    pub(crate) fn new_id(&mut self) -> String {
        self.made += 1;
        id_of(&format!("made {}", self.made))
    }

    pub(crate) fn page(&self, id: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.id == id)
    }

    pub(crate) fn database(&self, id: &str) -> Option<&Database> {
        self.databases.iter().find(|database| database.id == id)
    }

    pub(crate) fn source(&self, id: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.id == id)
    }

    pub(crate) fn source_mut(&mut self, id: &str) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| source.id == id)
    }

    pub(crate) fn block(&self, id: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }

    pub(crate) fn comment(&self, id: &str) -> Option<&Comment> {
        self.comments.iter().find(|comment| comment.id == id)
    }

    /// The rows of a data source, oldest first.
    pub(crate) fn rows(&self, source: &str) -> impl Iterator<Item = &Page> {
        let parent = Parent::Source(source.to_owned());
        self.pages.iter().filter(move |page| page.parent == parent)
    }

    /// Top-level pages that a person can share.
    pub(crate) fn top_pages(&self, email: &str) -> impl Iterator<Item = &Page> {
        self.pages.iter().filter(move |page| match page.parent {
            Parent::Top(owner) => owner.is_none_or(|owner| owner == email),
            _ => false,
        })
    }

    /// Whether something or one of its parents is shared.
    pub(crate) fn is_shared(&self, id: &str, roots: &BTreeSet<String>) -> bool {
        let mut current = Some(id.to_owned());
        while let Some(id) = current {
            if roots.contains(&id) {
                return true;
            }
            current = self.parent_of(&id);
        }
        false
    }

    /// The page of a block, or the page itself.
    pub(crate) fn page_of(&self, id: &str) -> Option<&Page> {
        match self.block(id) {
            Some(block) => self.page_of(&block.parent),
            None => self.page(id),
        }
    }

    fn parent_of(&self, id: &str) -> Option<String> {
        if let Some(page) = self.page(id) {
            return match &page.parent {
                Parent::Top(_) => None,
                Parent::Page(parent) | Parent::Source(parent) => Some(parent.clone()),
            };
        }
        let database = self.database(id).map(|database| &database.page);
        let source = || self.source(id).map(|source| &source.database);
        let block = || self.block(id).map(|block| &block.parent);
        database.or_else(source).or_else(block).cloned()
    }
}

impl Page {
    /// The rich text of the title.
    pub(crate) fn title(&self) -> Value {
        self.values
            .get("title")
            .cloned()
            .unwrap_or_else(|| Value::Array(Vec::new()))
    }
}

impl Source {
    /// The column with this name or plain ID.
    pub(crate) fn column(&self, key: &str) -> Option<&Column> {
        let named = self.columns.iter().find(|column| column.name == key);
        named.or_else(|| self.columns.iter().find(|column| column.id == key))
    }
}
