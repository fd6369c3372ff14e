//! Notion's pages, to view and change by hand.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Notion,
    content::{Block, Origin, Page, Parent},
    rich_text,
};
use crate::{
    records::{Field, Record, Section, Values, missing, value},
    shared::Shared,
    users,
};

const PAGES: &str = "pages";

impl Notion {
    pub(super) fn sections_of(&self, user: &str) -> Vec<Section> {
        let content = &self.content;
        let roots: BTreeSet<String> = content
            .top_pages(user)
            .map(|page| page.id.clone())
            .collect();
        let seen = content
            .pages
            .iter()
            .filter(|page| content.is_shared(&page.id, &roots));
        let mut records: Vec<Record> = seen
            .map(|page| {
                let place = match &page.parent {
                    Parent::Top(_) => String::from("at the top"),
                    Parent::Page(id) => content.page(id).map(title).unwrap_or_default(),
                    Parent::Source(id) => {
                        let source = content.source(id);
                        source
                            .map(|source| rich_text::plain(&source.title))
                            .unwrap_or_default()
                    }
                };
                Record::new(
                    &page.id,
                    [title(page), place, page.origin.edited.to_string()],
                )
            })
            .collect();
        records.reverse();
        vec![Section {
            name: PAGES,
            title: "Pages",
            columns: vec!["Title", "In", "Edited"],
            records,
            fields: vec![
                Field::line("title", "Title", ""),
                Field::text("text", "Text", ""),
            ],
        }]
    }

    pub(super) fn add_by_hand(
        &mut self,
        shared: &Shared,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Option<Result<(), String>> {
        (section == PAGES).then(|| self.add_page(shared, user, values))
    }

    fn add_page(&mut self, shared: &Shared, user: &str, values: &Values) -> Result<(), String> {
        let title = value(values, "title")?;
        let user = users::find(user).ok_or_else(|| missing(user))?;
        let content = &mut self.content;
        // Like the seeded pages: at the top level, and visible only to this person.
        let author = content
            .top_pages(user.email)
            .map(|page| page.origin.author.clone())
            .next()
            .unwrap_or_default();
        let origin = Origin {
            created: shared.now,
            edited: shared.now,
            author,
        };
        let id = content.new_id();
        content.pages.push(Page {
            id: id.clone(),
            parent: Parent::Top(Some(user.email)),
            values: BTreeMap::from([(String::from("title"), rich_text::of(title))]),
            icon: serde_json::Value::Null,
            cover: serde_json::Value::Null,
            origin: origin.clone(),
        });
        if let Ok(text) = value(values, "text") {
            let block = content.new_id();
            content.blocks.push(Block {
                id: block,
                parent: id,
                kind: String::from("paragraph"),
                body: serde_json::json!({ "rich_text": rich_text::of(text), "color": "default" }),
                origin,
            });
        }
        Ok(())
    }

    pub(super) fn delete_by_hand(&mut self, section: &str, id: &str) -> Option<Result<(), String>> {
        (section == PAGES).then(|| {
            let pages = &mut self.content.pages;
            let before = pages.len();
            pages.retain(|page| page.id != id);
            (pages.len() < before)
                .then_some(())
                .ok_or_else(|| missing(id))
        })
    }
}

fn title(page: &Page) -> String {
    rich_text::plain(&page.title())
}
