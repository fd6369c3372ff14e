//! The declaration of a resource's pages. Its members, their kinds and their descriptions follow from the schemas of
//! its operations, and the roles from their scopes.

use serde_json::Value;
use stead_core::{api::Run, environment::Environment};

use super::{
    Load,
    action::{Action, Next},
    input::Input,
    member::{Member, fill, is_id, text},
    operation::Operation,
};
use crate::dashboard::{
    format::segment,
    schema::{Kind, kind},
    session::Role,
    words::capitalized,
};

/// A resource with pages. In texts, a member's name in braces is replaced by its value.
#[derive(Debug)]
pub(crate) struct Resource {
    /// The word for a single one, such as `webhook`.
    pub(crate) noun: &'static str,
    /// One sentence for the page that lists the settings. Defaults to the description of the schema.
    pub(crate) about: &'static str,
    /// The same at the top of the list.
    pub(crate) lead: &'static str,
    pub(crate) icon: &'static str,
    /// Advice to show while the list is empty.
    pub(crate) empty: &'static str,
    /// The name of a single one. Defaults to its first text.
    pub(crate) name: &'static str,
    pub(crate) subtitle: &'static str,
    /// The member of the list's result that has the items.
    pub(crate) items: &'static str,
    pub(crate) newest_first: bool,
    /// Columns of the list. Defaults to all members of the schema.
    pub(crate) columns: Vec<Member>,
    /// Members of the details. Defaults to all members of the schema.
    pub(crate) details: Vec<Member>,
    /// Inputs of the forms that create and change one. Defaults to all members of their bodies.
    pub(crate) inputs: Vec<Input>,
    pub(crate) secret: Option<Secret>,
    /// Whether it can be the actor of changes, so that the audit log shows its actions.
    pub(crate) acts: bool,
    /// A list with other parts, and the data that it needs.
    pub(crate) list_template: Option<(&'static str, Load)>,
    /// Details with other parts, and the data that they need.
    pub(crate) details_template: Option<(&'static str, Load)>,
    pub(crate) list: Operation,
    pub(crate) read: Option<Operation>,
    /// Path of the list.
    pub(crate) path: String,
    /// Path of the details, with the name of the ID.
    pub(crate) own: String,
    pub(crate) actions: Vec<Action>,
}

/// A value that only one page shows, once.
#[derive(Debug)]
pub(crate) struct Secret {
    /// The member of a result that contains it.
    pub(crate) member: &'static str,
    pub(crate) label: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) about: &'static str,
    /// Members that the page also shows.
    pub(crate) also: Vec<Member>,
    /// A template with more, below it.
    pub(crate) below: Option<&'static str>,
}

impl Resource {
    /// A resource with a list and details.
    pub(crate) fn of<L: Run<Environment>, R: Run<Environment>>(noun: &'static str) -> Self {
        let resource = Self::listed::<L>(noun);
        let read = Operation::of::<R>();
        Self {
            own: own(&resource.path, &read),
            read: Some(read),
            ..resource
        }
    }

    /// A resource with a list only.
    pub(crate) fn listed<L: Run<Environment>>(noun: &'static str) -> Self {
        Self {
            noun,
            about: "",
            lead: "",
            icon: "list",
            empty: "",
            name: "",
            subtitle: "",
            items: "items",
            newest_first: false,
            columns: Vec::new(),
            details: Vec::new(),
            inputs: Vec::new(),
            secret: None,
            acts: false,
            list_template: None,
            details_template: None,
            list: Operation::of::<L>(),
            read: None,
            path: format!(
                "/dashboard/settings/{}s",
                noun.replace(' ', "-").to_lowercase()
            ),
            own: String::new(),
            actions: Vec::new(),
        }
    }

    /// Adds an action. The buttons are in the order of the declaration.
    pub(crate) fn with(mut self, mut action: Action) -> Self {
        if self.own.is_empty() && action.is_of_one() {
            self.own = own(&self.path, &action.operation);
        }
        action.place(&self.path, &self.own);
        self.actions.push(action);
        self
    }

    /// The lowest role that can see the list.
    pub(crate) fn role(&self) -> Role {
        self.list.role()
    }

    /// The word for all of them, such as `Webhooks`.
    pub(crate) fn title(&self) -> String {
        capitalized(&format!("{}s", self.noun))
    }

    /// The description of the schema.
    pub(crate) fn description(&self) -> String {
        text(&self.schema()["description"])
    }

    /// The name of one of its pages, for scripts and tests.
    pub(super) fn page_name(&self, page: &str) -> String {
        format!("{}/{page}", self.path.trim_start_matches("/dashboard/"))
    }

    /// Its items, in the order of the page.
    pub(super) fn items(&self, listed: &Value) -> Vec<Value> {
        let mut items = listed[self.items].as_array().cloned().unwrap_or_default();
        if self.newest_first {
            items.reverse();
        }
        items
    }

    /// Schema of a single one.
    pub(super) fn schema(&self) -> Value {
        match &self.read {
            Some(read) => (read.output)(),
            None => (self.list.output)()["properties"][self.items]["items"].take(),
        }
    }

    /// The member with its ID: the one in the path, or `id`.
    pub(super) fn id_member(&self) -> &str {
        let id = self.own.rsplit_once('{').map_or("", |(_, id)| id);
        let id = id.trim_end_matches('}');
        match self.schema()["properties"].get(id) {
            Some(_) => id,
            None => "id",
        }
    }

    /// The ID of a single one.
    pub(super) fn id(&self, one: &Value) -> String {
        text(&one[self.id_member()])
    }

    /// The name of a single one for people.
    pub(super) fn name_of(&self, one: &Value) -> String {
        if !self.name.is_empty() {
            return fill(self.name, &[one]);
        }
        text(&one[self.name_member(&self.schema())])
    }

    /// The member that has the name: the first text by default, or otherwise the ID.
    pub(super) fn name_member<'s>(&'s self, schema: &'s Value) -> &'s str {
        let members = schema["properties"].as_object().into_iter().flatten();
        let mut texts =
            members.filter(|(name, schema)| !is_id(name) && matches!(kind(schema, 0), Kind::Text));
        texts
            .next()
            .map_or_else(|| self.id_member(), |(name, _)| name)
    }

    /// The action that creates one.
    pub(super) fn creation(&self) -> Option<&Action> {
        self.actions.iter().find(|one| one.is_creation())
    }

    /// The page after an action on one or on all of them.
    pub(super) fn after(&self, action: &Action, id: Option<&str>) -> String {
        match (id, action.next) {
            (Some(id), Next::Own) if self.read.is_some() => self.path_of(id),
            _ => self.path.clone(),
        }
    }

    /// Path of the details of one.
    pub(super) fn path_of(&self, id: &str) -> String {
        format!("{}/{}", self.path, segment(id))
    }
}

fn own(list: &str, operation: &Operation) -> String {
    let id = operation.info.path_members.first().unwrap_or(&"id");
    format!("{list}/{{{id}}}")
}
