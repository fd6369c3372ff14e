//! Decisions of policies, as pure functions of their rules and the call.

use std::sync::Arc;

use crate::{
    Error, ErrorKind,
    product::{Classification, Product, SentRequest},
    resource::{
        FactRule, Policy, RequestRule,
        pattern::{fits, fits_any_case, path_fits},
    },
    tool::Effect,
};

/// Default lifetime of an approval in seconds.
const APPROVAL: u32 = 3600;

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decided {
    Allowed,
    NeedsApproval(Because),
    Refused(Because),
}

/// The rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Because {
    pub(crate) policy: String,
    /// JSON Pointer into the policy.
    pub(crate) rule: String,
    /// The reason, in one sentence.
    pub(crate) why: String,
    /// Seconds that an approval lasts.
    pub(crate) approval_lasts: u32,
}

impl Because {
    /// The error of a denied call.
    pub(crate) fn refused(&self) -> Error {
        self.error(ErrorKind::Forbidden, self.why.clone())
    }

    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message)
            .with_context("policy", self.policy.as_str())
            .with_context("rule", self.rule.as_str())
    }
}

/// A request that is about to be sent.
#[derive(Clone, Copy)]
pub(crate) struct Sending<'a> {
    pub(crate) product: &'static Product,
    /// Whether the caller wrote it, and not a tool.
    pub(crate) is_raw: bool,
    pub(crate) sent: SentRequest<'a>,
    /// Its effect, according to its method or its tool.
    pub(crate) effect: Effect,
}

/// Decides whether a tool can be called at all.
pub(crate) fn tool(policies: &[Arc<Policy>], name: &str) -> Decided {
    strongest(policies, |policy| one_tool(policy, name))
}

/// Decides on one request. `classified` is the product's classification of it.
pub(crate) fn request(
    policies: &[Arc<Policy>],
    sending: &Sending<'_>,
    classified: Option<&Classification>,
) -> Decided {
    strongest(policies, |policy| one_request(policy, sending, classified))
}

/// The effect of a request, according to the product, or otherwise to its method or its tool.
pub(crate) fn effect(sending: &Sending<'_>, classified: Option<&Classification>) -> Effect {
    classified
        .and_then(|classified| classified.effect)
        .unwrap_or(sending.effect)
}

/// All policies have to allow. The first denial decides, and then the first that requires an approval.
fn strongest(policies: &[Arc<Policy>], decide: impl Fn(&Policy) -> Decided) -> Decided {
    let mut strongest = Decided::Allowed;
    for policy in policies {
        match (decide(policy), &strongest) {
            (Decided::Refused(because), _) => return Decided::Refused(because),
            (decided @ Decided::NeedsApproval(_), Decided::Allowed) => strongest = decided,
            _ => {}
        }
    }
    strongest
}

fn because(policy: &Policy, rule: impl Into<String>, why: impl Into<String>) -> Because {
    Because {
        policy: policy.name.clone(),
        rule: rule.into(),
        why: why.into(),
        approval_lasts: policy.approval_expires_in.unwrap_or(APPROVAL),
    }
}

fn one_tool(policy: &Policy, name: &str) -> Decided {
    if let Some(rule) = policy.tools.as_ref().and_then(|tools| tools.refuse(name)) {
        let why = format!("the policy {} doesn't allow the tool {name}", policy.name);
        return Decided::Refused(because(policy, format!("/tools{rule}"), why));
    }
    let approval = policy.requires_approval.as_ref();
    let held = approval.and_then(|rules| rules.tools.iter().position(|one| fits(one, name)));
    match held {
        Some(index) => Decided::NeedsApproval(because(
            policy,
            format!("/requires_approval/tools/{index}"),
            format!("a person needs to approve calls of {name}"),
        )),
        None => Decided::Allowed,
    }
}

fn one_request(
    policy: &Policy,
    sending: &Sending<'_>,
    classified: Option<&Classification>,
) -> Decided {
    let name = &policy.name;
    let effect = effect(sending, classified);
    if policy.read_only && effect != Effect::Read {
        let why =
            format!("the policy {name} allows only reads, and this request can change something");
        return Decided::Refused(because(policy, "/read_only", why));
    }
    let passes = |rules: &Vec<RequestRule>| rules.iter().any(|rule| lists(rule, sending));
    if sending.is_raw
        && let Some(rules) = &policy.requests
        && !passes(rules)
    {
        let method = sending.sent.method;
        let why = format!("the policy {name} doesn't allow {method} requests to this path");
        return Decided::Refused(because(policy, "/requests", why));
    }
    if let Some((rule, why)) = broken(&policy.facts, sending, classified) {
        let why = format!("the policy {name} doesn't allow this request: {why}");
        return Decided::Refused(because(policy, format!("/facts/{rule}"), why));
    }
    let Some(approval) = &policy.requires_approval else {
        return Decided::Allowed;
    };
    if let Some(index) = approval.effects.iter().position(|one| *one == effect) {
        let rule = format!("/requires_approval/effects/{index}");
        let what = match effect {
            Effect::Read => "reads",
            Effect::Write => "changes something",
            Effect::Delete => "removes something",
        };
        let why = format!("a person needs to approve anything that {what}");
        return Decided::NeedsApproval(because(policy, rule, why));
    }
    if let Some((rule, why)) = broken(&approval.facts, sending, classified) {
        let rule = format!("/requires_approval/facts/{rule}");
        let why = format!("a person needs to approve this request: {why}");
        return Decided::NeedsApproval(because(policy, rule, why));
    }
    Decided::Allowed
}

/// Whether a rule lists a raw request.
fn lists(rule: &RequestRule, sending: &Sending<'_>) -> bool {
    let product = rule.product.as_deref();
    let method = sending.sent.method.as_str();
    product.is_none_or(|product| product == sending.product.name)
        && (rule.methods.as_ref()).is_none_or(|methods| methods.iter().any(|one| one == method))
        && (rule.paths.iter()).any(|pattern| path_fits(pattern, sending.sent.path))
}

/// The first rule that a request breaks, and how. Unknown facts break a rule, even of a read: it may read the data that
/// the rule protects.
fn broken(
    rules: &[FactRule],
    sending: &Sending<'_>,
    classified: Option<&Classification>,
) -> Option<(String, String)> {
    let of_product = |(_, rule): &(usize, &FactRule)| rule.product == sending.product.name;
    for (index, rule) in rules.iter().enumerate().filter(of_product) {
        let kind = rule.kind.as_str();
        let Some(classified) = classified else {
            return Some((
                index.to_string(),
                format!("Stead can't tell which {kind} it concerns"),
            ));
        };
        for fact in classified.facts.iter().filter(|fact| fact.kind == kind) {
            let Some(value) = fact.value.as_deref() else {
                let why = format!("Stead can't read from it which {kind} it concerns");
                return Some((index.to_string(), why));
            };
            // A statement can be long, so only its beginning is shown.
            let shown: String = value.chars().take(100).collect();
            let denied = rule.deny.iter();
            if let Some(at) = denied
                .enumerate()
                .find_map(|(at, one)| fits_any_case(one, value).then_some(at))
            {
                let why = format!("the {kind} {shown:?} is denied");
                return Some((format!("{index}/deny/{at}"), why));
            }
            let allow = rule.allow.as_ref();
            if allow.is_some_and(|allow| !allow.iter().any(|one| fits(one, value))) {
                let why = format!("the {kind} {shown:?} isn't allowed");
                return Some((format!("{index}/allow"), why));
            }
        }
    }
    None
}
