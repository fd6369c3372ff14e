//! Checks the fixtures of tools that change something. They must cover the tool's traps, and say whether Stead resends a
//! request and which facts policies read.

use serde_json::json;
use stead_core::{
    catalogue::CatalogueTool,
    product::Fact,
    tool::{ApiRequest, Effect, Retry},
};

use super::{Faults, Subject, classes::classified, requests::sent};
use crate::fixture::{Case, Facts, Resend};

/// Every trap of a tool has a case that shows it. A tool that changes something has traps. Its cases say whether Stead
/// resends the requests, and which facts policies know about them.
pub(super) fn traps_have_cases(subject: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    let name = tool.entry().name();
    let (traps, cases) = (subject.traps_of(name), subject.cases_of(name));
    for (trap, meaning) in traps {
        if meaning.chars().count() < 10 {
            faults.add(format_args!("nothing explains the trap {trap:?}"));
        }
        if !cases.iter().any(|case| case.shows.contains(trap)) {
            faults.add(format_args!("no case shows the trap {trap:?}"));
        }
    }
    for case in cases {
        let place = format!(", {:?}", case.name);
        for other in case.shows.iter().filter(|one| !traps.contains_key(*one)) {
            faults.at(&place, format_args!("{other:?} isn't among the traps"));
        }
    }
    if tool.entry().effect() == Effect::Read {
        return;
    }
    if traps.is_empty() {
        faults.add("changes something and names no traps");
    }
    if !cases.iter().any(|case| case.resend.is_some()) {
        faults.add("no case says whether Stead resends it");
    }
    if !cases.iter().any(|case| case.facts.is_some()) {
        faults.add("no case says what policies know of it");
    }
}

/// A case's `resend` agrees with its requests.
pub(super) fn cases_say_what_is_resent(
    _: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let Some(said) = case.resend else { return };
    let resends = writes(tool, case).map(|request| match request.retry {
        _ if tool.entry().recognised_again() => Resend::Deduplicated,
        Retry::Unprocessed => Resend::Never,
        Retry::Always => Resend::Harmless,
        Retry::AlwaysWith(..) => Resend::Deduplicated,
    });
    match resends.min() {
        Some(resend) if resend == said => {}
        Some(resend) => faults.add(format_args!("resend: {said:?}, found {resend:?}")),
        None => faults.add("says whether Stead resends it, and writes nothing"),
    }
}

/// A case's `facts` are those that the product finds in its requests.
pub(super) fn cases_say_what_policies_know(
    subject: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let Some(said) = &case.facts else { return };
    let mut found = Facts::new();
    for request in writes(tool, case) {
        let known = classified(subject.product, &request).and_then(Result::ok);
        for Fact { kind, value } in known.unwrap_or_default().facts {
            let values = found.entry(kind.to_owned()).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    if found != *said {
        faults.add(format_args!(
            "facts: {}, found {}",
            json!(said),
            json!(found)
        ));
    }
}

/// The requests of a case that change something.
fn writes(tool: &CatalogueTool, case: &Case) -> impl Iterator<Item = ApiRequest> + use<> {
    let requests = sent(tool, case).into_iter();
    requests.filter(|request| request.effect_of() != Effect::Read)
}
