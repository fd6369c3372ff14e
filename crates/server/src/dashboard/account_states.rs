//! The number of accounts in each state.

use serde::Serialize;
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{Account, AccountFilter, AccountState, ListAccounts},
};

/// The most accounts to count.
const MOST: usize = 1_000;
const PAGE: u32 = 100;

/// Number of accounts in a state, and their share of a bar of 100.
#[derive(Debug, Serialize)]
pub(super) struct Share {
    pub(super) state: &'static str,
    pub(super) accounts: usize,
    x: f64,
    width: f64,
}

/// The first thousand accounts that match, and whether there are more.
pub(super) async fn accounts(
    environment: &Environment,
    filter: &AccountFilter,
) -> Result<(Vec<Account>, bool), Error> {
    let (mut all, mut token) = (Vec::new(), None::<String>);
    loop {
        let page = environment
            .send(
                ListAccounts::new()
                    .filter(filter.clone())
                    .page(Paging::new(token.as_deref(), PAGE)),
            )
            .await?;
        all.extend(page.items);
        token = page.next_page_token;
        if token.is_none() || all.len() >= MOST {
            return Ok((all, token.is_some()));
        }
    }
}

pub(super) fn shares(accounts: &[Account]) -> Vec<Share> {
    let mut x = 0.0;
    let counted = AccountState::ALL.map(|state| {
        let of_state = accounts.iter().filter(|account| account.state == state);
        (state.name(), of_state.count())
    });
    let present = counted.into_iter().filter(|(_, count)| *count > 0);
    present
        .map(|(state, count)| {
            let width = count as f64 * 100.0 / accounts.len() as f64;
            let share = Share {
                state,
                accounts: count,
                x,
                width,
            };
            x += width;
            share
        })
        .collect()
}
