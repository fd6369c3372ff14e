//! The fields of a webhook's form: their values, and the events to choose from.

use std::collections::BTreeMap;

use minijinja::{Value, context, value::Serde};
use serde::Serialize;
use stead_core::resource::{EVENT_TYPES, Webhook};

use crate::dashboard::form::Form;

/// The values of the fields.
#[derive(Debug, Default, Serialize)]
pub(super) struct Given {
    pub(super) url: String,
    /// The ticked groups, for example `account.*`.
    groups: Vec<String>,
    /// Single types, separated by commas.
    types: String,
    pub(super) description: String,
}

impl Given {
    /// The values of a webhook.
    pub(super) fn of(webhook: &Webhook) -> Self {
        let events = webhook.events.iter().cloned();
        let (groups, types): (Vec<_>, Vec<_>) = events.partition(|event| event.ends_with(".*"));
        Self {
            url: webhook.url.clone(),
            groups,
            types: types.join(", "),
            description: webhook.description.clone().unwrap_or_default(),
        }
    }

    /// The submitted values.
    pub(super) fn read(form: &Form) -> Self {
        let text = |name| form.text(name).unwrap_or_default().to_owned();
        Self {
            url: text("url"),
            groups: form.all("groups"),
            types: text("types"),
            description: text("description"),
        }
    }

    /// The events to send: groups and single types.
    pub(super) fn events(&self) -> Vec<String> {
        let types = self.types.split([',', ' ', '\n']).map(str::trim);
        let types = types.filter(|name| !name.is_empty()).map(str::to_owned);
        self.groups.iter().cloned().chain(types).collect()
    }

    /// The form's part of a page.
    pub(super) fn context(&self) -> Value {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, name) in EVENT_TYPES
            .iter()
            .filter_map(|known| known.name.split_once('.'))
        {
            groups.entry(group).or_default().push(name);
        }
        let groups: Vec<_> = groups
            .into_iter()
            .map(|(group, names)| {
                let names: Vec<_> = names.iter().map(|name| name.replace('_', " ")).collect();
                (format!("{group}.*"), format!("{group}.*"), names.join(", "))
            })
            .collect();
        context! { given => Serde(self), groups => groups }
    }
}
