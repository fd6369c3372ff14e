//! Links that were shown. An account and a set of permissions have one open link, which is shown again if a call asks
//! again. The store has only their digests, so another process shows another link. Both work.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use stead::Error;
use stead_core::{
    environment::Environment,
    resource::{AuthorizationLink, AuthorizationState, ReadAuthorization},
};

use super::caller;

/// A link that expires sooner isn't shown again.
const ENOUGH: Duration = Duration::from_secs(120);
/// Maximum number of links to keep. Further ones are created but not kept.
const MOST: usize = 10_000;

/// User, connection and permissions.
type Of = (String, String, Option<Vec<String>>);

/// Open links of all sessions. They expire within minutes, so they are only kept in memory.
#[derive(Debug, Default)]
pub(super) struct Links(Mutex<HashMap<Of, AuthorizationLink>>);

impl Links {
    /// A link for the session's user that still works: one that was shown before, or a new one.
    pub(super) async fn get(
        &self,
        environment: &Environment,
        connection_name: &str,
        scopes: Option<Vec<String>>,
    ) -> Result<AuthorizationLink, Error> {
        let session = caller::session(environment)?;
        let user = format!("{}\0{}", session.session_id, session.identifier);
        let of = (user, connection_name.to_owned(), scopes.clone());
        if let Some(link) = self.known(&of)
            && is_open(environment, &link).await
        {
            return Ok(link);
        }
        let link = environment.create_mcp_link(connection_name, scopes).await?;
        let now = environment.runtime().now();
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, link| link.expires_at > now);
        if links.len() < MOST {
            links.insert(of, link.clone());
        }
        Ok(link)
    }

    fn known(&self, of: &Of) -> Option<AuthorizationLink> {
        let links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.get(of).cloned()
    }
}

/// Whether a user still has time to complete it.
async fn is_open(environment: &Environment, link: &AuthorizationLink) -> bool {
    let now = environment.runtime().now();
    let left = Duration::try_from(link.expires_at.duration_since(now)).unwrap_or_default();
    let id = link.authorization_id.to_string();
    let waits = |state| {
        matches!(
            state,
            AuthorizationState::Created | AuthorizationState::Redirected
        )
    };
    left > ENOUGH
        && environment
            .send(ReadAuthorization::new(&id))
            .await
            .is_ok_and(|authorization| waits(authorization.state))
}
