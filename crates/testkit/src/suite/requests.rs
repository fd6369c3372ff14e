//! Checks what tools send and await, in all cases.

use stead_core::{
    catalogue::CatalogueTool,
    product::Product,
    tool::{ApiRequest, Effect, Hints},
};

use super::{Faults, Subject, with_host};
use crate::{
    Canned,
    fixture::Case,
    replay::{parse, run},
    try_drive,
};

/// Every tool finishes in one poll, because it only awaits its `Io`.
pub(super) fn tools_await_only_io(
    subject: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    if let (Ok(parsed), Ok(responses)) = (parse(tool, case.input.clone()), case.responses()) {
        let canned = Canned::new(subject.product, responses);
        let call = case.call.to_call(subject.product);
        faults.extend(try_drive(&*parsed, &call, &canned).err());
    }
}

/// How much an effect changes.
pub(super) fn weight(effect: Effect) -> u8 {
    match effect {
        Effect::Read => 0,
        Effect::Write => 1,
        Effect::Delete => 2,
    }
}

/// A tool that declares a read sends no writes. A tool that declares a write sends no deletions.
pub(super) fn effects_match_methods(
    _: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let declared = tool.entry().effect();
    for request in sent(tool, case) {
        if weight(request.effect_of()) > weight(declared) {
            let (declared, method) = (declared.name(), &request.method);
            faults.add(format_args!(
                "declares {declared} and sends {method} {:?}",
                request.path
            ));
        }
    }
}

/// A tool with PUT or DELETE requests says that it's destructive. If it only changes things with such requests, it also
/// says that it's idempotent (RFC 9110, section 9.2.2).
pub(super) fn hints_match_methods(subject: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    let hints = tool.entry().hints();
    let cases = subject.cases_of(tool.entry().name()).iter();
    let requests = cases.flat_map(|case| sent(tool, case));
    let changes: Vec<_> = requests
        .filter(|request| request.effect_of() != Effect::Read)
        .collect();
    let replaces =
        |request: &ApiRequest| [http::Method::PUT, http::Method::DELETE].contains(&request.method);
    if changes.iter().any(replaces) && !hints.destructive {
        faults.add("replaces something and has no hint of it");
    }
    if changes.iter().all(replaces) && !hints.idempotent {
        faults.add("can be repeated and has no hint of it");
    }
    if tool.entry().effect() == Effect::Read && hints != Hints::READS {
        faults.add("only reads and has the hints of another");
    }
}

/// If a tool continues after its first write, the write says what follows, because a dry run stops there.
pub(super) fn writes_say_what_follows(
    _: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let requests = sent(tool, case);
    let responses = case.responses().unwrap_or_default();
    let mut exchanges = requests.iter().zip(&responses).enumerate();
    let write = exchanges.find(|(_, (request, _))| request.effect_of() != Effect::Read);
    if let Some((index, (request, response))) = write
        && response.status < 300
        && request.then.is_none()
        && index + 1 < requests.len()
    {
        let (method, path) = (&request.method, &request.path);
        faults.add(format_args!(
            "goes on after {method} {path:?}, which does not say what follows"
        ));
    }
}

/// Every request goes to an origin of the product, and its target is one that no parser would change.
pub(super) fn requests_stay_at_the_origins(
    subject: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let requests = sent(tool, case);
    faults.extend(
        requests
            .iter()
            .filter_map(|request| leaves(subject.product, request)),
    );
}

/// The requests that a case sends.
pub(super) fn sent(tool: &CatalogueTool, case: &Case) -> Vec<ApiRequest> {
    run(tool, case, case.input.clone())
        .map(|replayed| replayed.canned.requests())
        .unwrap_or_default()
}

/// How a request could leave its origin or its path. `None` if it can't. A request without a target is never sent.
pub(super) fn leaves(product: &Product, request: &ApiRequest) -> Option<String> {
    let Some(origin) = product.origin(request.origin) else {
        return Some(format!("{:?} is not an origin", request.origin));
    };
    for (name, value) in &request.headers {
        if http::HeaderValue::from_str(value).is_err() {
            return Some(format!("the header {name} cannot hold {value:?}"));
        }
    }
    let target = request.target(origin.base).ok()?;
    let address = with_host(origin.url);
    let Ok(url) = url::Url::parse(&format!("{address}{target}")) else {
        return Some(format!("{target:?} is not a target"));
    };
    if url.origin().ascii_serialization() != address {
        return Some(format!(
            "{target:?} leads to {}",
            url.origin().ascii_serialization()
        ));
    }
    let as_parsed = &url.as_str()[address.len()..];
    if as_parsed != target {
        return Some(format!("{target:?} is read as {as_parsed:?}"));
    }
    let segments = url.path().split('/').count() - 1;
    let base = request.base.unwrap_or(origin.base);
    let expected = base.matches('/').count() + request.path.len();
    (segments != expected)
        .then(|| format!("{target:?} has {segments} segments, {expected} were meant"))
}
