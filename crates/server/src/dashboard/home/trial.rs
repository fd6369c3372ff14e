//! The cards of the products to try: who is connected, and the result of a call.

use serde::Serialize;
use stead::{Error, ErrorKind};
use stead_core::{
    environment::Environment,
    error::ActBy,
    resource::{Account, AccountState, Execution, ReadAccount, ReadConnection},
};

use super::result::{self, Shown};
use crate::{
    dashboard::words,
    options::{Sample, Trial},
};

/// A product to try.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    connection_name: String,
    product: &'static str,
    title: &'static str,
    about: String,
    button: String,
    tool: String,
    /// The user's account, if connected.
    account: Option<Account>,
    is_active: bool,
    ran: Option<Outcome>,
}

/// The outcome of a call.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) connection_name: String,
    pub(super) outcome: Result<Execution, Error>,
    pub(super) micros: u64,
}

/// The title for people.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Done {
        shown: Shown,
        execution_id: String,
        micros: u64,
    },
    Failed {
        kind: &'static str,
        message: String,
        act_by: &'static str,
        /// Whether a new consent by the user helps.
        connect: bool,
    },
}

/// The sample of a connection.
pub(super) fn sample<'a>(
    trial: Option<&'a Trial>,
    connection_name: &str,
) -> Result<(&'a Trial, &'a Sample), Error> {
    let not_found = || Error::new(ErrorKind::NotFound, "this connection has no sample call");
    let trial = trial.ok_or_else(not_found)?;
    let mut samples = trial.samples.iter();
    let sample = samples.find(|sample| sample.connection_name == connection_name);
    Ok((trial, sample.ok_or_else(not_found)?))
}

/// A card for each sample whose connection exists.
pub(super) async fn cards(
    environment: &Environment,
    trial: &Trial,
    mut ran: Option<Ran>,
) -> Result<Vec<Card>, Error> {
    let mut cards = Vec::new();
    for sample in &trial.samples {
        let name = &sample.connection_name;
        let connection = match environment.send(ReadConnection::new(name)).await {
            Ok(connection) => connection,
            Err(error) if error.kind() == ErrorKind::UnknownConnection => continue,
            Err(error) => return Err(error),
        };
        let Some(product) = environment.catalogue().product(&connection.product) else {
            continue;
        };
        let account = match environment
            .send(ReadAccount::new(name, &trial.identifier))
            .await
        {
            Ok(account) => Some(account),
            Err(error) if error.kind() == ErrorKind::AccountNotFound => None,
            Err(error) => return Err(error),
        };
        let own = ran.take_if(|ran| ran.connection_name == *name);
        cards.push(Card {
            connection_name: name.clone(),
            product: product.name,
            title: product.title,
            about: sample.about.clone(),
            button: sample.title.clone(),
            tool: sample.tool.clone(),
            is_active: account
                .as_ref()
                .is_some_and(|account| account.state == AccountState::Active),
            account,
            ran: own.map(|ran| outcome(sample, ran)),
        });
    }
    Ok(cards)
}

fn outcome(sample: &Sample, ran: Ran) -> Outcome {
    match ran.outcome {
        Ok(execution) => Outcome::Done {
            shown: result::show(sample, execution.data.get()),
            execution_id: execution.execution_id.to_string(),
            micros: ran.micros,
        },
        Err(error) => Outcome::Failed {
            kind: error.kind().name(),
            message: error.message().to_owned(),
            act_by: words::act_by(error.act_by()),
            connect: error.act_by() == ActBy::EndUser,
        },
    }
}
