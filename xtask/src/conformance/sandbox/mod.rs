//! The sandbox's answers: for every product a journey, sent through the service's proxy as a user who has consented.

mod journey;
mod service;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{
    check::{
        answer::{GivenAnswer, GivenBody},
        request::Request,
        schema::Reading,
    },
    judge::{Asked, Judge},
    products::Product,
    report::Tally,
};
use journey::{Kept, Step};
use service::Service;

/// Sends the journeys of `products` and checks the answers; what is found is added to the tallies.
///
/// # Errors
/// Where the binary cannot be built or started, or a journey cannot be read.
pub(crate) fn check(judge: &Judge, products: &[&Product], tallies: &mut [Tally]) -> Result<()> {
    let service = Service::start()?;
    for product in products {
        let tally = tallies
            .iter_mut()
            .find(|tally| tally.product == product.name)
            .context("a product has no tally")?;
        let steps = journey::read(product.journey)
            .with_context(|| format!("journey of {}", product.name))?;
        if steps.is_empty() {
            continue;
        }
        if let Err(error) = service.connect(product.name) {
            tally.violation("sandbox", format!("nobody can be connected: {error:#}"));
            continue;
        }
        let mut kept = Kept::default();
        let mut sent = Vec::new();
        for step in &steps {
            let request = kept.fill(step);
            take(judge, product, &service, (step, &request), &mut kept, tally)
                .with_context(|| format!("journey of {}, {}", product.name, step.target))?;
            sent.push(request);
        }
        check_headers(product, &sent, &service.log()?, tally);
    }
    Ok(())
}

/// Sends one request; checks it, and the answer.
fn take(
    judge: &Judge,
    product: &Product,
    service: &Service,
    (step, request): (&Step, &Request),
    kept: &mut Kept,
    tally: &mut Tally,
) -> Result<()> {
    let place = format!("sandbox, {} {}", request.verb, request.target);
    let answer = service.send(product.name, request)?;
    if answer.status != step.status {
        let words: Vec<&str> = answer.text.split_whitespace().collect();
        let what = format!(
            "answers {} where {} is due: {}",
            answer.status,
            step.status,
            words.join(" ")
        );
        tally.violation(&place, what);
        return Ok(());
    }
    let body: Option<Value> = serde_json::from_str(&answer.text).ok();
    if let Some(body) = &body
        && let Err(missing) = kept.keep(step, body)
    {
        tally.violation(&place, format!("the answer has no {missing}"));
    }
    let asked = asked(judge, product, request)?;
    let verdict = judge.request(&asked)?;
    tally.count(&place, &verdict);
    let Some(held) = verdict.held else {
        return Ok(());
    };
    let given = GivenAnswer {
        status: answer.status,
        body: match &body {
            Some(body) => GivenBody::Json(body),
            None if answer.text.is_empty() => GivenBody::Empty,
            None => GivenBody::Other,
        },
    };
    let verdict = judge.answer(&asked, held, &given, Reading::Answer)?;
    tally.sandbox_answers += 1;
    tally.count(&place, &verdict);
    tally.unseen.retain(|unseen| *unseen != held.method.title());
    Ok(())
}

/// The request at the origin whose description has a method for it; else at the first.
fn asked<'a>(judge: &Judge, product: &'a Product, request: &'a Request) -> Result<Asked<'a>> {
    let at = |origin| Asked {
        product,
        origin,
        case: "",
        request,
        scopes: None,
    };
    for source in product.sources {
        let asked = at(source.origin);
        if judge.request(&asked)?.held.is_some() {
            return Ok(asked);
        }
    }
    Ok(at(None))
}

/// Whether the headers that are taken to be on every request are on those that reached the sandbox. Both lists are in
/// the order of sending; the log has other requests in between.
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
