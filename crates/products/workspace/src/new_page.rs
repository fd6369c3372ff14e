//! Creates a page, with several requests if there is too much content for one.

use serde_json::{Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    error::Violations,
    tool::{ApiRequest, Call, Io, Output},
};

use crate::{
    append::{self, Place},
    blocks::{self, Block},
    columns::{self, By},
    cut, data_source,
    decoration::{PageCover, PageIcon},
    errors::needs,
    properties::{Properties, explained, is_encoded},
    scopes,
    version::Version,
    write::{self, Saved},
};

/// A page to create: a row of a database, or a page below another page.
pub(crate) struct NewPage<'a> {
    /// The parent in the product's form: `{database_id}` or `{page_id}`. It's `{data_source_id}` if the id turned out to be
    /// a data source's.
    pub(crate) parent: Value,
    pub(crate) properties: Option<&'a Properties>,
    pub(crate) child_blocks: Vec<Block>,
    pub(crate) icon: Option<&'a PageIcon>,
    pub(crate) cover: Option<&'a PageCover>,
    pub(crate) version: Version<'a>,
}

impl<'a> NewPage<'a> {
    /// Checks the parameters that rows and other pages share.
    pub(crate) fn check(&self, violations: &mut Violations) {
        blocks::check("child_blocks", &self.child_blocks, violations);
        if let Some(icon) = self.icon {
            icon.check(violations);
        }
        if let Some(cover) = self.cover {
            cover.check(violations);
        }
    }

    /// Creates the page with its first blocks, then appends the others in order (Notion API, "Create a page" and "Append
    /// block children").
    ///
    /// # Errors
    /// Returns the product's error. If the page already exists, `partial` describes it and counts the written blocks.
    pub(crate) async fn create(mut self, call: &'a Call, io: Io<'_>) -> Result<Output> {
        self.version = self.version.or_of(call);
        let pieces = blocks::pieces(&self.child_blocks);
        let (first, rest) = match pieces.split_first() {
            Some((first, rest)) => (*first, rest),
            None => (&[][..], &[][..]),
        };
        let mut saved = self.save(io, first, !rest.is_empty()).await;
        if let (Err(error), Some(id)) = (&saved, self.parent["database_id"].as_str()) {
            match data_source::meant(io, self.version, id, error.clone()).await {
                Ok(source) => {
                    self.version = self.version.with_data_sources();
                    self.parent = json!({ "data_source_id": source });
                    saved = self.save(io, first, !rest.is_empty()).await;
                }
                Err(error) => saved = Err(error),
            }
        }
        let saved = match saved {
            Ok(saved) => saved,
            Err(error) => return Err(self.explained(io, error).await),
        };
        if !rest.is_empty() {
            self.append(io, &saved, first.len(), rest).await?;
        }
        let page = saved.response().json_or_null();
        Ok(cut::warned(saved.into(), &[page]))
    }

    async fn save(&self, io: Io<'_>, first: &[Block], goes_on: bool) -> Result<Saved> {
        let read = |id: &str| self.version.on(ApiRequest::get(["pages", id]));
        write::save(io, self.page(first, goes_on), read).await
    }

    /// Adds the cause if the product refuses the page: a missing capability, or an unknown column.
    async fn explained(&self, io: Io<'_>, error: Error) -> Error {
        let error = explained(needs(error, scopes::INSERT_CONTENT), self.properties);
        let of = |layer: &str| self.parent[layer].as_str();
        let Some(database) = of("database_id").or(of("data_source_id")) else {
            return error;
        };
        let keys = self.properties.into_iter().flat_map(|values| values.keys());
        let asked = keys.map(String::as_str).filter(|key| !is_encoded(key));
        columns::named(io, self.version, database, By::Name, asked, error).await
    }

    fn page(&self, first: &[Block], goes_on: bool) -> ApiRequest {
        let mut body = json!({ "parent": self.parent, "properties": self.properties.cloned().unwrap_or_default() });
        if let Some(icon) = self.icon {
            body["icon"] = json!(icon);
        }
        if let Some(cover) = self.cover {
            body["cover"] = json!(cover);
        }
        if !first.is_empty() {
            body["children"] = json!(first);
        }
        let request = self.version.on(ApiRequest::post(["pages"])).json(&body);
        match goes_on {
            true => request.then("appends the other blocks to the new page in order"),
            false => request,
        }
    }

    /// Appends one piece after the other. Parallel requests could change the order, or be refused (`conflict_error`).
    async fn append(
        &self,
        io: Io<'_>,
        saved: &Saved,
        first: usize,
        rest: &[&[Block]],
    ) -> Result<()> {
        let page: Value = saved.response().json()?;
        let Some(id) = page["id"].as_str() else {
            return Err(Error::new(
                ErrorKind::ProductProtocolError,
                "the product's page has no id",
            ));
        };
        let mut written = first;
        for piece in rest {
            let append = append::request(self.version, id, piece, &Place::End);
            let outcome = match io.send(append).await {
                Err(error) if write::committed(&error).is_some() => {
                    self.confirm(io, id, written + piece.len(), error).await
                }
                Err(error) => Err(error),
                Ok(_) => Ok(()),
            };
            outcome.map_err(|error| {
                needs(error, scopes::INSERT_CONTENT).with_partial(json!({
                    "page_id": id,
                    "url": page["url"],
                    "child_blocks_written": written,
                    "child_blocks_left": self.child_blocks.len() - written,
                }))
            })?;
            written += piece.len();
        }
        Ok(())
    }

    /// Counts the page's blocks. The page is new, so this call wrote all of them.
    async fn confirm(&self, io: Io<'_>, id: &str, wanted: usize, error: Error) -> Result<()> {
        let mut found = 0;
        let mut cursor: Option<String> = None;
        while found <= wanted {
            let list = ApiRequest::get(["blocks", id, "children"])
                .query("page_size", 100)
                .query("start_cursor", &cursor);
            let Ok(response) = io.send(self.version.on(list)).await else {
                return Err(write::unconfirmed(&error));
            };
            let list: Value = response.json()?;
            found += list["results"].as_array().map_or(0, Vec::len);
            cursor = list["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        if found == wanted {
            Ok(())
        } else {
            Err(write::unconfirmed(&error))
        }
    }
}
