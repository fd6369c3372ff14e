//! Presents the current refresh token. If it's rejected, presents every other one that may still be valid.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    super::token_endpoint::{Granted, NoTokens, TokenFailure, request_tokens},
    Attempt, failure,
    keep::keep,
};
use crate::{
    ErrorKind, Result,
    context::{Context, Snapshot, TokenSet},
    domain::{
        lease::may_send,
        refresh::{AfterRefusal, LiveGeneration, Refusal},
    },
    metrics::Refresh,
};

/// Presents a refresh token, and stores the tokens that the product returns. Returns `None` if the lease was too close
/// to its end for a request and was released, or if another grant or refresh has replaced this one.
pub(super) async fn present(context: &Context, attempt: &Attempt) -> Result<Option<Arc<Snapshot>>> {
    let mut generation = attempt.account.generation;
    let (mut tried, mut presented) = (Vec::new(), Vec::<SecretString>::new());
    let (mut said, mut unreadable) = (String::new(), None);
    loop {
        tried.push(generation);
        let token = match context.tokens(&attempt.account, generation).await {
            Ok(tokens) => tokens.as_ref().and_then(TokenSet::refresh_token).cloned(),
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
                return failure::give_back_later(context, attempt, Err(error));
            }
            Err(error) => {
                tracing::warn!(account = %attempt.account.id, generation, kind = %error.kind(), "skipped a credential that can't be decrypted");
                unreadable.get_or_insert(error);
                None
            }
        };
        let is_other = |token: &SecretString| {
            let same = |other: &SecretString| other.expose_secret() == token.expose_secret();
            !presented.iter().any(same)
        };
        if let Some(token) = token.filter(is_other) {
            let elapsed = context.host.monotonic().saturating_sub(attempt.read_when);
            if !may_send(elapsed) {
                failure::give_back(context, attempt).await?;
                return Ok(None);
            }
            let sent_at = attempt.account.sends_at(attempt.now(context));
            match granted(context, attempt, &token).await {
                Ok(granted) => return keep(context, attempt, granted, sent_at).await.map(Some),
                Err(NoTokens::Failure(TokenFailure::Rejected, refusal, _)) => said = refusal,
                Err(none) => return failure::failed(context, attempt, none).await.map(Some),
            }
            presented.push(token);
        }
        let live = failure::give_back_later(context, attempt, live(context, attempt).await)?;
        // Read the account after the credentials. If it still has the claimed generation, they all belong to the same
        // grant.
        let account = context.existing_account(attempt.account.id).await;
        let account = failure::give_back_later(context, attempt, account)?.row;
        if account.is_overtaken(&attempt.account, attempt.owner) {
            return Ok(None);
        }
        let after = attempt.account.after_refusal(Refusal {
            read_at: attempt.now(context),
            reason: attempt.reason,
            rotation: attempt.rotation,
            live: &live,
            tried: &tried,
        });
        if let AfterRefusal::Present(next) = after {
            generation = next;
        } else if !presented.is_empty() {
            return failure::refused(context, attempt, after, said)
                .await
                .map(Some);
        } else if let Some(error) = unreadable {
            failure::give_back(context, attempt).await?;
            return Err(error);
        } else {
            return failure::no_refresh_token(context, attempt).await.map(Some);
        }
    }
}

/// The account's credentials that could be valid. Skips those that can't be read.
async fn live(context: &Context, attempt: &Attempt) -> Result<Vec<LiveGeneration>> {
    let credentials = context.store.credentials(attempt.account.id).await?;
    let rows = credentials.iter().map(|found| &found.row);
    Ok(rows
        .filter_map(|row| LiveGeneration::of(row, &attempt.account))
        .collect())
}

/// Sends no `scope` (RFC 6749, 6), so it doesn't ask for what the user didn't grant.
async fn granted(
    context: &Context,
    attempt: &Attempt,
    refresh_token: &SecretString,
) -> Result<Granted, NoTokens> {
    let endpoints = context.endpoints_of(&attempt.connection)?;
    let url = &endpoints.token;
    if let Some(wait) = context
        .products
        .circuits
        .try_begin(url, context.host.monotonic())
    {
        let closed = failure::refresh_unavailable("it fails for every account", Some(wait));
        return Err(NoTokens::Error(closed));
    }
    let grant = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh_token.expose_secret()),
    ];
    let granted = request_tokens(
        context,
        endpoints.product,
        &attempt.connection,
        url,
        &grant,
        Some(refresh_token),
    )
    .await;
    let failed = matches!(
        granted,
        Err(NoTokens::Failure(
            TokenFailure::Temporary | TokenFailure::Unanswered,
            ..
        ))
    );
    context
        .products
        .circuits
        .note(url, failed, context.host.monotonic());
    if let Some(outcome) = outcome(&granted) {
        context
            .host
            .metrics
            .refresh(endpoints.product.name, outcome);
    }
    granted
}

/// The result of a token request, or `None` if none was sent.
fn outcome(granted: &Result<Granted, NoTokens>) -> Option<Refresh> {
    Some(match granted {
        Ok(_) => Refresh::Ok,
        Err(NoTokens::Failure(failure, ..)) => match failure {
            TokenFailure::Rejected => Refresh::Refused,
            TokenFailure::Client | TokenFailure::Misconfigured => Refresh::ClientRefused,
            TokenFailure::Temporary => Refresh::Unavailable,
            TokenFailure::Unanswered => Refresh::Unanswered,
        },
        Err(NoTokens::Error(_)) => return None,
    })
}
