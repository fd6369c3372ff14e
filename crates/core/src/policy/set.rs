//! Creates a policy, or replaces all its rules.

use super::read::view;
use crate::{
    Error, ErrorKind, Result,
    catalogue::Catalogue,
    context::{Context, change::Change, policies::MOST},
    domain,
    error::Violation,
    resource::{FactRule, NewPolicy, Policy, RequestRule, SetPolicy, pattern::fits},
    similar::unknown,
    store::Versioned,
};

/// Minimum and maximum lifetime of an approval, in seconds.
const APPROVAL: std::ops::RangeInclusive<u32> = 60..=604_800;
/// Maximum length of a policy's name.
const NAME: usize = 64;
/// Maximum number of patterns in a list, and of rules.
const MOST_PATTERNS: usize = 500;
/// Maximum length of a pattern in bytes.
const PATTERN: usize = 1024;

/// Sets a policy, with effect immediately in this process and within 1 s in others.
pub(crate) async fn set(
    context: &Context,
    SetPolicy {
        policy_name,
        policy: NewPolicy(mut policy),
    }: SetPolicy,
) -> Result<Policy> {
    if !policy.name.is_empty() && policy.name != policy_name {
        let message = format!("the path names the policy {policy_name:?}");
        return Err(Error::invalid_at("/name", message));
    }
    policy.name = policy_name;
    check(&context.products.catalogue, &policy)?;
    let now = context.host.now();
    let document = serde_json::to_value(Policy {
        updated_at: None,
        ..policy.clone()
    });
    let document = document.map_err(|error| {
        Error::new(ErrorKind::Internal, "the policy can't be written").with_source(error)
    })?;
    let load = || async {
        let all = context.store.policies(MOST).await?;
        let found = all.iter().position(|found| found.row.name == policy.name);
        if found.is_none() && all.len() >= MOST as usize {
            let message = format!(
                "this environment already has {MOST} policies, the maximum; delete one first"
            );
            return Err(Error::new(ErrorKind::InvalidRequest, message));
        }
        Ok(found.and_then(|at| all.into_iter().nth(at)))
    };
    let decide = |found: Option<Versioned<domain::Policy>>| {
        let (extra, version) = match found {
            Some(found) => (found.row.extra, Some(found.version)),
            None => Default::default(),
        };
        let row = domain::Policy {
            name: policy.name.clone(),
            environment: policy.environment,
            document: document.clone(),
            updated_at: now,
            extra,
        };
        let change = Change::none()
            .event(row.event("policy.set"))
            .audit(row.audit("policy.set"));
        let change = match version {
            Some(version) => change.update(row.clone(), version),
            None => change.insert(row.clone()),
        };
        Ok((change, row))
    };
    let row = context.change("policy.set", load, decide).await?;
    context.memory.policies.forget();
    view(row)
}

/// Rejects a policy with rules that can't have the intended effect. The error lists all of them.
fn check(catalogue: &Catalogue, policy: &Policy) -> Result<()> {
    let mut checked = Checked {
        catalogue,
        violations: Vec::new(),
    };
    checked.name(&policy.name);
    if let Some(tools) = &policy.tools {
        if let Some(allow) = &tools.allow {
            checked.tools("/tools/allow", allow);
        }
        checked.tools("/tools/deny", &tools.deny);
    }
    checked.facts("/facts", &policy.facts);
    if let Some(requests) = &policy.requests {
        checked.requests(requests);
    }
    if let Some(approval) = &policy.requires_approval {
        checked.tools("/requires_approval/tools", &approval.tools);
        checked.facts("/requires_approval/facts", &approval.facts);
        if approval.tools.is_empty() && approval.effects.is_empty() && approval.facts.is_empty() {
            let message =
                "give tools, effects or facts; without them, this rule applies to no call";
            checked.wrong("/requires_approval", "required", message);
        }
    }
    if let Some(seconds) = policy.approval_expires_in
        && !APPROVAL.contains(&seconds)
    {
        let (shortest, longest) = (APPROVAL.start(), APPROVAL.end());
        let message =
            format!("expected {shortest} to {longest} seconds, the time until an approval expires");
        checked.wrong("/approval_expires_in", "range", message);
    }
    match checked.violations.is_empty() {
        true => Ok(()),
        false => Err(Error::invalid(checked.violations)),
    }
}

struct Checked<'c> {
    catalogue: &'c Catalogue,
    violations: Vec<Violation>,
}

impl Checked<'_> {
    fn wrong(&mut self, place: impl Into<String>, keyword: &str, message: impl Into<String>) {
        self.violations
            .push(Violation::new(place, keyword, message));
    }

    fn name(&mut self, name: &str) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric());
        if !begins || name.len() > NAME || !name.bytes().all(is_plain) {
            let message = "a policy's name has 1 to 64 letters, digits, '-', '_' or '.', and starts with a letter or a digit";
            self.wrong("/name", "pattern", message);
        }
    }

    /// Reports a list with too many patterns, and each pattern that is empty or too long.
    fn patterns(&mut self, place: &str, patterns: &[String]) {
        if patterns.len() > MOST_PATTERNS {
            let message = format!("expected at most {MOST_PATTERNS} patterns");
            self.wrong(place, "maxItems", message);
        }
        for (index, pattern) in patterns.iter().enumerate() {
            if pattern.is_empty() || pattern.len() > PATTERN {
                let message = format!("a pattern has 1 to {PATTERN} bytes");
                self.wrong(format!("{place}/{index}"), "length", message);
            }
        }
    }

    fn tools(&mut self, place: &str, patterns: &[String]) {
        self.patterns(place, patterns);
        for (index, pattern) in patterns.iter().enumerate() {
            let names = self.catalogue.newest().map(|tool| tool.entry().name());
            let names: Vec<&str> = names.collect();
            if !names.iter().any(|name| fits(pattern, name)) {
                let message = format!("the tool {}", unknown(pattern, names));
                self.wrong(format!("{place}/{index}"), "enum", message);
            }
        }
    }

    fn product(&mut self, place: String, name: &str) -> bool {
        let known = self.catalogue.product(name).is_some();
        if !known {
            let names = self.catalogue.products().iter().map(|one| one.name);
            let message = format!("the product {}", unknown(name, names));
            self.wrong(place, "enum", message);
        }
        known
    }

    fn facts(&mut self, place: &str, rules: &[FactRule]) {
        if rules.len() > MOST_PATTERNS {
            self.wrong(
                place,
                "maxItems",
                format!("expected at most {MOST_PATTERNS} rules"),
            );
        }
        for (index, rule) in rules.iter().enumerate() {
            let place = format!("{place}/{index}");
            if self.product(format!("{place}/product"), &rule.product)
                && let Some(product) = self.catalogue.product(&rule.product)
            {
                let kinds = || product.fact_kinds.iter().map(|kind| kind.name);
                if !kinds().any(|kind| kind == rule.kind) {
                    let message = format!("the kind {}", unknown(&rule.kind, kinds()));
                    self.wrong(format!("{place}/kind"), "enum", message);
                }
            }
            if rule.allow.is_none() && rule.deny.is_empty() {
                self.wrong(&place, "required", "give allow, deny or both");
            }
            if let Some(allow) = &rule.allow {
                self.patterns(&format!("{place}/allow"), allow);
            }
            self.patterns(&format!("{place}/deny"), &rule.deny);
        }
    }

    fn requests(&mut self, rules: &[RequestRule]) {
        for (index, rule) in rules.iter().enumerate() {
            let place = format!("/requests/{index}");
            if let Some(product) = &rule.product {
                self.product(format!("{place}/product"), product);
            }
            for (at, method) in rule.methods.iter().flatten().enumerate() {
                if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
                    let message = "write HTTP methods in upper case, such as GET";
                    self.wrong(format!("{place}/methods/{at}"), "pattern", message);
                }
            }
            let paths = format!("{place}/paths");
            if rule.paths.is_empty() {
                self.wrong(&paths, "minItems", "give at least one path");
            }
            self.patterns(&paths, &rule.paths);
            for (at, path) in rule.paths.iter().enumerate() {
                let inner = path.strip_suffix("/**").unwrap_or(path);
                if !path.starts_with('/') || inner.contains("**") || path.contains(['?', '#', '%'])
                {
                    let message = "a path starts with '/', isn't encoded, has no query, and uses '**' only at its end";
                    self.wrong(format!("{paths}/{at}"), "pattern", message);
                }
            }
        }
    }
}
