//! The scopes of credentials, to choose and in words.

use serde::Serialize;
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    environment::Environment,
    scope::{
        Scope,
        ScopeName::{self, *},
    },
};

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

/// The scopes that are ticked in a new form.
pub(super) const USUAL: [ScopeName; 3] = [ToolsExecute, LinksCreate, AccountsRead];

/// The scopes to choose from.
pub(super) async fn groups(environment: &Environment) -> Result<Value, Error> {
    let groups = GROUPS
        .iter()
        .map(|(title, names)| group(environment, title, names));
    Ok(json!(groups.collect::<Vec<_>>()))
}

/// The scopes of a credential: each with its summary, and its product if it's only for one.
pub(super) fn described(environment: &Environment, words: &Value) -> Vec<Described> {
    let catalogue = environment.catalogue();
    let words = words.as_array().into_iter().flatten();
    let scopes = words.filter_map(|word| word.as_str()?.parse::<Scope>().ok());
    let scopes = scopes.map(|scope| {
        // A scope that no longer exists is shown by its name.
        let product = scope.product.as_deref();
        let title = product.map(|name| catalogue.product(name).map_or(name, |found| found.title));
        let title = title.map(str::to_owned);
        (scope.to_string(), about(scope.name), title)
    });
    scopes.collect()
}

/// A scope, its summary and its product.
type Described = (String, &'static str, Option<String>);

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
fn about(name: ScopeName) -> &'static str {
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
