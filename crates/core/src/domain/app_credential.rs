//! Credentials of applications with their secrets, and the bearer tokens made with them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Extra, NewAudit, NewEvent};
use crate::{Error, ErrorKind, Result, caller::Connections, digest::Digest, scope::Scopes};

/// Secrets that a credential has at most at a time: one in use, and one that replaces it.
const SECRETS: usize = 2;

/// A client id of an application, with its secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AppCredential {
    /// Client id; primary key.
    pub(crate) client_id: String,
    /// Name for people.
    pub(crate) name: String,
    /// Digest of the only secret, in rows of the first form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<Digest>,
    /// The secrets, oldest first; some may be past their time.
    #[serde(default)]
    pub(crate) secrets: Vec<AppSecret>,
    /// Words of the scopes. Rows that were written before there were scopes have none: [`Scopes::before_scopes`].
    #[serde(default)]
    pub(crate) scopes: Option<Vec<String>>,
    /// Requests a minute, where they are limited.
    #[serde(default)]
    pub(crate) rate_per_minute: Option<u32>,
    /// Connections that it is limited to.
    #[serde(default, skip_serializing_if = "Connections::are_all")]
    pub(crate) connections: Connections,
    /// Policy for its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
    /// When it ends, where it does.
    #[serde(default)]
    pub(crate) expires_at: Option<Timestamp>,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// A secret of a credential.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AppSecret {
    /// The beginning of its digest: names it, and tells nothing about it.
    pub(crate) id: String,
    /// Digest of the secret.
    pub(crate) digest: Digest,
    /// Its last characters, for people; not known of a secret of the first form.
    pub(crate) ends_with: Option<String>,
    /// When it was made.
    pub(crate) created_at: Timestamp,
    /// When it ends, where it was replaced.
    pub(crate) expires_at: Option<Timestamp>,
    /// When it, or a token made with it, was last used; up to an hour ago where it is used all the time.
    pub(crate) last_used_at: Option<Timestamp>,
}

impl AppSecret {
    /// A new secret. Of its text only the digest and the last four characters are kept, which are part of its checksum.
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

/// What changes in a credential; what is absent stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct CredentialChanges {
    pub(crate) name: Option<String>,
    pub(crate) scopes: Option<Scopes>,
    /// Without a limit where it is `Some(None)`.
    pub(crate) rate_per_minute: Option<Option<u32>>,
    pub(crate) connections: Option<Connections>,
    /// Without one where it is `Some(None)`.
    pub(crate) policy: Option<Option<String>>,
}

impl AppCredential {
    /// Whether it has not ended.
    pub(crate) fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// The secrets that have not ended, oldest first.
    pub(crate) fn live_secrets(&self, now: Timestamp) -> Vec<AppSecret> {
        let first = self.secret.clone();
        let first = first.map(|digest| AppSecret::of_first_form(digest, self.created_at));
        let all = first.into_iter().chain(self.secrets.iter().cloned());
        all.filter(|secret| secret.is_live(now)).collect()
    }

    /// What it opens.
    pub(crate) fn scopes(&self) -> Scopes {
        match &self.scopes {
            Some(words) => Scopes::known(words.iter().map(String::as_str)),
            None => Scopes::before_scopes(),
        }
    }

    /// The live secret that a token was made with. One that names none was made when there was one only.
    pub(crate) fn secret_of(&self, token: &AccessToken, now: Timestamp) -> Option<AppSecret> {
        let made_it = |secret: &AppSecret| match &token.secret_id {
            Some(id) => secret.id == *id,
            None => secret.ends_with.is_none(),
        };
        self.live_secrets(now).into_iter().find(made_it)
    }

    /// In its present form, without secrets that have ended.
    fn current(mut self, now: Timestamp) -> Self {
        self.secrets = self.live_secrets(now);
        self.secret = None;
        self
    }

    /// After a change, where there is any.
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

    /// With one more secret; the one before ends at a time.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] with two live secrets.
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
        // One that ends now is not kept.
        after.secrets.retain(|secret| secret.is_live(now));
        after.secrets.push(new);
        Ok(after)
    }

    /// Without one of its secrets. The other one then stays until it is replaced.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none of this id, [`ErrorKind::InvalidTransition`] for the last one.
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

    /// With the times at which its secrets were last used, where they are later than what it knows.
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

    /// An entry of the audit log about it.
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
    /// Whose it is.
    pub(crate) client_id: String,
    /// The secret that it was made with, and with which it ends.
    #[serde(default)]
    pub(crate) secret_id: Option<String>,
    /// Words of the scopes that were asked for; all of the credential where none were.
    #[serde(default)]
    pub(crate) scopes: Option<Vec<String>>,
    /// When it ends.
    pub(crate) expires_at: Timestamp,
}

impl AccessToken {
    /// What it opens: what its credential opens now, and was asked for.
    pub(crate) fn scopes(&self, credential: &AppCredential) -> Scopes {
        let of_credential = credential.scopes();
        match &self.scopes {
            None => of_credential,
            Some(words) => of_credential.and(&Scopes::known(words.iter().map(String::as_str))),
        }
    }
}
