//! The rules of a policy as sentences.

use stead_core::resource::{FactRule, Policy};

/// A sentence for each rule.
pub(super) fn in_words(policy: &Policy) -> Vec<String> {
    let mut words = Vec::new();
    if policy.read_only {
        words.push(String::from("Only read requests are allowed."));
    }
    if let Some(tools) = &policy.tools {
        if let Some(allow) = &tools.allow {
            words.push(format!("Only these tools are allowed: {}.", list(allow)));
        }
        if !tools.deny.is_empty() {
            words.push(format!("These tools are denied: {}.", list(&tools.deny)));
        }
    }
    match policy.requests.as_deref() {
        None => {}
        Some([]) => words.push(String::from("Raw requests are denied.")),
        Some(rules) => {
            for rule in rules {
                let methods = match &rule.methods {
                    Some(methods) => list(methods),
                    None => String::from("all methods"),
                };
                let product = rule.product.as_deref().unwrap_or("all products");
                let paths = list(&rule.paths);
                words.push(format!(
                    "These raw requests to {product} are allowed: {methods} to {paths}."
                ));
            }
            words.push(String::from("All other raw requests are denied."));
        }
    }
    for rule in &policy.facts {
        facts(
            rule,
            &mut words,
            (
                "Only requests with these values for {} are allowed",
                "Requests with these values for {} are denied",
            ),
        );
    }
    if let Some(approval) = &policy.requires_approval {
        if !approval.tools.is_empty() {
            let tools = list(&approval.tools);
            words.push(format!("A person must approve calls to {tools}."));
        }
        if !approval.effects.is_empty() {
            let effects = approval
                .effects
                .iter()
                .map(|effect| effect.name().to_owned());
            let effects: Vec<_> = effects.collect();
            words.push(format!(
                "A person must approve requests that {}.",
                effects.join(" or ")
            ));
        }
        for rule in &approval.facts {
            let says = (
                "A person must approve requests, except with these values for {}",
                "A person must approve requests with these values for {}",
            );
            facts(rule, &mut words, says);
        }
    }
    words
}

fn facts(rule: &FactRule, words: &mut Vec<String>, (allow, deny): (&str, &str)) {
    let of = format!("{} of {}", rule.kind, rule.product);
    let sentence =
        |says: &str, values: &[String]| format!("{}: {}.", says.replace("{}", &of), list(values));
    if let Some(values) = &rule.allow {
        words.push(sentence(allow, values));
    }
    if !rule.deny.is_empty() {
        words.push(sentence(deny, &rule.deny));
    }
}

fn list(values: &[String]) -> String {
    match values {
        [] => String::from("none"),
        values => values.join(", "),
    }
}
