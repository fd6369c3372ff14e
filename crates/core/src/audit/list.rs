//! Lists entries, the newest first.

use serde_json::Value;

use crate::{
    Result,
    context::Context,
    domain::AuditEntry,
    resource::{self, AuditFilter, ListAuditEntries, Page},
};

/// Number of entries read at a time to find matches, and the maximum number of such reads.
const READ: u32 = 500;
const ROUNDS: u32 = 20;

/// Lists entries of the log. A page may have fewer than `page_size` entries even if more follow.
pub(crate) async fn list(
    context: &Context,
    list: ListAuditEntries,
) -> Result<Page<resource::AuditEntry>> {
    let filter = &list.filter;
    let mut below: Option<u64> = list.page.after()?;
    let limit = list.page.limit() as usize;
    let mut items = Vec::new();
    for _ in 0..ROUNDS {
        let rows = context.store.audit_entries(below, READ).await?;
        let last = rows.len() < READ as usize;
        for found in rows {
            let number = found.row.number;
            below = Some(number);
            if matches(filter, &found.row) && is_seen(context, &found.row) {
                items.push(found.row.shown());
            }
            if items.len() == limit {
                let more = number > 1;
                return Ok(Page::new(items, more.then(|| number.to_string())));
            }
        }
        if last {
            return Ok(Page::new(items, None));
        }
    }
    Ok(Page::new(items, below.map(|number| number.to_string())))
}

/// A caller that is limited to some connections only sees entries about those.
fn is_seen(context: &Context, entry: &AuditEntry) -> bool {
    let named = entry.facts.get("connection_name").and_then(Value::as_str);
    context.caller.connections().are_all() || named.is_some_and(|name| context.caller.sees(name))
}

fn matches(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    let is = |expected: &Option<String>, found: &str| {
        expected.as_deref().is_none_or(|expected| expected == found)
    };
    let action = filter
        .action
        .as_deref()
        .is_none_or(|expected| match expected.strip_suffix('*') {
            Some(prefix) => entry.action.starts_with(prefix),
            None => entry.action == expected,
        });
    let actor = entry.actor.id.as_deref().unwrap_or(&entry.actor.kind);
    action && is(&filter.actor, actor) && is(&filter.target, &entry.target.id)
}
