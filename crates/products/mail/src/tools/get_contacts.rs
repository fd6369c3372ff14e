//! Lists the user's contacts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};
use stead_google::items;

use crate::{Person, PersonField, origins::PEOPLE, readable::ContactsView, scopes};

/// List the user's contacts, a page at a time. To find someone, use `mail_search_people`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct GetContacts {
    /// Most contacts to return; 100 when absent.
    #[schemars(range(min = 1, max = 1000))]
    pub max_results: Option<u32>,
    /// `next_page_token` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
    /// Fields of each person. When absent: names, email addresses, phone numbers, organizations and photos, in the readable
    /// view without photos.
    #[schemars(length(min = 1))]
    pub person_fields: Option<Vec<PersonField>>,
}

/// A page of contacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Contacts {
    /// The contacts, as the product returns them.
    pub contacts: Vec<Person>,
    /// Token of the next page; `null` on the last page.
    pub next_page_token: Option<String>,
    /// Total number of contacts.
    pub total_items: Option<u64>,
}

impl Tool for GetContacts {
    const NAME: &'static str = "mail_get_contacts";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::READ_CONTACTS;
    type Output = Contacts;
    const READABLE: Option<ReadableView> = ReadableView::some::<ContactsView>();

    /// People API, `people.connections.list`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let fields = self
            .person_fields
            .as_deref()
            .unwrap_or(PersonField::defaults(call));
        let request = ApiRequest::get(["people", "me", "connections"])
            .origin(PEOPLE)
            .query("personFields", PersonField::mask(fields))
            .query("pageSize", self.max_results)
            .query("pageToken", &self.page_token);
        let mut response: Value = io.send(request).await?.json()?;
        let contacts = items(&mut response, "connections");
        let mut page = json!({
            "next_page_token": response["nextPageToken"],
            "total_items": response["totalItems"],
        });
        page["contacts"] = Value::Array(contacts);
        Ok(page.into())
    }
}
