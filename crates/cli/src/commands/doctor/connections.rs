//! Each connection: whether it can be used, whether its product takes the client, and whether its endpoints answer.

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
    each.flat_map(|connection| one(connection, examination))
        .collect()
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
    let failed = urls
        .iter()
        .filter_map(|url| match examination.addresses.get(url)? {
            Probe::Failed(why) => Some((url, why)),
            _ => None,
        });
    for (url, why) in failed {
        findings.push(Finding::error(
            CHECK,
            format!("{name}: {url} cannot be reached: {why}"),
            format!(
                "Check the network of this machine: curl -sI {url}\n{:22}Check the settings of the product in the file of --config.",
                ""
            ),
        ));
    }
    if findings.is_empty() {
        let message = format!("{name} is ready, and its endpoints answer");
        findings.push(Finding::ok(CHECK, message));
    }
    findings
}
