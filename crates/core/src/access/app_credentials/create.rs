//! Creates a credential with its first secret.

use jiff::SignedDuration;

use super::{
    check_name, elevated, new_secret, read_connections, read_policy, read_rate, read_scopes,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::AppCredential,
    resource::{IssuedAppSecret, NewAppCredential},
    scope::Scopes,
    store::Records,
};

/// Creates a credential within the caller's own scopes.
pub(crate) async fn create(context: &Context, new: NewAppCredential) -> Result<IssuedAppSecret> {
    check_name(&new.name)?;
    let scopes = match &new.scopes {
        Some(words) => read_scopes(context, words)?,
        None => Scopes::usual(),
    };
    context.caller.check_all(&scopes)?;
    let connections = match &new.connections {
        Some(names) => read_connections(context, names).await?,
        None => context.caller.connections().clone(),
    };
    let policy = read_policy(context, new.policy.as_deref()).await?;
    let now = context.host.now();
    let life = new.expires_in.map(i64::from).map(SignedDuration::from_secs);
    let expires_at = life
        .map(|life| now.checked_add(life))
        .transpose()
        .map_err(|_| Error::invalid_at("/expires_in", "this is too far in the future"))?;
    let (client_secret, secret) = new_secret(context);
    let row = AppCredential {
        client_id: format!("app_{}", context.host.new_id().as_simple()),
        name: new.name,
        secret: None,
        secrets: vec![secret.clone()],
        scopes: Some(scopes.words()),
        rate_per_minute: read_rate(new.rate_per_minute)?,
        connections,
        policy: policy.as_ref().map(|found| found.row.name.clone()),
        expires_at,
        created_at: now,
        extra: Default::default(),
    };
    let credential = row.clone().shown_at(now);
    let exists = Error::new(ErrorKind::AlreadyExists, "this client id is already in use");
    let mut created = Change::none()
        .event(row.event("app_credential.created"))
        .events(elevated(&row, &Scopes::default()))
        .audit(
            row.audit("app_credential.created")
                .fact("scopes", scopes.words()),
        )
        .insert(row);
    if let Some(found) = policy {
        created = created.guard(Records::policy_key(&found.row.name), found.version);
    }
    context.add("credential.create", created, exists).await?;
    Ok(IssuedAppSecret {
        credential,
        secret_id: secret.id,
        client_secret,
    })
}
