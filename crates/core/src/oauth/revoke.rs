use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

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
    identifier::{AccountId, OutboxId},
    ports::{Body, Limits},
    product::{ClientAuthentication, TokenFormat},
    seal::AssociatedData,
    store::{
        AccountRow, Batch, Commit, ConnectionRow, CredentialRow, OutboxRow, OutboxTask, RowKey,
        Versioned,
    },
};

/// Attempts before a revocation is given up: with the growing pauses, about two days.
const ATTEMPTS: u32 = 12;

/// Entries that one round takes at once.
const ROUND: u32 = 50;
/// While an entry is being worked on, no other process takes it for so long.
const CLAIM: SignedDuration = SignedDuration::from_mins(2);

/// At most one worker per process works off the outbox.
#[derive(Debug, Default)]
pub(crate) struct OutboxWorker {
    running: AtomicBool,
    asked_again: AtomicBool,
}

impl Environment {
    /// The outbox entry that revokes a credential which the application gives up for good. What cannot be revoked (no
    /// endpoint, nothing to open) is shredded all the same.
    pub(crate) async fn revocation(
        &self,
        account: &AccountRow,
        credential: &CredentialRow,
    ) -> Option<OutboxRow> {
        let sealed = credential.sealed.as_ref()?;
        let tokens = TokenSet::open(self.vault(), account, credential.generation, sealed);
        match tokens {
            Ok(tokens) => {
                self.revocation_of_tokens(account, credential.generation, &tokens)
                    .await
            }
            Err(error) => {
                tracing::warn!(account = %account.id, kind = %error.kind(), "a credential cannot be opened, so it is not revoked at the product");
                None
            }
        }
    }

    /// The same for a credential that was never confirmed: not where the product would end the account's working grant
    /// with it.
    pub(crate) async fn revocation_of(
        &self,
        account: &AccountRow,
        credential: &CredentialRow,
    ) -> Option<OutboxRow> {
        if self.would_end_working_grant(account).await {
            None
        } else {
            self.revocation(account, credential).await
        }
    }

    /// The same for tokens that were never stored.
    pub(super) async fn discard(&self, account: &AccountRow, tokens: &TokenSet) {
        if self.would_end_working_grant(account).await {
            return;
        }
        if let Some(entry) = self
            .revocation_of_tokens(account, account.last_generation, tokens)
            .await
        {
            match self.store().commit(Batch::new().insert(entry)).await {
                Ok(_) => self.work_off_outbox(),
                Err(error) => {
                    tracing::warn!(account = %account.id, kind = %error.kind(), "tokens that nobody keeps could not be revoked")
                }
            }
        }
    }

    async fn would_end_working_grant(&self, account: &AccountRow) -> bool {
        let Ok(connection) = self.connection_by_id(account.connection_id).await else {
            return true;
        };
        let Ok(endpoints) = self.endpoints_of(&connection.row) else {
            return true;
        };
        endpoints.product.oauth.revocation_ends_grant && account.generation > 0
    }

    async fn revocation_of_tokens(
        &self,
        account: &AccountRow,
        generation: u64,
        tokens: &TokenSet,
    ) -> Option<OutboxRow> {
        let connection = self.connection_by_id(account.connection_id).await.ok()?.row;
        self.endpoints_of(&connection).ok()?.revoke()?;
        let id = OutboxId::from_uuid(self.new_id());
        let token = self
            .vault()
            .seal(
                token_place(id),
                tokens.revocable().expose_secret().as_bytes(),
            )
            .ok()?;
        let task = OutboxTask::Revoke {
            connection_id: connection.id,
            account_id: account.id,
            generation,
            token,
        };
        Some(OutboxRow {
            id,
            task,
            attempts: 0,
            due_at: self.now(),
        })
    }

    /// Works off what is due, in the background: one worker per process, however often it is asked.
    pub(crate) fn work_off_outbox(&self) {
        let worker = self.outbox_worker();
        worker.asked_again.store(true, Ordering::Release);
        if worker.running.swap(true, Ordering::AcqRel) {
            return;
        }
        let environment = self.clone();
        let guard = self.tasks().begin();
        self.runtime().spawn(Box::pin(async move {
            let worker = environment.outbox_worker();
            loop {
                while worker.asked_again.swap(false, Ordering::AcqRel) {
                    if let Err(error) = environment.work_off().await {
                        tracing::warn!(kind = %error.kind(), "the outbox could not be read");
                    }
                }
                worker.running.store(false, Ordering::Release);
                // Somebody may have asked between the last look and the line above.
                if !worker.asked_again.load(Ordering::Acquire)
                    || worker.running.swap(true, Ordering::AcqRel)
                {
                    break;
                }
            }
            drop(guard);
        }));
    }

    /// Takes what is due until nothing is.
    async fn work_off(&self) -> Result<()> {
        loop {
            let due = self.store().due(self.now(), ROUND).await?;
            let last = due.len() < ROUND as usize;
            for entry in due {
                self.work_off_entry(entry).await?;
            }
            if last {
                return Ok(());
            }
        }
    }

    async fn work_off_entry(&self, entry: Versioned<OutboxRow>) -> Result<()> {
        let Versioned {
            mut row, version, ..
        } = entry;
        row.due_at = self.now().checked_add(CLAIM).unwrap_or(row.due_at);
        if self
            .store()
            .commit(Batch::new().update(row.clone(), version))
            .await?
            == Commit::Conflict
        {
            // Another process has it.
            return Ok(());
        }
        let OutboxTask::Revoke {
            connection_id,
            account_id,
            generation,
            token,
        } = &row.task;
        let done = if self.superseded(*account_id, *generation).await? {
            Ok(())
        } else {
            match self.store().connection(*connection_id).await? {
                Some(connection) => self.revoke(&connection.row, row.id, token).await,
                None => Ok(()),
            }
        };
        if let Err(error) = &done {
            tracing::info!(kind = %error.kind(), attempts = row.attempts + 1, "a token could not be revoked at the product");
        }
        self.settle(
            Versioned {
                row,
                version: version + 1,
                read_at: entry.read_at,
            },
            done.is_ok(),
        )
        .await
    }

    /// Whether the user has authorized anew since, and the revocation would end that grant too.
    async fn superseded(&self, account: AccountId, generation: u64) -> Result<bool> {
        let Some(account) = self.store().account(account).await? else {
            return Ok(false);
        };
        Ok(account.row.generation > generation && self.would_end_working_grant(&account.row).await)
    }

    async fn settle(&self, entry: Versioned<OutboxRow>, done: bool) -> Result<()> {
        let Versioned {
            mut row, version, ..
        } = entry;
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
    /// ask for none here.
    async fn revoke(
        &self,
        connection: &ConnectionRow,
        entry: OutboxId,
        token: &crate::store::Sealed,
    ) -> Result<()> {
        let endpoints = self.endpoints_of(connection)?;
        let Some(url) = endpoints.revoke() else {
            return Ok(());
        };
        let token = self.vault().open_sealed(token_place(entry), token)?;
        let token = String::from_utf8_lossy(&token);
        let oauth = &endpoints.product.oauth;
        let (body, content_type) = match oauth.token_format {
            TokenFormat::Form => {
                let form = form_urlencoded::Serializer::new(String::new())
                    .append_pair("token", &token)
                    .finish();
                (form, "application/x-www-form-urlencoded")
            }
            TokenFormat::Json => (
                serde_json::json!({ "token": token }).to_string(),
                "application/json",
            ),
        };
        let mut request = http::Request::new(Body::from(body.into_bytes()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url
            .parse()
            .map_err(|_| Error::new(ErrorKind::Internal, "the revocation endpoint is no URI"))?;
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        for (name, value) in oauth.token_headers {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        if oauth.client_authentication == ClientAuthentication::Basic
            && let (Some(id), Some(secret)) =
                (&connection.client_id, client_secret(self, connection)?)
        {
            let encode =
                |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = Zeroizing::new(format!("{}:{}", encode(id), encode(secret.expose_secret())));
            let mut value =
                HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair.as_bytes())))
                    .map_err(|_| {
                        Error::new(ErrorKind::Internal, "the client credentials fit no header")
                    })?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        let limits = Limits {
            total: Duration::from_secs(20),
            response_bytes: 64 * 1024,
            ..Limits::DEFAULT
        };
        request.extensions_mut().insert(limits);
        let unavailable = |why: String| Error::new(ErrorKind::ProductUnavailable, why);
        let response = self
            .transport()
            .send(request)
            .await
            .map_err(|error| unavailable(error.to_string()))?;
        match response.status().as_u16() {
            200..=299 => Ok(()),
            status if oauth.revoked_already.contains(&status) => Ok(()),
            status => Err(unavailable(format!(
                "the revocation endpoint answered {status}"
            ))),
        }
    }
}

fn token_place(id: OutboxId) -> AssociatedData<'static> {
    AssociatedData::new("outbox", id.uuid(), "token")
}
