//! The state of an environment, for an operator who diagnoses a problem.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use http::header;
use jiff::{SignedDuration, Timestamp};

use crate::{
    Result,
    context::Context,
    domain::Account,
    identifier::ConnectionName,
    keys,
    ports::{Body, Limits, Unreached},
    resource::AuditVerification,
    state::{AccountReason, AccountState, ConnectionHealth, ConnectionState},
    tool::http_date,
};

/// Maximum number of accounts to count.
const ACCOUNTS: usize = 100_000;
const PAGE: u32 = 500;
/// Maximum number of outbox entries to read.
const ENTRIES: u32 = 1_000;
/// Number of URLs that are requested at the same time.
const AT_ONCE: usize = 8;
const LIMITS: Limits = Limits {
    first_byte: Duration::from_secs(5),
    total: Duration::from_secs(10),
    response_bytes: 64 * 1024,
    ..Limits::DEFAULT
};

/// State of an environment.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examination {
    /// When the database was last restored from an older copy, if known.
    pub restored_at: Option<Timestamp>,
    /// How far the store's clock is ahead of this process's clock.
    pub store_ahead: SignedDuration,
    /// Connections, by name.
    pub connections: Vec<ExaminedConnection>,
    /// Results of requests to the connections' URLs and to other given URLs.
    pub addresses: BTreeMap<String, Probe>,
    /// Accounts by connection, state and reason. Counts at most 100,000 accounts.
    pub accounts: HashMap<(String, AccountState, Option<AccountReason>), u64>,
    /// Pending work at products.
    pub outbox: WaitingInOutbox,
    /// Result of verifying the audit log and the rows, which detects writes and deletions without the key.
    pub audit: AuditVerification,
    /// Until when rows without a MAC are accepted, after an upgrade from a version that wrote none.
    pub rows_taken_until: Option<Timestamp>,
}

/// A connection, with the URLs of its product.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExaminedConnection {
    /// Name.
    pub name: ConnectionName,
    /// Product.
    pub product: String,
    /// State.
    pub state: ConnectionState,
    /// Whether the product accepted the connection's client the last time.
    pub health: ConnectionHealth,
    /// Authorization endpoint and token endpoint.
    pub urls: Vec<String>,
}

/// Result of a request without credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum Probe {
    /// The status of the response, and how far this process's clock is ahead of the response's `Date`.
    Response(u16, Option<SignedDuration>),
    /// No response arrived, for this reason.
    Failed(String),
}

/// Pending work at products. Counts at most 1,000 entries.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct WaitingInOutbox {
    /// Number of entries.
    pub entries: usize,
    /// Age of the oldest entry.
    pub age: Option<SignedDuration>,
    /// Highest number of failed attempts of an entry.
    pub failures: u32,
}

/// Examines the environment. Requests each URL of a ready connection and each of `others` once. Changes nothing.
pub(crate) async fn examine(
    context: &Context,
    others: &[String],
    audit: AuditVerification,
) -> Result<Examination> {
    let store_ahead = context
        .store
        .now()
        .await?
        .duration_since(context.host.runtime.now());
    let mut found = Vec::new();
    for row in context.all_connections().await? {
        let endpoints = context.endpoints_of(&row);
        // A product that this build doesn't have has no URLs.
        let urls = endpoints.map_or_else(|_| Vec::new(), |endpoints| endpoints.for_authorization());
        found.push(ExaminedConnection {
            name: row.name,
            product: row.product,
            state: row.state,
            health: row.health,
            urls,
        });
    }
    // Drafts and disabled connections aren't in use.
    let in_use = |connection: &&ExaminedConnection| connection.state == ConnectionState::Ready;
    let urls: BTreeSet<String> = found
        .iter()
        .filter(in_use)
        .flat_map(|connection| &connection.urls)
        .chain(others)
        .cloned()
        .collect();
    let addresses = stream::iter(urls)
        .map(|url| async move {
            let probe = ask(context, &url).await;
            (url, probe)
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    Ok(Examination {
        restored_at: context.store.restored_at,
        store_ahead,
        connections: found,
        addresses,
        accounts: accounts(context).await?,
        outbox: outbox(context).await?,
        audit,
        rows_taken_until: keys::rows_taken_until(context).await?,
    })
}

async fn ask(context: &Context, url: &str) -> Probe {
    let mut request = http::Request::new(Body::Empty);
    let Ok(uri) = url.parse::<http::Uri>() else {
        return Probe::Failed(String::from("it is not an address"));
    };
    let host = uri.authority().map(ToString::to_string).unwrap_or_default();
    *request.uri_mut() = uri;
    request.extensions_mut().insert(LIMITS);
    match context.products.send(request).await {
        Ok(response) => {
            let date = response.headers().get(header::DATE);
            let date = date.and_then(|date| http_date(date.to_str().ok()?));
            let ahead = date.map(|date| context.host.runtime.now().duration_since(date));
            Probe::Response(response.status().as_u16(), ahead)
        }
        Err(error) => Probe::Failed(match error.unreached() {
            // The transport's message already says what is wrong with a certificate.
            None | Some(Unreached::Tls) => error.to_string(),
            Some(why) => why.at(&host),
        }),
    }
}

async fn accounts(
    context: &Context,
) -> Result<HashMap<(String, AccountState, Option<AccountReason>), u64>> {
    let rows = context.all_connections().await?;
    let connections: BTreeMap<_, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let mut counts = HashMap::new();
    let (mut after, mut looked_at) = (None, 0);
    while looked_at < ACCOUNTS {
        let page = context.store.accounts(None, after, PAGE).await?;
        let last = page.len() < PAGE as usize;
        after = page.last().map(|found| found.row.id);
        looked_at += page.len();
        for row in page.into_iter().map(|found| found.row) {
            if let Some(connection) = connections.get(&row.connection_id) {
                let row: Account = row.through(connection);
                let kind = (connection.name.to_string(), row.state, row.reason);
                *counts.entry(kind).or_default() += 1;
            }
        }
        if last {
            break;
        }
    }
    Ok(counts)
}

/// When a row was created, according to its ID.
pub(super) fn made(id: uuid::Uuid) -> Option<Timestamp> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanos).ok()?).ok()
}

pub(super) async fn outbox(context: &Context) -> Result<WaitingInOutbox> {
    let entries = context.store.due(Timestamp::MAX, ENTRIES).await?;
    Ok(WaitingInOutbox {
        entries: entries.len(),
        age: entries
            .iter()
            .filter_map(|found| made(found.row.id.uuid()))
            .map(|made| context.host.now().duration_since(made))
            .max(),
        failures: (entries.iter().map(|found| found.row.attempts))
            .max()
            .unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Responses, STABLE, World, context, insert_account, response};

    #[test]
    fn an_examination_shows_connections_accounts_and_what_their_addresses_say() {
        let world = World::new();
        let transport = Responses::by(|request: http::Request<Body>| async move {
            let names = request.headers().keys();
            assert!(names.eq([&header::USER_AGENT]), "no credentials");
            let mut response = response(404, "");
            // 90 seconds after the test's clock.
            let date = "Thu, 01 Jan 2026 00:01:30 GMT".parse().unwrap();
            response.headers_mut().insert(header::DATE, date);
            Ok(response)
        });
        let context = context(&world, &STABLE, transport);
        let found = world.ok(async {
            insert_account(&context, AccountState::Active).await;
            let audit = AuditVerification::new(None, None, Vec::new());
            examine(&context, &[String::from("not an address")], audit).await
        });
        assert!(found.store_ahead.is_zero());
        let urls = &found.connections[0].urls;
        assert_eq!(urls.len(), 2);
        for url in urls {
            let Probe::Response(404, Some(ahead)) = found.addresses[url] else {
                panic!("{:?}", found.addresses)
            };
            assert_eq!(ahead.as_secs(), -90);
        }
        let wrong = &found.addresses["not an address"];
        assert!(matches!(wrong, Probe::Failed(_)), "{wrong:?}");
        let active = (String::from("demo"), AccountState::Active, None);
        assert_eq!(found.accounts[&active], 1);
        assert_eq!(found.outbox.entries, 0);
    }
}
