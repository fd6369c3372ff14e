use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderName, HeaderValue, Method, header};
use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::{TokenSet, client::client_secret};
use crate::{
    Error, ErrorKind, Result,
    environment::Environment,
    identifier::OutboxId,
    ports::{Body, Limits},
    product::{ClientAuthentication, TokenFormat},
    seal::Place,
    store::{Batch, ConnectionRow, CredentialRow, OutboxRow, OutboxTask, RowKey, Versioned},
};

/// Attempts before a revocation is given up: with the growing pauses, about three days.
const ATTEMPTS: u32 = 12;

impl Environment {
    /// The outbox entry that revokes a credential, where the product can revoke and there is something to.
    pub(crate) fn revocation(&self, connection: &ConnectionRow, credential: &CredentialRow) -> Result<Option<OutboxRow>> {
        let Some(sealed) = &credential.sealed else { return Ok(None) };
        if self.endpoints_of(connection)?.revoke().is_none() {
            return Ok(None);
        }
        let tokens = TokenSet::open(self.vault(), credential.account_id, credential.generation, sealed)?;
        let id = OutboxId::from_uuid(self.new_id());
        let token = self.vault().seal(token_place(id), tokens.revocable().expose_secret().as_bytes())?;
        let task = OutboxTask::Revoke { connection_id: connection.id, token };
        Ok(Some(OutboxRow { id, task, attempts: 0, due_at: self.now() }))
    }

    /// Works off what is due, in the background.
    pub(crate) fn work_off_outbox(&self) {
        let environment = self.clone();
        let guard = self.tasks().begin();
        self.runtime().spawn(Box::pin(async move {
            if let Err(error) = environment.work_off().await {
                tracing::warn!(kind = %error.kind(), "the outbox could not be read");
            }
            drop(guard);
        }));
    }

    pub(crate) async fn work_off(&self) -> Result<()> {
        for entry in self.store().due(self.now(), 50).await? {
            let OutboxTask::Revoke { connection_id, token } = &entry.row.task;
            let done = match self.connection_by_id(*connection_id).await {
                Ok(connection) => self.revoke(&connection.row, entry.row.id, token).await,
                Err(error) => Err(error),
            };
            if let Err(error) = &done {
                tracing::info!(kind = %error.kind(), attempts = entry.row.attempts + 1, "a token could not be revoked at the product");
            }
            self.settle(entry, done.is_ok()).await?;
        }
        Ok(())
    }

    async fn settle(&self, entry: Versioned<OutboxRow>, done: bool) -> Result<()> {
        let Versioned { mut row, version, .. } = entry;
        let batch = if done || row.attempts + 1 >= ATTEMPTS {
            Batch::new().delete(RowKey::Outbox(row.id), version)
        } else {
            row.attempts += 1;
            let pause = SignedDuration::from_mins(2_i64.saturating_pow(row.attempts).min(720));
            row.due_at = self.now().checked_add(pause).unwrap_or(row.due_at);
            Batch::new().update(row, version)
        };
        // A conflict means that another process has settled it.
        let _ = self.store().commit(batch).await?;
        Ok(())
    }

    /// RFC 7009, 2.1: the client proves itself as at the token endpoint. Servers that take the secret in the body
    /// (Google) ask for none here.
    async fn revoke(&self, connection: &ConnectionRow, entry: OutboxId, token: &crate::store::Sealed) -> Result<()> {
        let endpoints = self.endpoints_of(connection)?;
        let Some(url) = endpoints.revoke() else { return Ok(()) };
        let token = self.vault().open_sealed(token_place(entry), token)?;
        let token = String::from_utf8_lossy(&token);
        let oauth = &endpoints.product.oauth;
        let (body, content_type) = match oauth.token_format {
            TokenFormat::Form => {
                let form = form_urlencoded::Serializer::new(String::new()).append_pair("token", &token).finish();
                (form, "application/x-www-form-urlencoded")
            }
            TokenFormat::Json => (serde_json::json!({ "token": token }).to_string(), "application/json"),
        };
        let mut request = http::Request::new(Body::from(body.into_bytes()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url.parse().map_err(|_| Error::new(ErrorKind::Internal, "the revocation endpoint is no URI"))?;
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        for (name, value) in oauth.token_headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if oauth.client_authentication == ClientAuthentication::Basic
            && let (Some(id), Some(secret)) = (&connection.client_id, client_secret(self, connection)?)
        {
            let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = Zeroizing::new(format!("{}:{}", encode(id), encode(secret.expose_secret())));
            let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair.as_bytes())))
                .map_err(|_| Error::new(ErrorKind::Internal, "the client credentials fit no header"))?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        let limits = Limits { total: Duration::from_secs(20), response_bytes: 64 * 1024, ..Limits::DEFAULT };
        request.extensions_mut().insert(limits);
        let unavailable = |why: String| Error::new(ErrorKind::ProductUnavailable, why);
        let response = self.transport().send(request).await.map_err(|error| unavailable(error.to_string()))?;
        match response.status().as_u16() {
            // 400 is Google's answer to a token that is dead already.
            200..=299 | 400 => Ok(()),
            status => Err(unavailable(format!("the revocation endpoint answered {status}"))),
        }
    }
}

fn token_place(id: OutboxId) -> Place<'static> {
    Place::new("outbox", id.uuid(), "token")
}
