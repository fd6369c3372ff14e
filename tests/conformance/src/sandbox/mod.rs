//! Checks the sandbox's responses. For each product, sends a journey and the first request of each fixture through the
//! proxy, as a user who has consented.

mod journey;
mod service;

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{
    check::{
        request::Request,
        response::{Response, ResponseBody},
    },
    fixtures,
    products::Product,
    report::Tally,
    schema::Reading,
    validate::{CheckedRequest, Validator},
};
use journey::{Kept, Step};
use service::Service;

/// Sends the journeys and the first request of each fixture. Adds what's wrong with the responses to the tallies.
///
/// # Errors
/// If the binary can't be started, or a journey can't be read.
pub(crate) fn check(
    stead: &Path,
    validator: &Validator,
    products: &[&Product],
    files: &[fixtures::File],
    tallies: &mut [Tally],
) -> Result<()> {
    let service = Service::start(stead)?;
    for product in products {
        let tally = tallies
            .iter_mut()
            .find(|tally| tally.product == product.name)
            .context("a product has no tally")?;
        let journey = journey::read(product.journey)
            .with_context(|| format!("journey of {}", product.name))?;
        let files = files.iter().filter(|file| file.product == product.name);
        // The IDs of a fixture's first request exist in the sandbox. Later requests would need IDs from responses.
        let plain_uses = files.filter_map(|file| file.exchanges.first());
        // A step's body is JSON, and an upload has parts.
        let plain_uses =
            plain_uses.filter(|exchange| !exchange.request.target.starts_with("/upload/"));
        let steps: Vec<Step> = journey
            .into_iter()
            .chain(plain_uses.map(Step::of))
            .collect();
        if let Err(error) = service.connect(product.name) {
            tally.violation("sandbox", format!("no account can be connected: {error:#}"));
            continue;
        }
        let mut kept = Kept::default();
        let mut sent = Vec::new();
        for step in &steps {
            let request = kept.fill(step);
            take(
                validator,
                product,
                &service,
                (step, &request),
                &mut kept,
                tally,
            )
            .with_context(|| format!("{}, {}", product.name, step.request.target))?;
            sent.push(request);
        }
        check_headers(product, &sent, &service.log()?, tally);
    }
    Ok(())
}

/// Sends a request, and checks it and its response.
fn take(
    validator: &Validator,
    product: &Product,
    service: &Service,
    (step, request): (&Step, &Request),
    kept: &mut Kept,
    tally: &mut Tally,
) -> Result<()> {
    let place = format!("sandbox, {} {}", request.verb, request.target);
    let response = service.send(product.name, request)?;
    if response.status != step.status {
        let words: Vec<&str> = response.text.split_whitespace().collect();
        let what = format!(
            "responds {}, expected {}: {}",
            response.status,
            step.status,
            words.join(" ")
        );
        tally.violation(&place, what);
        return Ok(());
    }
    let body: Option<Value> = serde_json::from_str(&response.text).ok();
    if let Some(body) = &body
        && let Err(missing) = kept.keep(step, body)
    {
        tally.violation(&place, format!("the response has no {missing}"));
    }
    let checked = checked(validator, product, request)?;
    let validation = validator.request(&checked)?;
    tally.requests += 1;
    tally.count(&place, &validation);
    let Some(matched) = validation.matched else {
        return Ok(());
    };
    let given = Response {
        status: response.status,
        body: match &body {
            Some(body) => ResponseBody::Json(body),
            None if response.text.is_empty() => ResponseBody::Empty,
            None => ResponseBody::Other,
        },
    };
    let validation = validator.response(&checked, matched, &given, Reading::Response)?;
    tally.sandbox_responses += 1;
    tally.count(&place, &validation);
    tally
        .unseen
        .retain(|unseen| *unseen != matched.method.title());
    Ok(())
}

/// Finds the origin whose description has a method for the request. If none has one, that's the main origin.
fn checked<'a>(
    validator: &Validator,
    product: &'a Product,
    request: &'a Request,
) -> Result<CheckedRequest<'a>> {
    let at = |origin| CheckedRequest {
        product,
        origin,
        case: "",
        request,
        scopes: None,
        changes: false,
    };
    for source in product.sources {
        let checked = at(source.origin);
        if validator.request(&checked)?.matched.is_some() {
            return Ok(checked);
        }
    }
    Ok(at(None))
}

/// Checks that the requests reached the sandbox with the headers in `Product::adds`. Both lists have the same order,
/// but the log has other requests in between.
fn check_headers(product: &Product, sent: &[Request], log: &[Value], tally: &mut Tally) {
    let mut log = log.iter();
    for request in sent {
        let is_it = |reached: &&Value| {
            reached["path"] == request.path() && reached["method"] == request.verb
        };
        let Some(reached) = log.find(is_it) else {
            tally.violation("sandbox", format!("{} never came", request.target));
            return;
        };
        for (name, value) in product.adds {
            let header = reached["headers"][*name].as_str();
            let due = request.header(name).or(*value);
            if header.is_none() || (due.is_some() && header != due) {
                let what = format!("{} came with {name}: {header:?}", request.path());
                tally.violation("sandbox", what);
            }
        }
    }
}
