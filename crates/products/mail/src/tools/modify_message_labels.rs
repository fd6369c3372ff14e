//! Adds and removes labels of a mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Hints, Io, Output, RequiredScopes, Retry, Tool},
};
use stead_google::items;

use crate::{Message, classify::DELETING_LABELS, scopes};

/// Labels that Gmail knows in every mailbox (Gmail API guide, "Manage labels").
const SYSTEM: [&str; 14] = [
    "CATEGORY_FORUMS",
    "CATEGORY_PERSONAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_SOCIAL",
    "CATEGORY_UPDATES",
    "CHAT",
    "DRAFT",
    "IMPORTANT",
    "INBOX",
    "SENT",
    "SPAM",
    "STARRED",
    "TRASH",
    "UNREAD",
];

/// Add labels to a mail, or remove some: archive it, mark it as read, or star it.
///
/// To archive the mail, remove `INBOX`. To mark it as read, remove `UNREAD`. To star it, add `STARRED`. It can take a mail
/// out of the spam or the trash, but not move it there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ModifyMessageLabels {
    /// Id of the mail.
    #[schemars(length(min = 1))]
    pub message_id: String,
    /// Labels to add: names as the user sees them, or ids.
    #[schemars(length(max = 100), inner(length(min = 1)))]
    #[schemars(extend("x-commas" = true))]
    pub add_label_ids: Option<Vec<String>>,
    /// Labels to remove.
    #[schemars(length(max = 100), inner(length(min = 1)))]
    #[schemars(extend("x-commas" = true))]
    pub remove_label_ids: Option<Vec<String>>,
}

impl Tool for ModifyMessageLabels {
    const NAME: &'static str = "mail_modify_message_labels";
    const EFFECT: Effect = Effect::Write;
    const HINTS: Hints = Hints::REPLACES;
    const SCOPES: RequiredScopes = scopes::LABELLING;
    type Output = Message;

    fn check(&self) -> Result<()> {
        let mut violations = Violations::default();
        if self.added().is_empty() && self.removed().is_empty() {
            let message = "expected labels to add or to remove";
            violations.add("", "anyOf", message);
        }
        for (index, label) in self.added().iter().enumerate() {
            let path = format!("/add_label_ids/{index}");
            if DELETING_LABELS
                .iter()
                .any(|one| one.eq_ignore_ascii_case(label))
            {
                let message = "this tool doesn't move mails to the trash or to spam, because Gmail deletes them after 30 days";
                violations.add(&path, "not", message);
            } else if self
                .removed()
                .iter()
                .any(|one| one.eq_ignore_ascii_case(label))
            {
                let message = format!("{label:?} can't be both added and removed");
                violations.add(&path, "not", message);
            }
        }
        violations.finish()
    }

    /// Calls `users.messages.modify`, and `users.labels.list` before it if a label is given by its name (Gmail API). The
    /// labels are a state, so Stead can repeat the request.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let mut names = Names::default();
        if self
            .added()
            .iter()
            .chain(self.removed())
            .any(|label| !is_id(label))
        {
            names = Names::read(&io).await?;
        }
        let mut violations = Violations::default();
        let added = names.ids("/add_label_ids", self.added(), &mut violations);
        let removed = names.ids("/remove_label_ids", self.removed(), &mut violations);
        violations.finish()?;
        let request = ApiRequest::post(["messages", &self.message_id, "modify"])
            .json(&json!({ "addLabelIds": added, "removeLabelIds": removed }))
            .retry(Retry::Always);
        Ok(io.send(request).await?.into())
    }
}

impl ModifyMessageLabels {
    fn added(&self) -> &[String] {
        self.add_label_ids.as_deref().unwrap_or_default()
    }

    fn removed(&self) -> &[String] {
        self.remove_label_ids.as_deref().unwrap_or_default()
    }
}

/// Whether it's an id for certain. The user's own labels have ids such as `Label_12`.
fn is_id(label: &str) -> bool {
    SYSTEM.contains(&label) || label.starts_with("Label_")
}

/// The labels of the mailbox: name and id.
#[derive(Default)]
struct Names(Vec<(String, String)>);

impl Names {
    async fn read(io: &Io<'_>) -> Result<Self> {
        let mut list: Value = io.send(ApiRequest::get(["labels"])).await?.json()?;
        let labels = items(&mut list, "labels").into_iter();
        let labels = labels.filter_map(|label| {
            Some((
                label["name"].as_str()?.to_owned(),
                label["id"].as_str()?.to_owned(),
            ))
        });
        Ok(Self(labels.collect()))
    }

    /// The ids of these labels.
    fn ids(&self, path: &str, given: &[String], violations: &mut Violations) -> Vec<String> {
        let mut ids = Vec::with_capacity(given.len());
        for (index, label) in given.iter().enumerate() {
            let same = |one: &&(String, String)| {
                one.1 == *label || one.0.to_lowercase() == label.trim().to_lowercase()
            };
            let id = match is_id(label) {
                true => Some(label),
                false => self.0.iter().find(same).map(|(_, id)| id),
            };
            match id {
                Some(id) if ids.contains(id) => {}
                Some(id) => ids.push(id.clone()),
                None => {
                    let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
                    let message = format!(
                        "the mailbox has no label {label:?}; it has {}",
                        names.join(", ")
                    );
                    violations.add(&format!("{path}/{index}"), "enum", message);
                }
            }
        }
        ids
    }
}
