//! The fields of a credential's form: their values and their choices.

use minijinja::{Value, context, value::Serde};
use serde::Serialize;
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{AppCredential, ListConnections, ListPolicies},
    scope::ScopeName::{self, *},
};

use crate::dashboard::form::Form;

/// Scopes, the most used ones first.
const GROUPS: &[(&str, &[ScopeName])] = &[
    (
        "Act for users",
        &[
            ToolsExecute,
            ProxyRead,
            ProxyWrite,
            AccountTokensCreate,
            McpSessionsManage,
        ],
    ),
    (
        "Connect users",
        &[LinksCreate, AccountsRead, AccountsManage],
    ),
    (
        "Read events and calls",
        &[
            EventsRead,
            ExecutionsRead,
            AuditRead,
            PoliciesRead,
            ApprovalsRead,
        ],
    ),
    (
        "Set up",
        &[ConnectionsRead, ConnectionsManage, WebhooksManage],
    ),
    (
        "Administer (everything an owner can do)",
        &[
            AccountsImport,
            CredentialsManage,
            MembersManage,
            KeysManage,
            PoliciesManage,
            ApprovalsManage,
        ],
    ),
];

/// The scopes that a new form has ticked.
const USUAL: [ScopeName; 3] = [ToolsExecute, LinksCreate, AccountsRead];

/// The values of the fields.
#[derive(Debug, Serialize)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) scopes: Vec<String>,
    pub(super) connections: Vec<String>,
    /// Empty if it has none.
    pub(super) policy: String,
    rate_per_minute: String,
    expires_in: String,
}

impl Given {
    /// A new form.
    pub(super) fn usual() -> Self {
        Self {
            name: String::new(),
            scopes: USUAL.map(|scope| scope.name().to_owned()).to_vec(),
            connections: Vec::new(),
            policy: String::new(),
            rate_per_minute: String::new(),
            expires_in: String::new(),
        }
    }

    /// The values of a credential.
    pub(super) fn of(credential: &AppCredential) -> Self {
        let rate = credential.rate_per_minute.map(|rate| rate.to_string());
        Self {
            name: credential.name.clone(),
            scopes: credential.scopes.words(),
            connections: credential.connections.clone().unwrap_or_default(),
            policy: credential.policy.clone().unwrap_or_default(),
            rate_per_minute: rate.unwrap_or_default(),
            expires_in: String::new(),
        }
    }

    /// The submitted values.
    pub(super) fn read(form: &Form) -> Self {
        let text = |name| form.text(name).unwrap_or_default().to_owned();
        Self {
            name: text("name"),
            scopes: form.all("scopes"),
            connections: form.all("connections"),
            policy: text("policy"),
            rate_per_minute: text("rate_per_minute"),
            expires_in: text("expires_in"),
        }
    }

    /// Requests per minute. `None` means no limit.
    pub(super) fn rate_per_minute(&self) -> Result<Option<u32>, Error> {
        number(&self.rate_per_minute, "/rate_per_minute")
    }

    /// Seconds until the credential expires. `None` if it doesn't.
    pub(super) fn expires_in(&self) -> Result<Option<u32>, Error> {
        number(&self.expires_in, "/expires_in")
    }

    /// The form's part of a page.
    pub(super) async fn context(&self, environment: &Environment) -> Result<Value, Error> {
        let connections = environment
            .send(ListConnections::new().page(Paging::new(None, 100)))
            .await?
            .items;
        let title = |product: &str| {
            let found = environment.catalogue().product(product);
            found.map_or_else(|| product.to_owned(), |found| found.title.to_owned())
        };
        let connections: Vec<_> = connections
            .iter()
            .map(|one| {
                let name = one.connection_name.to_string();
                (name.clone(), name, title(&one.product))
            })
            .collect();
        let groups: Vec<_> = GROUPS
            .iter()
            .map(|(title, names)| group(environment, title, names))
            .collect();
        let policies = environment
            .send(ListPolicies::new())
            .await?
            .items
            .into_iter();
        let policies = policies.map(|policy| (policy.name.clone(), policy.name));
        let none = [(String::new(), String::from("No policy"))];
        let policies: Vec<_> = none.into_iter().chain(policies).collect();
        Ok(context! {
            given => Serde(self),
            groups => Serde(groups),
            connections => connections,
            policies => policies,
        })
    }
}

fn number(text: &str, place: &str) -> Result<Option<u32>, Error> {
    match text {
        "" => Ok(None),
        digits => digits
            .parse()
            .map(Some)
            .map_err(|_| Error::invalid_at(place, "Enter a whole number.")),
    }
}

/// A group of scopes.
#[derive(Debug, Serialize)]
struct Group {
    title: &'static str,
    scopes: Vec<Choice>,
}

/// A scope to choose, and its variants for single products if it has any.
#[derive(Debug, Serialize)]
struct Choice {
    word: &'static str,
    about: &'static str,
    products: Vec<(String, &'static str)>,
}

/// The first sentence of a scope's summary. The rest is about the spelling for one product.
pub(super) fn about(name: ScopeName) -> &'static str {
    let first = name.summary().split_inclusive(". ").next();
    first.unwrap_or_default().trim()
}

fn group(environment: &Environment, title: &'static str, names: &[ScopeName]) -> Group {
    let products = environment.catalogue().products();
    let choice = |name: &ScopeName| {
        let of_products = products.iter().filter(|_| name.has_products());
        Choice {
            word: name.name(),
            about: about(*name),
            products: of_products
                .map(|product| (name.of(product.name).to_string(), product.title))
                .collect(),
        }
    };
    Group {
        title,
        scopes: names.iter().map(choice).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_can_be_chosen_once() {
        for name in ScopeName::ALL {
            let all = GROUPS.iter().flat_map(|(_, names)| names.iter());
            assert_eq!(all.filter(|one| *one == name).count(), 1, "{name:?}");
        }
    }
}
