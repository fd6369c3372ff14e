//! A scrape of a running service, as a monitoring system reads it.

use std::collections::{BTreeMap, BTreeSet};

use axum::{Router, body::Body};
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::json;
use stead_core::resource::ReadConnection;
use tower::ServiceExt as _;

use crate::{
    ServerOptions, routers,
    testing::{TestService, json_response},
};

/// Samples by name and labels.
struct Scrape(BTreeMap<String, f64>);

impl Scrape {
    async fn of(metrics: &Router) -> Self {
        let request = Request::get("/metrics").body(Body::empty()).unwrap();
        let response = metrics.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let kind = &response.headers()["content-type"];
        assert_eq!(kind, "text/plain; version=0.0.4; charset=utf-8");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Self::parse(std::str::from_utf8(&body).unwrap())
    }

    /// Reads the text strictly by the format's definition.
    fn parse(text: &str) -> Self {
        let is_name = |name: &str| {
            let mut letters = name.chars();
            letters
                .next()
                .is_some_and(|first| first.is_ascii_alphabetic())
                && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let (mut samples, mut families) = (BTreeMap::new(), BTreeSet::new());
        let mut family = (String::new(), String::new());
        assert!(text.ends_with('\n'));
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap();
                assert!(is_name(name) && !help.is_empty(), "{line}");
                assert!(families.insert(name.to_owned()), "{name} stands twice");
                continue;
            }
            if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert!(families.contains(name), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                family = (name.to_owned(), kind.to_owned());
                continue;
            }
            let (series, value) = line.rsplit_once(' ').unwrap();
            let value: f64 = value.parse().unwrap();
            assert!(value.is_finite() && value >= 0.0, "{line}");
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            let rest = name.strip_prefix(&family.0).unwrap();
            let parts: &[&str] = match family.1.as_str() {
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &[""],
            };
            assert!(parts.contains(&rest), "{line}");
            for label in labels.strip_suffix('}').unwrap().split_inclusive("\",") {
                let (name, value) = label.trim_end_matches(',').split_once("=\"").unwrap();
                assert!(is_name(name) && value.ends_with('"'), "{line}");
            }
            let before = samples.insert(series.to_owned(), value);
            assert_eq!(before, None, "{series} stands twice");
        }
        Self(samples)
    }

    #[track_caller]
    fn value(&self, series: &str) -> f64 {
        let value = self.0.get(series).copied();
        value.unwrap_or_else(|| panic!("no {series} in {:#?}", self.0.keys()))
    }

    /// The names without those of buckets.
    fn names(&self) -> BTreeSet<&str> {
        let series = self.0.keys().map(String::as_str);
        series.filter(|series| !series.contains("le=\"")).collect()
    }
}

/// The same service with its metrics.
fn with_metrics(service: TestService) -> (TestService, Router) {
    let routers = routers(&service.platform, &ServerOptions::default());
    (service.within(|_| routers.server), routers.metrics)
}

async fn call(service: &TestService, tool: &str, identifier: &str) -> StatusCode {
    let path = format!("/v1/tools/{tool}/execute");
    let body = json!({
        "connection_name": "mail", "identifier": identifier, "input": { "query": "x" },
    });
    service.post(&path, body).await.status
}

#[tokio::test]
async fn a_scrape_counts_exactly_the_calls() {
    let service = TestService::with_products(|received| {
        let mut response = json_response(&json!({}));
        if received.uri.contains("/labels/") {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        response
    });
    let service = service.await.with_account("ada").await;
    let (service, metrics) = with_metrics(service);
    for _ in 0..3 {
        assert_eq!(
            call(&service, "mail_fetch_mails", "ada").await,
            StatusCode::OK
        );
    }
    call(&service, "mail_get_message_by_id", "ada").await;
    call(&service, "mail_fetch_mails", "grace").await;
    call(&service, "mail_fetch_mail", "ada").await;
    service.get("/proxy/mail/ada/v1/users/me/profile").await;
    service.get("/proxy/mail/ada/v1/users/me/labels/none").await;
    service.visit("/v1/connections").await;
    service.visit("/nothing/here").await;
    let scrape = Scrape::of(&metrics).await;
    let calls = [
        ("mail", "read", "ok", 3.0),
        ("mail", "read", "authorization_required", 1.0),
        ("mail", "proxy", "ok", 1.0),
        ("mail", "proxy", "product_not_found", 1.0),
        ("none", "unknown", "unknown_tool", 1.0),
    ];
    for (product, kind, outcome, count) in calls {
        let series = format!(
            "stead_calls_total{{product=\"{product}\",kind=\"{kind}\",outcome=\"{outcome}\"}}"
        );
        assert_eq!(scrape.value(&series), count, "{series}");
    }
    let execute = "/v1/tools/{name}/execute";
    let requests = [
        (execute, "POST", "2xx", 3.0),
        (execute, "POST", "4xx", 3.0),
        ("/v1/connections", "GET", "4xx", 1.0),
        ("none", "GET", "4xx", 1.0),
    ];
    for (route, method, status, count) in requests {
        let series = format!(
            "stead_http_requests_total{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}"
        );
        assert_eq!(scrape.value(&series), count, "{series}");
    }
    for (series, value) in [
        ("stead_call_duration_seconds_count{product=\"mail\"}", 7.0),
        ("stead_call_duration_seconds_count{product=\"none\"}", 1.0),
        (
            "stead_product_requests_total{product=\"mail\",status=\"2xx\"}",
            4.0,
        ),
        (
            "stead_product_request_duration_seconds_count{product=\"mail\"}",
            5.0,
        ),
        (
            "stead_token_refreshes_total{product=\"mail\",outcome=\"ok\"}",
            0.0,
        ),
        ("stead_events_total{type=\"authorization.created\"}", 1.0),
        ("stead_events_total{type=\"authorization.redirected\"}", 1.0),
        ("stead_events_total{type=\"authorization.completed\"}", 1.0),
        ("stead_http_errors_total{kind=\"unknown_tool\"}", 1.0),
        ("stead_http_errors_total{kind=\"overloaded\"}", 0.0),
        ("stead_http_errors_total{kind=\"unauthenticated\"}", 1.0),
        ("stead_store_away", 0.0),
        ("stead_calls_in_flight", 0.0),
        ("stead_backlog{queue=\"outbox\"}", 0.0),
        ("stead_backlog_age_seconds{queue=\"webhooks\"}", 0.0),
        ("stead_http_requests_in_flight", 0.0),
        ("stead_http_requests_in_flight_limit", 10_000.0),
        ("stead_build_info{version=\"0.1.0\"}", 1.0),
    ] {
        assert_eq!(scrape.value(series), value, "{series}");
    }
    assert!(
        scrape.value("stead_store_operations_total{operation=\"commit\",outcome=\"ok\"}") > 0.0
    );
    assert!(scrape.value("process_start_time_seconds") > 1.7e9);
    if cfg!(target_os = "linux") {
        assert!(scrape.value("process_resident_memory_bytes") > 1e6);
        assert!(scrape.value("process_open_fds") < scrape.value("process_max_fds"));
    }
}

#[tokio::test]
async fn a_refresh_is_counted_by_its_outcome() {
    let service = TestService::new().await.with_account("ada").await;
    let (service, metrics) = with_metrics(service);
    // The product's token expires a moment before the application's.
    service.pass(std::time::Duration::from_secs(3590));
    assert_eq!(
        call(&service, "mail_fetch_mails", "ada").await,
        StatusCode::OK
    );
    let scrape = Scrape::of(&metrics).await;
    let refreshes = "stead_token_refreshes_total{product=\"mail\",outcome=\"ok\"}";
    assert_eq!(scrape.value(refreshes), 1.0);
}

#[tokio::test]
async fn the_number_of_series_does_not_grow_with_accounts() {
    let service = TestService::new().await.with_account("ada").await;
    let (service, metrics) = with_metrics(service);
    let connection = service
        .platform
        .environment()
        .send(ReadConnection::new("mail"))
        .await;
    let connection = connection.unwrap().id.to_string();
    let connect = async |identifier: &str| {
        let link = service.link(identifier, None).await;
        let (state, cookie) = service.consent(&link).await;
        service.come_back(&connection, &state, &cookie).await;
        assert_eq!(
            call(&service, "mail_fetch_mails", identifier).await,
            StatusCode::OK
        );
        call(&service, "mail_fetch_mails", &format!("no {identifier}")).await;
        service
            .get(&format!("/v1/accounts/mail/{identifier}"))
            .await;
    };
    connect("grace").await;
    let before = Scrape::of(&metrics).await;
    for number in 0..1_000 {
        connect(&format!("user-{number}")).await;
    }
    let after = Scrape::of(&metrics).await;
    assert_eq!(before.names(), after.names());
    let calls = "stead_calls_total{product=\"mail\",kind=\"read\",outcome=\"ok\"}";
    assert_eq!(after.value(calls) - before.value(calls), 1_000.0);
    assert!(after.0.keys().all(|series| !series.contains("user-")));
}

#[tokio::test]
async fn metrics_are_on_their_own_listener_only() {
    let (service, metrics) = with_metrics(TestService::new().await);
    assert_eq!(
        service.visit("/metrics").await.status,
        StatusCode::NOT_FOUND
    );
    let request = Request::get("/v1/connections").body(Body::empty()).unwrap();
    let response = metrics.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

/// Names of metrics in a text.
fn named(text: &str) -> BTreeSet<&str> {
    let is_in = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_in(letter));
    words
        .filter(|word| word.starts_with("stead_") || word.starts_with("process_"))
        .collect()
}

#[tokio::test]
async fn rules_dashboard_and_guide_name_existing_metrics() {
    let service = TestService::new().await.with_account("ada").await;
    let (service, metrics) = with_metrics(service);
    call(&service, "mail_fetch_mails", "ada").await;
    let scrape = Scrape::of(&metrics).await;
    let series = scrape.0.keys();
    let there: BTreeSet<&str> = series
        .map(|series| series.split('{').next().unwrap())
        .collect();
    let families: BTreeSet<&str> = there
        .iter()
        .filter(|name| !name.ends_with("_bucket") && !name.ends_with("_sum"))
        .map(|name| name.strip_suffix("_count").unwrap_or(name))
        .collect();
    for (file, text) in [
        (
            "alerts.yaml",
            include_str!("../../../../docs/deploy/alerts.yaml"),
        ),
        (
            "grafana.json",
            include_str!("../../../../docs/deploy/grafana.json"),
        ),
    ] {
        let named = named(text);
        assert!(named.len() > 5, "{file}: {named:?}");
        for name in named {
            assert!(there.contains(name), "{file}: {name} is not a metric");
        }
    }
    let guide = include_str!("../../../../docs/run/monitoring.md");
    let guide = guide.split("## Read the metrics").nth(1).unwrap();
    let guide = named(guide.split("| alert |").next().unwrap());
    for name in families {
        assert!(guide.contains(name), "the guide does not have {name}");
    }
    for name in guide {
        let is_there = there.iter().any(|one| one.starts_with(name));
        assert!(
            is_there || !cfg!(target_os = "linux"),
            "{name} is not a metric"
        );
    }
}
