//! The sandbox for the dashboard, which shows and changes it.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use stead_sandbox::{Fault, Sandbox};
use stead_server::{SandboxControl, SandboxRequest, SandboxSection};

/// The sandbox of this process.
#[derive(Debug)]
pub(super) struct Drawer(pub(super) Sandbox);

/// Word, title, and what it does.
const FAULTS: [(&str, &str, &str); 7] = [
    (
        "expire",
        "Access tokens expire",
        "Stead refreshes each account’s token before its next call.",
    ),
    (
        "unauthorized",
        "Next request: 401",
        "The product refuses a valid token once, and Stead refreshes it.",
    ),
    (
        "rate_limit",
        "Next requests: 429",
        "The product rate-limits four requests. They may come back in two seconds.",
    ),
    (
        "unavailable",
        "Next requests: 503",
        "The product fails four requests.",
    ),
    (
        "cut",
        "Next response: cut off",
        "The product processes the request and sends half of its response.",
    ),
    (
        "stall",
        "Next response: never",
        "The product processes the request and never responds. The call times out.",
    ),
    (
        "revoke",
        "Users withdraw consent",
        "All users revoke access and have to reconnect.",
    ),
];
/// How often Stead sends a request that it may repeat.
const TIMES: u32 = 4;

fn fault(word: &str) -> Option<Fault> {
    let error = |status, reason: &str, retry_after: Option<&str>| Fault::Error {
        host: None,
        path_contains: None,
        status,
        reason: reason.to_owned(),
        message: None,
        retry_after: retry_after.map(str::to_owned),
        times: TIMES,
    };
    Some(match word {
        "expire" => Fault::ExpireAccessTokens { user: None },
        "unauthorized" => Fault::Unauthorized { times: 1 },
        "rate_limit" => error(429, "rateLimitExceeded", Some("2")),
        "unavailable" => error(503, "backendError", None),
        "cut" => Fault::Cut {
            host: None,
            path_contains: None,
            times: 1,
        },
        "stall" => Fault::Stall {
            host: None,
            path_contains: None,
            times: 1,
        },
        "revoke" => Fault::Revoke { user: None },
        _ => return None,
    })
}

impl SandboxControl for Drawer {
    fn users(&self) -> Vec<(String, String)> {
        let people = self.0.people().into_iter();
        people
            .map(|(email, name)| (email.to_owned(), name.to_owned()))
            .collect()
    }

    fn sections(&self, user: &str) -> Vec<SandboxSection> {
        same(&self.0.sections(user))
    }

    fn add(
        &self,
        user: &str,
        section: &str,
        fields: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        self.0.add_record(user, section, fields)
    }

    fn delete(&self, user: &str, section: &str, id: &str) -> Result<(), String> {
        self.0.delete_record(user, section, id)
    }

    fn received(&self, most: usize) -> (Vec<SandboxRequest>, usize) {
        let received = self.0.received();
        let newest: Vec<_> = received.iter().rev().take(most).collect();
        (same(&newest), received.len())
    }

    fn faults(&self) -> Vec<(String, String, String)> {
        let owned = |(word, title, about): &(&str, &str, &str)| {
            ((*word).to_owned(), (*title).to_owned(), (*about).to_owned())
        };
        FAULTS.iter().map(owned).collect()
    }

    fn waiting(&self) -> Vec<String> {
        let waiting = self.0.waiting();
        let in_words = |one: &Value| {
            let fault = &one["fault"];
            let status = fault["status"].as_u64().map(|status| format!(" {status}"));
            let kind = fault["kind"].as_str().unwrap_or_default().replace('_', " ");
            format!("{kind}{}, {}×", status.unwrap_or_default(), one["left"])
        };
        waiting.iter().map(in_words).collect()
    }

    fn fault(&self, word: &str) -> Result<(), String> {
        let fault = fault(word).ok_or_else(|| format!("there is no fault {word}"))?;
        self.0.try_fault(fault)
    }

    fn reset(&self) {
        self.0.reset();
    }
}

/// The server's view of what the sandbox has: members of the same names.
fn same<T: DeserializeOwned + Default>(given: &impl Serialize) -> T {
    let value = serde_json::to_value(given).unwrap_or_default();
    serde_json::from_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &str = "ada@example.com";

    #[test]
    fn the_dashboard_shows_and_changes_the_sandboxs_data() {
        let drawer = Drawer(Sandbox::new());
        assert_eq!(drawer.users().len(), 2);
        for section in drawer.sections(ADA) {
            assert!(!section.records.is_empty(), "{section:?}");
            let first = &section.records[0];
            assert_eq!(first.cells.len(), section.columns.len(), "{section:?}");
            drawer.delete(ADA, &section.name, &first.id).unwrap();
            let gone = drawer.delete(ADA, &section.name, &first.id);
            assert!(gone.is_err(), "{}", section.name);
            let fields: BTreeMap<String, String> = section
                .fields
                .iter()
                .map(|field| {
                    let value = match field.value.as_str() {
                        "" => "written by hand",
                        value => value,
                    };
                    (field.name.clone(), value.to_owned())
                })
                .collect();
            let before = records(&drawer, &section.name);
            drawer.add(ADA, &section.name, &fields).unwrap();
            let after = records(&drawer, &section.name);
            assert!(after > before, "{}: {before} {after}", section.name);
            let nothing = drawer.add(ADA, &section.name, &BTreeMap::new());
            assert!(nothing.unwrap_err().ends_with(" is missing"));
        }
        assert!(drawer.add(ADA, "nothing", &BTreeMap::new()).is_err());
        drawer.reset();
        assert_eq!(drawer.sections(ADA).len(), 6);
    }

    fn records(drawer: &Drawer, name: &str) -> usize {
        let sections = drawer.sections(ADA);
        let found = sections.iter().find(|section| section.name == name);
        found.unwrap().records.len()
    }

    #[test]
    fn every_fault_of_the_list_is_one() {
        let drawer = Drawer(Sandbox::new());
        for (word, ..) in FAULTS {
            drawer.fault(word).unwrap();
        }
        assert!(drawer.fault("nothing").is_err());
        assert_eq!(drawer.waiting()[1], "error 429, 4×");
        assert_eq!(drawer.waiting().len(), 5);
    }
}
