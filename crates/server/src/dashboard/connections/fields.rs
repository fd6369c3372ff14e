//! The fields of a connection's forms: their values and their errors.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value};
use stead::{Error, ErrorKind};
use stead_core::{
    product::{PermissionChoice, Product},
    resource::Connection,
};

use crate::{dashboard::form::Form, problem};

/// The members of the rate limit, which every product supports: name, name for people, and description.
const RATE_LIMIT: [(&str, &str, &str); 3] = [
    (
        "units_per_minute",
        "Units per minute and user",
        "How much one user can spend per minute. Enter 0 for no limit, or leave it empty for the product’s published limit.",
    ),
    (
        "writes_per_minute",
        "Units for writes",
        "Part of the units per minute. Only for products that limit writes separately.",
    ),
    (
        "concurrency",
        "Concurrent requests",
        "Per user, from 1 to 1000.",
    ),
];
const PERMISSIONS: &str = "permissions";
const ALLOWED_REQUESTS: &str = "allowed_requests";

/// The values of the fields, without secrets, and their errors.
#[derive(Debug, Default, Serialize)]
pub(super) struct Fields {
    pub(super) connection_name: String,
    pub(super) client_id: String,
    settings: Vec<Setting>,
    rate_limit: Vec<Setting>,
    permissions: Vec<Permission>,
    /// Whether there are permissions to choose from.
    takes_permissions: bool,
    /// Kinds of requests that the connection has to allow, and what they do.
    guards: Vec<(&'static str, &'static str)>,
    /// The kinds that it allows.
    allowed_requests: Vec<String>,
    /// Errors, by name of the field.
    errors: BTreeMap<String, String>,
    /// An error that isn't about one field.
    problem: Option<String>,
}

/// A setting. Its name in the form is its place in the connection.
#[derive(Debug, Serialize)]
struct Setting {
    name: String,
    key: &'static str,
    title: &'static str,
    about: &'static str,
    is_required: bool,
    value: String,
}

/// A permission that can be ticked.
#[derive(Debug, Serialize)]
struct Permission {
    name: String,
    text: String,
    /// Whether it's shown without opening the rest.
    is_offered: bool,
    /// The vendor's conditions.
    review: Option<&'static str>,
    tools: Vec<&'static str>,
    is_checked: bool,
}

impl Fields {
    /// The fields of a new connection, with the usual permissions ticked.
    pub(super) fn of(product: &'static Product) -> Self {
        let settings = product.setting_fields.iter().map(|field| Setting {
            name: format!("settings/{}", field.name),
            key: field.name,
            title: field.title,
            about: field.about,
            is_required: field.is_required,
            value: String::new(),
        });
        let rate_limit = RATE_LIMIT.iter().map(|(name, title, about)| Setting {
            name: format!("settings/rate_limit/{name}"),
            key: name,
            title,
            about,
            is_required: false,
            value: String::new(),
        });
        let permissions = product.permission_choices().into_iter().map(permission);
        let permissions: Vec<Permission> = permissions.collect();
        Self {
            settings: settings.collect(),
            rate_limit: rate_limit.collect(),
            takes_permissions: !permissions.is_empty(),
            permissions,
            guards: (product.guards.iter())
                .map(|guard| (guard.name, guard.about))
                .collect(),
            ..Self::default()
        }
    }

    /// The fields of an existing connection.
    pub(super) fn filled(product: &'static Product, connection: &Connection) -> Self {
        let mut fields = Self::of(product);
        fields.connection_name = connection.connection_name.to_string();
        fields.client_id = connection.client_id.clone().unwrap_or_default();
        for setting in &mut fields.settings {
            setting.value = text_of(connection.settings.get(setting.key));
        }
        let rate_limit = connection.settings.get("rate_limit");
        for setting in &mut fields.rate_limit {
            setting.value = text_of(rate_limit.and_then(|limits| limits.get(setting.key)));
        }
        fields
            .allowed_requests
            .clone_from(&connection.allowed_requests);
        // If a connection names none, the product's default applies.
        let chosen = connection.permissions.iter().flatten().map(String::as_str);
        let chosen: Vec<&str> = chosen.collect();
        if !chosen.is_empty() {
            fields.tick(&chosen);
        }
        fields
    }

    /// The fields of a submitted form.
    pub(super) fn typed(product: &'static Product, form: &Form) -> Self {
        let mut fields = Self::of(product);
        let text = |name: &str| form.text(name).unwrap_or_default().to_owned();
        fields.connection_name = text("connection_name");
        fields.client_id = text("client_id");
        for setting in fields.settings.iter_mut().chain(&mut fields.rate_limit) {
            setting.value = text(&setting.name);
        }
        fields.tick(&form.texts(PERMISSIONS).collect::<Vec<_>>());
        let allowed = form.texts(ALLOWED_REQUESTS).map(str::to_owned);
        fields.allowed_requests = allowed.collect();
        fields
    }

    fn tick(&mut self, chosen: &[&str]) {
        for permission in &mut self.permissions {
            permission.is_checked = chosen.contains(&permission.name.as_str());
        }
        // Permissions that aren't in the list are kept, because a capability may have any name.
        for name in chosen {
            if !self.permissions.iter().any(|known| known.name == *name) {
                self.permissions.push(Permission {
                    name: (*name).to_owned(),
                    text: (*name).to_owned(),
                    is_offered: true,
                    review: None,
                    tools: Vec::new(),
                    is_checked: true,
                });
            }
        }
    }

    /// The ticked permissions.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if there are permissions to choose from and none is ticked, because that would
    /// mean the default.
    pub(super) fn permissions(&self) -> Result<Option<Vec<String>>, Error> {
        if !self.takes_permissions {
            return Ok(None);
        }
        let ticked = self.permissions.iter().filter(|one| one.is_checked);
        let ticked: Vec<String> = ticked.map(|one| one.name.clone()).collect();
        if ticked.is_empty() {
            let none = "choose at least one permission; without any, no tool works";
            return Err(Error::invalid_at("/permissions", none));
        }
        Ok(Some(ticked))
    }

    /// The ticked kinds of requests.
    pub(super) fn allowed_requests(&self) -> Vec<String> {
        self.allowed_requests.clone()
    }

    /// The settings that are filled in.
    pub(super) fn settings(&self) -> Map<String, Value> {
        let texts = self.settings.iter().filter(|one| !one.value.is_empty());
        let mut settings: Map<String, Value> = texts
            .map(|one| (one.key.to_owned(), Value::from(one.value.as_str())))
            .collect();
        let limits = self.rate_limit.iter().filter(|one| !one.value.is_empty());
        let limits: Map<String, Value> = limits
            // The error of a text that isn't a number names its field.
            .map(|one| {
                let number = one.value.parse::<u32>().map(Value::from);
                let value = number.unwrap_or_else(|_| Value::from(one.value.as_str()));
                (one.key.to_owned(), value)
            })
            .collect();
        if !limits.is_empty() {
            settings.insert(String::from("rate_limit"), Value::Object(limits));
        }
        settings
    }

    /// Records an error that the user can correct in the form, and the status of the response.
    ///
    /// # Errors
    /// The error, if it is about something else.
    pub(super) fn refuse(&mut self, error: Error) -> Result<StatusCode, Error> {
        match error.kind() {
            ErrorKind::AlreadyExists => {
                let taken =
                    String::from("another connection already has this name; choose another one");
                self.errors.insert(String::from("connection_name"), taken);
            }
            ErrorKind::InvalidRequest => {
                for violation in error.violation_list() {
                    let place = violation.path.trim_start_matches('/');
                    let lists = [PERMISSIONS, ALLOWED_REQUESTS];
                    let list = lists.into_iter().find(|list| place.starts_with(list));
                    let field = list.unwrap_or(place);
                    let message = violation.message.clone();
                    self.errors.entry(field.to_owned()).or_insert(message);
                }
            }
            ErrorKind::InvalidTransition => {}
            _ => return Err(error),
        }
        if self.errors.is_empty() {
            self.problem = Some(error.message().to_owned());
        }
        Ok(match error.kind() {
            ErrorKind::InvalidRequest => StatusCode::UNPROCESSABLE_ENTITY,
            kind => problem::status(kind),
        })
    }
}

fn permission(choice: PermissionChoice) -> Permission {
    Permission {
        is_checked: choice.is_usual,
        name: choice.name,
        text: choice.text,
        is_offered: choice.is_usual || choice.is_preset,
        review: choice.review,
        tools: choice.tools,
    }
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
