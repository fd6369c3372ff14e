//! The actions of a resource: a button, a form, or a question before an action that can't be undone.

use serde_json::Value;
use stead_core::{api::Run, environment::Environment};

use super::{input::Input, operation::Operation};
use crate::dashboard::{done::Done, page::Page, words::capitalized};

/// An action. Its body has the members of its inputs, and those of `sends`.
///
/// Actions that share a path are alternatives. The first one that is possible applies.
#[derive(Debug)]
pub(crate) struct Action {
    /// Its path below that of the resource, or below that of the list if its operation names no resource.
    pub(crate) path: &'static str,
    /// How it asks.
    pub(crate) form: Form,
    /// Label of the button that leads to it or performs it.
    pub(crate) label: &'static str,
    /// Label of the form's button. Defaults to `label`.
    pub(crate) submit: &'static str,
    /// Title of its form.
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    /// Consequences that can't be undone, one sentence each. Shown before the action.
    pub(crate) consequences: &'static [&'static str],
    /// Style of its button: `primary`, `danger` or none.
    pub(crate) style: &'static str,
    pub(crate) icon: &'static str,
    /// Inputs of its form. Defaults to those of the resource, or to all members of the body.
    pub(crate) inputs: Vec<Input>,
    pub(crate) sends: Value,
    /// Whether it asks for a step-up.
    pub(crate) steps_up: bool,
    /// Whether it's possible now.
    pub(crate) when: fn(&Value) -> bool,
    /// Whether a template of the resource has its button.
    pub(crate) is_placed: bool,
    pub(crate) next: Next,
    pub(crate) done: Done,
    /// Title of the page with the secret that it created.
    pub(crate) made: &'static str,
    pub(crate) operation: Operation,
    /// Path that its form is sent to.
    pub(crate) to: String,
    /// Path of the page with its form.
    pub(crate) page: String,
}

/// How an action asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The action asks nothing. It only has a button.
    None,
    /// On the page of the resource.
    Inline,
    /// On a page of its own.
    Page,
    /// On a page with the consequences.
    Question,
}

/// The page after an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Own,
    List,
}

impl Action {
    /// A button.
    pub(crate) fn new<O: Run<Environment>>(
        path: &'static str,
        label: &'static str,
        done: Done,
    ) -> Self {
        Self {
            path,
            form: Form::None,
            label,
            submit: "",
            title: "",
            lead: "",
            consequences: &[],
            style: "",
            icon: "",
            inputs: Vec::new(),
            sends: Value::Null,
            steps_up: false,
            when: |_| true,
            is_placed: false,
            next: Next::Own,
            done,
            made: "",
            operation: Operation::of::<O>(),
            to: String::new(),
            page: String::new(),
        }
    }

    /// A form on a page of its own.
    pub(crate) fn form<O: Run<Environment>>(
        path: &'static str,
        label: &'static str,
        done: Done,
    ) -> Self {
        Self {
            form: Form::Page,
            steps_up: true,
            ..Self::new::<O>(path, label, done)
        }
    }

    /// A form that creates a resource.
    pub(crate) fn create<O: Run<Environment>>() -> Self {
        Self {
            style: "primary",
            ..Self::form::<O>("new", "", Done::Created)
        }
    }

    /// A form that changes a resource.
    pub(crate) fn change<O: Run<Environment>>() -> Self {
        Self {
            submit: "Save",
            ..Self::form::<O>("change", "Edit", Done::Changed)
        }
    }

    /// A question whether to delete a resource.
    pub(crate) fn delete<O: Run<Environment>>() -> Self {
        Self {
            consequences: &["You can’t undo this."],
            style: "danger",
            next: Next::List,
            ..Self::question::<O>("delete", "Delete", Done::Deleted)
        }
    }

    /// A question before something that can't be undone.
    pub(crate) fn question<O: Run<Environment>>(
        path: &'static str,
        label: &'static str,
        done: Done,
    ) -> Self {
        Self {
            form: Form::Question,
            steps_up: true,
            ..Self::new::<O>(path, label, done)
        }
    }

    pub(super) fn is_creation(&self) -> bool {
        self.path == "new"
    }

    /// Whether its form has the resource's values, and an empty field removes one.
    pub(super) fn is_change(&self) -> bool {
        self.operation.info.method == "PATCH"
    }

    /// Whether it's about a single resource.
    pub(super) fn is_of_one(&self) -> bool {
        !self.operation.info.path_members.is_empty()
    }

    /// Whether the member's role allows it.
    pub(super) fn is_open_to(&self, page: &Page) -> bool {
        page.role() >= Some(self.operation.role())
    }

    pub(super) fn has_page(&self) -> bool {
        matches!(self.form, Form::Page | Form::Question)
    }

    pub(super) fn place(&mut self, list: &str, own: &str) {
        let base = if self.is_of_one() { own } else { list };
        self.page = format!("{base}/{}", self.path);
        self.to = match self.path {
            "new" | "" => base.to_owned(),
            _ => self.page.clone(),
        };
    }

    pub(super) fn label(&self, noun: &str) -> String {
        match self.label {
            "" => format!("New {}", noun),
            label => label.to_owned(),
        }
    }

    pub(super) fn title(&self, noun: &str) -> String {
        match (self.title, self.path) {
            ("", "change") => format!("Edit {}", noun),
            ("", "delete") => format!("Delete this {}?", noun),
            ("", _) => self.label(noun),
            (title, _) => title.to_owned(),
        }
    }

    pub(super) fn submit(&self, noun: &str) -> String {
        match (self.submit, self.path) {
            ("", "new") => format!("Create {}", noun),
            ("", "delete") => format!("Delete {}", noun),
            ("", _) => self.label(noun),
            (submit, _) => submit.to_owned(),
        }
    }

    pub(super) fn made(&self, noun: &str) -> String {
        match self.made {
            "" => capitalized(&format!("{} created", noun)),
            made => made.to_owned(),
        }
    }
}
