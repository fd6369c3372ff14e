//! Deletes a policy that isn't used.

use super::missing;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    resource::DeletePolicy,
};

/// Number of rows to read together.
const ROUND: u32 = 500;

/// Deletes a policy, with effect immediately in this process and within 1 s in others.
pub(crate) async fn delete(context: &Context, delete: DeletePolicy) -> Result<()> {
    let name = delete.policy_name.as_str();
    let load = || async {
        let found = context.store.policy(name).await?;
        let found = found.ok_or_else(|| missing(name))?;
        match user_of(context, name).await? {
            None => Ok(found),
            Some(user) => Err(Error::new(
                ErrorKind::InvalidTransition,
                format!(
                    "the policy {name} is used by {user}; change that to another policy or revoke it first"
                ),
            )),
        }
    };
    context
        .change("policy.delete", load, |found| {
            let key = crate::store::Records::policy_key(name);
            let change = Change::none()
                .event(found.row.event("policy.deleted"))
                .audit(found.row.audit("policy.deleted"));
            Ok((change.delete(key, found.version), ()))
        })
        .await?;
    context.memory.policies.forget();
    Ok(())
}

/// A valid credential or MCP session that uses the policy, or the issuer of agents' tokens.
async fn user_of(context: &Context, name: &str) -> Result<Option<String>> {
    let issuer = context.issuers.mcp.as_ref();
    if issuer.is_some_and(|issuer| issuer.options.policy.as_deref() == Some(name)) {
        return Ok(Some(String::from("the issuer of agents' tokens")));
    }
    let (store, now) = (&context.store, context.host.now());
    let mut after: Option<String> = None;
    loop {
        let rows = store.app_credentials(after.as_deref(), ROUND).await?;
        for found in &rows {
            if found.row.policy.as_deref() == Some(name) && found.row.is_live(now) {
                return Ok(Some(format!("the credential {}", found.row.client_id)));
            }
        }
        match rows.last() {
            Some(last) if rows.len() == ROUND as usize => after = Some(last.row.client_id.clone()),
            _ => break,
        }
    }
    let mut after = None;
    loop {
        let rows = store.mcp_sessions(None, after, ROUND).await?;
        for found in &rows {
            if found.row.policy.as_deref() == Some(name) && found.row.expires_at > now {
                return Ok(Some(format!("the MCP session {}", found.row.id)));
            }
        }
        match rows.last() {
            Some(last) if rows.len() == ROUND as usize => after = Some(last.row.id),
            _ => return Ok(None),
        }
    }
}
