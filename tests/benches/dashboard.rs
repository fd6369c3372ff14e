//! How long the server needs for each page of the dashboard, and how large it is, with 100,000 accounts and 1,000,000 calls.
//!
//! `cargo xtask bench dashboard [CALLS]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a measurement prints its figures, and ends where something is not as it should be"
)]

#[path = "../stories/notes.rs"]
mod notes;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    net::SocketAddr,
    path::Path,
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo};
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};
use stead::TokioRuntime;
use stead_core::ports::Runtime;
use stead_server::{DashboardAccess, ServerOptions};
use tower::ServiceExt as _;

/// Accounts besides those that make calls.
const ACCOUNTS: u32 = 100_000;
/// How often each page is asked for.
const ROUNDS: usize = 15;
/// Of pages next to each other, such as those of single accounts, this many are measured.
const ALIKE: usize = 1;
const PEER: ([u8; 4], u16) = ([127, 0, 0, 1], 40_000);

#[tokio::main]
async fn main() {
    let calls = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stead.db");
    let platform = notes::platform(&file, None).await.unwrap();
    notes::calls(&platform, 0..calls).await;
    more_accounts(&file).await;
    platform.environment().maintain().await.unwrap();
    let counted = notes::counted(&notes::totals(&platform).await, "", "");
    println!(
        "{ACCOUNTS} accounts, {counted} calls; the median of {ROUNDS} requests, and the longest"
    );
    let mut options = ServerOptions::default();
    options.dashboard.access = DashboardAccess::SignedInOnLoopback;
    let browser = Browser::open(stead_server::router_with(&platform, &options)).await;
    browser.measure().await;
    platform.environment().shut_down().await;
}

/// Copies one account, with ids and identifiers of their own: every tenth waits for its user, every hundredth is revoked.
async fn more_accounts(file: &Path) {
    let options = SqliteConnectOptions::new().filename(file);
    let mut database = options.connect().await.unwrap();
    // `?` is how many.
    let copy = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?),
           one AS (SELECT * FROM account LIMIT 1),
           made AS (SELECT substr(one.id, 1, 29) || printf('%08x', i) AS new_id, i,
             CASE WHEN i % 100 = 0 THEN 'needs_reauthorization' WHEN i % 10 = 0 THEN 'pending_authorization' ELSE 'active' END AS new_state,
             one.* FROM n, one)
         INSERT INTO account (id, connection_id, identifier, state, version, body)
         SELECT new_id, connection_id, 'copy-' || i || '@example.com', new_state, version,
           json_set(body, '$.id', new_id, '$.identifier', 'copy-' || i || '@example.com', '$.state', new_state)
         FROM made";
    let copying = sqlx::query(copy).bind(ACCOUNTS);
    copying.execute(&mut database).await.unwrap();
}

/// Asks for pages as the browser of a member does.
struct Browser {
    router: Router,
    cookie: String,
    runtime: TokioRuntime,
}

impl Browser {
    async fn open(router: Router) -> Self {
        let mut browser = Self {
            router,
            cookie: String::new(),
            runtime: TokioRuntime::current().unwrap(),
        };
        let home = browser.get("/dashboard").await;
        browser.cookie = home.cookie.unwrap();
        browser
    }

    async fn get(&self, path: &str) -> Response {
        let request = Request::get(path)
            .extension(ConnectInfo(SocketAddr::from(PEER)))
            .header(header::HOST, "127.0.0.1")
            .header(header::ACCEPT, "text/html")
            .header(header::COOKIE, &self.cookie)
            .body(Body::empty());
        let began = self.runtime.monotonic();
        let response = self.router.clone().oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let cookie = response.headers().get(header::SET_COOKIE);
        let cookie =
            cookie.and_then(|cookie| Some(cookie.to_str().ok()?.split(';').next()?.to_owned()));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Response {
            took: self.runtime.monotonic() - began,
            status,
            cookie,
            page: String::from_utf8_lossy(&body).into_owned(),
        }
    }

    /// Follows the links from the home page, and measures one page of each kind.
    async fn measure(&self) {
        let mut waiting = VecDeque::from([String::from("/dashboard")]);
        let (mut known, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        let mut alike: BTreeMap<String, usize> = BTreeMap::new();
        while let Some(path) = waiting.pop_front() {
            let response = self.get(&path).await;
            assert_eq!(response.status, StatusCode::OK, "{path}: {}", response.page);
            if kinds.insert(response.kind()) {
                self.measure_one(&path, &response).await;
            }
            for link in response.links() {
                let family = link.rsplit_once('/').map_or("", |(folder, _)| folder);
                let family = family.split('?').next().unwrap_or_default().to_owned();
                if known.insert(link.clone()) {
                    let alike = alike.entry(family).or_default();
                    *alike += 1;
                    // The pages of a long list are alike too.
                    let is_section = link.matches('/').count() <= 3 && !link.contains('?');
                    if *alike <= ALIKE || is_section {
                        waiting.push_back(link);
                    }
                }
            }
        }
    }

    async fn measure_one(&self, path: &str, response: &Response) {
        let mut took = Vec::new();
        for _ in 0..ROUNDS {
            took.push(self.get(path).await.took);
        }
        took.sort_unstable();
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:7.1} ms  {:7.1} ms  {:6} bytes  {path}",
            millis(took[ROUNDS / 2]),
            millis(took[ROUNDS - 1]),
            response.page.len(),
        );
    }
}

struct Response {
    took: Duration,
    status: StatusCode,
    cookie: Option<String>,
    page: String,
}

impl Response {
    /// The template that made the page.
    fn kind(&self) -> String {
        let after = self
            .page
            .split_once("data-page=\"")
            .map_or("", |(_, after)| after);
        after.split('"').next().unwrap_or_default().to_owned()
    }

    fn links(&self) -> Vec<String> {
        let after = self.page.split("href=\"").skip(1);
        let links = after.filter_map(|after| after.split('"').next());
        let written = links.map(|link| link.replace("&amp;", "&").replace("&#x2f;", "/"));
        let whole = written.map(|link| link.split('#').next().unwrap_or_default().to_owned());
        let own = whole.filter(|link| link.starts_with("/dashboard") && !link.contains("/assets/"));
        own.collect()
    }
}
