//! Each connection: whether it can be used, whether its product takes the client, and whether its endpoints answer.

use std::collections::BTreeMap;

use stead::core::{
    environment::{Examination, ExaminedConnection, Probe},
    state::{ConnectionHealth, ConnectionState},
};

use super::Finding;

const CHECK: &str = "connections";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    if examination.connections.is_empty() {
        return vec![Finding::warning(
            CHECK,
            "there is no connection yet",
            "Create one: stead connections create NAME --product PRODUCT --client-id ID --client-secret-file FILE",
        )];
    }
    let each = examination.connections.iter();
    let mut findings: Vec<Finding> = each
        .flat_map(|connection| one(connection, examination))
        .collect();
    findings.extend(unreached(examination));
    findings
}

/// The endpoints that do not answer, each once with the connections that need it.
fn unreached(examination: &Examination) -> Vec<Finding> {
    let mut needed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for connection in &examination.connections {
        for url in failed(connection, examination) {
            let names = needed.entry(url).or_default();
            names.push(connection.name.as_str());
        }
    }
    let each = needed.into_iter().map(|(url, names)| {
        let why = match examination.addresses.get(url) {
            Some(Probe::Failed(why)) => why.as_str(),
            _ => "",
        };
        Finding::error(
            CHECK,
            format!("{}: {url} cannot be reached: {why}", names.join(", ")),
            format!(
                "Check the network of this machine: curl -sI {url}\n{:22}Check the settings of the product in the file of --config.",
                ""
            ),
        )
    });
    each.collect()
}

/// The addresses of a connection that do not answer.
fn failed<'a>(
    connection: &'a ExaminedConnection,
    examination: &'a Examination,
) -> impl Iterator<Item = &'a str> {
    let is_failed =
        |url: &&String| matches!(examination.addresses.get(*url), Some(Probe::Failed(_)));
    connection.urls.iter().filter(is_failed).map(String::as_str)
}

fn one(connection: &ExaminedConnection, examination: &Examination) -> Vec<Finding> {
    let (name, urls) = (&connection.name, &connection.urls);
    let mut findings = Vec::new();
    if connection.health == ConnectionHealth::ClientRejected {
        findings.push(Finding::error(
            CHECK,
            format!("the product refuses the client id or secret of {name}"),
            format!("Give it those that its product shows: stead connections change {name} --client-id ID --client-secret-file FILE"),
        ));
    }
    match connection.state {
        ConnectionState::Ready => {}
        ConnectionState::Disabled => findings.push(Finding::warning(
            CHECK,
            format!("{name} is disabled"),
            format!("Where that is not meant: stead connections change {name} --enable"),
        )),
        _ => findings.push(Finding::warning(
            CHECK,
            format!("{name} is a draft: it has no client yet"),
            format!(
                "Run: stead connections change {name} --client-id ID --client-secret-file FILE"
            ),
        )),
    }
    if urls.is_empty() {
        findings.push(Finding::error(
            CHECK,
            format!(
                "{name} is of the product {}, whose endpoints are not known",
                connection.product
            ),
            format!("Check its settings: stead connections show {name}"),
        ));
    }
    if findings.is_empty() && failed(connection, examination).next().is_none() {
        let message = format!("{name} is ready, and its endpoints answer");
        findings.push(Finding::ok(CHECK, message));
    }
    findings
}
