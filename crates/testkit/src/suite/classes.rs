//! Checks how the product classifies its tools' requests for policies.

use http::Method;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use stead_core::{
    catalogue::CatalogueTool,
    product::{Classification, Product, SentRequest},
    tool::{ApiRequest, Effect},
};

use super::{
    Faults, Subject,
    requests::{sent, weight},
    schemas::is_name,
};
use crate::fixture::Case;

/// The product classifies every request of every fixture, unless its path can't be read. The classification has only
/// declared kinds of facts, and no stronger effect than the tool declares.
pub(super) fn requests_are_classified(
    subject: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    for request in sent(tool, case) {
        if let Some(fault) = fault(subject, &request, tool.entry().effect()) {
            faults.add(format_args!(
                "{} {:?} {fault}",
                request.method, request.path
            ));
        }
    }
}

fn fault(subject: &Subject, request: &ApiRequest, declared: Effect) -> Option<String> {
    let product = subject.product;
    let Classification { effect, facts } = match classified(product, request)? {
        Ok(known) => known,
        Err(fault) => return fault.map(str::to_owned),
    };
    let by_method = {
        let mut plain = request.clone();
        plain.effect = None;
        plain.effect_of()
    };
    let effect = effect.unwrap_or(by_method);
    let most = if request.effect_of() == Effect::Read {
        Effect::Read
    } else {
        declared
    };
    if weight(effect) > weight(most) {
        return Some(format!(
            "is a {}, and the tool says {}",
            effect.name(),
            most.name()
        ));
    }
    let is_declared = |kind| product.fact_kinds.iter().any(|known| known.name == kind);
    let unknown = facts.iter().find(|fact| !is_declared(fact.kind))?;
    Some(format!(
        "has a fact of the kind {:?}, which is not declared",
        unknown.kind
    ))
}

/// The product's classification of a request. `None` if the request has no target. If the product doesn't know it, the
/// error is the fault, or `None` if policies deny such a path anyway.
pub(super) fn classified(
    product: &Product,
    request: &ApiRequest,
) -> Option<Result<Classification, Option<&'static str>>> {
    let target = request.target(product.origin(request.origin)?.base).ok()?;
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target.as_str(), None),
    };
    let sent = SentRequest {
        method: &request.method,
        path,
        query,
        content_type: request.content_type(),
        body: Some(request.body.as_deref().unwrap_or_default()),
    };
    // Policies deny a path whose segments can't be read, so the product doesn't need to know it.
    let known = (product.classify)(&sent);
    Some(known.ok_or_else(|| sent.segments().map(|_| "is not known")))
}

/// Kinds of facts are unique lower-case words with a description.
pub(super) fn fact_kinds_are_words(subject: &Subject, faults: &mut Faults) {
    let kinds = subject.product.fact_kinds;
    for (index, kind) in kinds.iter().enumerate() {
        let is_word =
            !kind.name.is_empty() && kind.name.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_first = kinds[..index].iter().all(|other| other.name != kind.name);
        if !is_word || !is_first || kind.description.chars().count() < 10 {
            faults.add(format_args!(
                "{kind:?}: expected one lower-case word, once, with a description"
            ));
        }
    }
}

/// Each kind of request that a connection has to allow has a unique snake_case name, a sentence, and requests.
pub(super) fn guards_are_described(subject: &Subject, faults: &mut Faults) {
    let guards = subject.product.guards;
    for (index, guard) in guards.iter().enumerate() {
        let is_first = guards[..index].iter().all(|other| other.name != guard.name);
        let begins = guard
            .about
            .starts_with(|first: char| first.is_ascii_uppercase());
        let is_sentence = begins && guard.about.ends_with('.') && guard.about.len() > 10;
        if !is_name(guard.name) || !is_first || !is_sentence || guard.requests.is_empty() {
            faults.add(format_args!(
                "{}: expected lower-case words, once, with a sentence and requests",
                guard.name
            ));
        }
    }
}

/// The product may or may not know a hostile request, but classifying it never panics.
pub(super) fn classifying_never_panics(subject: &Subject, faults: &mut Faults) {
    let bodies: Vec<Vec<u8>> = subject
        .cases()
        .flat_map(|(tool, case)| sent(tool, case))
        .filter_map(|request| request.body.map(|body| body.to_vec()))
        .collect();
    let config = Config {
        cases: 512,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let classify = subject.product.classify;
    let outcome = TestRunner::new_with_rng(config, rng).run(&hostile(subject, bodies), |request| {
        let (method, path, query, content_type, body) = request;
        _ = classify(&SentRequest {
            method: &method,
            path: &path,
            query: query.as_deref(),
            content_type: content_type.as_deref(),
            body: body.as_deref(),
        });
        Ok(())
    });
    faults.extend(outcome.err());
}

type Parts = (
    Method,
    String,
    Option<String>,
    Option<String>,
    Option<Vec<u8>>,
);

/// Hostile paths below the product's routes. Bodies are random, or bodies that tools send with a few bytes changed.
fn hostile(subject: &Subject, bodies: Vec<Vec<u8>>) -> impl Strategy<Value = Parts> + use<> {
    let method = prop::sample::select(vec![
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ]);
    let routes = subject.product.proxy.routes.iter();
    let mut starts: Vec<String> = routes.map(|route| route.rewrite.to_owned()).collect();
    starts.push(String::new());
    let piece = prop::sample::select(vec![
        "/",
        "//",
        "..",
        "%2F",
        "%",
        "%ff",
        ";",
        ":",
        "a",
        "é",
        "me",
        "users",
        "messages",
        "send",
        "files",
        "events",
        "calendars",
        "pages",
        "values",
        "statements",
        "permissions",
        "settings",
        "0123456789abcdef0123456789abcdef",
    ]);
    let path = (
        prop::sample::select(starts),
        prop::collection::vec(piece, 0..8),
    )
        .prop_map(|(start, pieces)| start + &pieces.concat());
    let query = prop::option::of("[a-zA-Z_=&;%+',0-9é]{0,20}");
    let content_type = prop::option::of(prop::sample::select(vec![
        "application/json".to_owned(),
        "message/rfc822".to_owned(),
        "multipart/related; boundary=b".to_owned(),
        "é;=;".to_owned(),
    ]));
    let any_bytes = prop::collection::vec(any::<u8>(), 0..64);
    let changed = (
        prop::sample::select(if bodies.is_empty() {
            vec![Vec::new()]
        } else {
            bodies
        }),
        any::<prop::sample::Index>(),
        prop::collection::vec(any::<u8>(), 0..3),
    )
        .prop_map(|(mut body, at, bytes)| {
            let at = at.index(body.len() + 1);
            let end = (at + bytes.len()).min(body.len());
            body.splice(at..end, bytes);
            body
        });
    let body = prop::option::of(prop_oneof![any_bytes, changed]);
    (method, path, query, content_type, body)
}
