//! Credentials of applications with their secrets, and bearer tokens.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{NewAudit, NewEvent};
pub(crate) use crate::resource::app_credential::{
    AppCredentialRow as AppCredential, AppSecretRow as AppSecret,
};
use crate::{
    Error, ErrorKind, Result, caller::Connections, digest::Digest, resource, scope::Scopes,
};

/// Maximum number of secrets at a time: the current one and its replacement.
const SECRETS: usize = 2;

impl AppSecret {
    /// A new secret. Stead keeps only its digest and its last four characters, which are part of its checksum.
    pub(crate) fn new(secret: &str, created_at: Timestamp) -> Self {
        let digest = Digest::of(secret);
        Self {
            ends_with: secret
                .len()
                .checked_sub(4)
                .map(|at| secret[at..].to_owned()),
            ..Self::of_first_form(digest, created_at)
        }
    }

    fn of_first_form(digest: Digest, created_at: Timestamp) -> Self {
        Self {
            id: digest.as_str()[..12].to_owned(),
            digest,
            ends_with: None,
            created_at,
            expires_at: None,
            last_used_at: None,
        }
    }

    fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// Changes to a credential. A value of `None` isn't changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct CredentialChanges {
    pub(crate) name: Option<String>,
    pub(crate) scopes: Option<Scopes>,
    /// `Some(None)` removes the limit.
    pub(crate) rate_per_minute: Option<Option<u32>>,
    pub(crate) connections: Option<Connections>,
    /// `Some(None)` removes the policy.
    pub(crate) policy: Option<Option<String>>,
}

impl AppCredential {
    /// Whether it hasn't expired.
    pub(crate) fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// The secrets that haven't expired, oldest first.
    pub(crate) fn live_secrets(&self, now: Timestamp) -> Vec<AppSecret> {
        let first = self.secret.clone();
        let first = first.map(|digest| AppSecret::of_first_form(digest, self.created_at));
        let all = first.into_iter().chain(self.secrets.iter().cloned());
        all.filter(|secret| secret.is_live(now)).collect()
    }

    /// The credential as the API shows it now.
    pub(crate) fn shown_at(self, now: Timestamp) -> resource::AppCredential {
        let live = self.live_secrets(now);
        self.shown(live)
    }

    /// Scopes that it gives.
    pub(crate) fn scopes(&self) -> Scopes {
        match &self.scopes {
            Some(words) => Scopes::known(words.iter().map(String::as_str)),
            None => Scopes::before_scopes(),
        }
    }

    /// The valid secret that a token was created with. Tokens that don't name one are from when a credential had only
    /// one.
    pub(crate) fn secret_of(&self, token: &AccessToken, now: Timestamp) -> Option<AppSecret> {
        let made_it = |secret: &AppSecret| match &token.secret_id {
            Some(id) => secret.id == *id,
            None => secret.ends_with.is_none(),
        };
        self.live_secrets(now).into_iter().find(made_it)
    }

    /// In the current format, without expired secrets.
    fn current(mut self, now: Timestamp) -> Self {
        self.secrets = self.live_secrets(now);
        self.secret = None;
        self
    }

    /// The changed credential. `None` if nothing changes.
    pub(crate) fn changed(&self, changes: &CredentialChanges, now: Timestamp) -> Option<Self> {
        let mut after = self.clone().current(now);
        let before = after.clone();
        if let Some(name) = &changes.name {
            after.name.clone_from(name);
        }
        if let Some(scopes) = &changes.scopes {
            after.scopes = Some(scopes.words());
        }
        if let Some(rate) = changes.rate_per_minute {
            after.rate_per_minute = rate;
        }
        if let Some(connections) = &changes.connections {
            after.connections.clone_from(connections);
        }
        if let Some(policy) = &changes.policy {
            after.policy.clone_from(policy);
        }
        (after != before).then_some(after)
    }

    /// With a new secret. The previous one expires at the given time.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] if it already has two valid secrets.
    pub(crate) fn rotated(
        &self,
        new: AppSecret,
        older_end: Timestamp,
        now: Timestamp,
    ) -> Result<Self> {
        let mut after = self.clone().current(now);
        if after.secrets.len() >= SECRETS {
            let older = after
                .secrets
                .first()
                .map_or("", |secret| secret.id.as_str());
            let message = format!(
                "the credential already has two secrets; revoke the older one, {older}, or wait until it expires"
            );
            return Err(Error::new(ErrorKind::InvalidTransition, message));
        }
        for older in &mut after.secrets {
            older.expires_at = Some(older_end);
        }
        // Drop a secret that expires now.
        after.secrets.retain(|secret| secret.is_live(now));
        after.secrets.push(new);
        Ok(after)
    }

    /// Without one of its secrets. The other one then doesn't expire until it's replaced.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if it has no secret with this ID, [`ErrorKind::InvalidTransition`] for the last one.
    pub(crate) fn without_secret(&self, id: &str, now: Timestamp) -> Result<Self> {
        let mut after = self.clone().current(now);
        let before = after.secrets.len();
        after.secrets.retain(|secret| secret.id != id);
        if after.secrets.len() == before {
            let message = format!("the credential has no secret with the id {id:?}");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        let Some(last) = after.secrets.last_mut() else {
            let message =
                "this is the credential's only secret; rotate it first, or revoke the credential";
            return Err(Error::new(ErrorKind::InvalidTransition, message));
        };
        last.expires_at = None;
        Ok(after)
    }

    /// With newer times of its secrets' last use. `None` if none is newer.
    pub(crate) fn used(&self, times: &[(String, Timestamp)], now: Timestamp) -> Option<Self> {
        let mut after = self.clone().current(now);
        let mut is_later = false;
        for secret in &mut after.secrets {
            let used = times.iter().filter(|(id, _)| *id == secret.id);
            let latest = used.map(|(_, at)| *at).max();
            if latest > secret.last_used_at {
                (secret.last_used_at, is_later) = (latest, true);
            }
        }
        is_later.then_some(after)
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "app_credential", &self.client_id).fact("name", self.name.as_str())
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({ "client_id": self.client_id, "name": self.name });
        NewEvent::new(name, data)
    }
}

/// A bearer token of an application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AccessToken {
    /// Digest of the token; primary key.
    pub(crate) token: Digest,
    /// The application's client ID.
    pub(crate) client_id: String,
    /// The secret that it was created with. The token stops working with this secret.
    #[serde(default)]
    pub(crate) secret_id: Option<String>,
    /// Names of the requested scopes. Without any, all scopes of the credential.
    #[serde(default)]
    pub(crate) scopes: Option<Vec<String>>,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
}

impl AccessToken {
    /// Scopes that it gives: the requested ones that its credential currently has.
    pub(crate) fn scopes(&self, credential: &AppCredential) -> Scopes {
        let of_credential = credential.scopes();
        match &self.scopes {
            None => of_credential,
            Some(words) => of_credential.and(&Scopes::known(words.iter().map(String::as_str))),
        }
    }
}
