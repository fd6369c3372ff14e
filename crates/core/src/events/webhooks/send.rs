//! Sends one event to an endpoint, signed as in Standard Webhooks.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac as _};
use http::{HeaderValue, Method, header};
use sha2::Sha256;

use super::check_address;
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    domain::webhook::{Attempt, Webhook},
    identifier::EventId,
    ports::{Body, Limits},
    scrub::scrub,
    sealed::place,
    tool::Response,
};

/// Time limit for an endpoint's response.
const TIME: Duration = Duration::from_secs(15);
/// Number of bytes of a response to read for an error message.
const READ: usize = 4096;
/// Number of those to keep.
const KEPT: usize = 200;

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: TIME,
    idle: TIME,
    total: TIME,
    ..Limits::DEFAULT
};

/// Makes one attempt. A missing response counts as a failed attempt. It's only an error if this process or its store
/// couldn't try.
pub(super) async fn send(
    context: &Context,
    webhook: &Webhook,
    id: EventId,
    body: Vec<u8>,
) -> Result<Attempt> {
    let at = context.host.now();
    match attempt(context, webhook, id, body).await {
        Ok(attempt) => Ok(attempt),
        Err(error) => match error.kind() {
            ErrorKind::ShuttingDown | ErrorKind::StorageUnavailable => Err(error),
            _ => Ok(Attempt {
                at,
                status: None,
                message: scrub(error.message(), KEPT),
                retry_after: None,
            }),
        },
    }
}

async fn attempt(
    context: &Context,
    webhook: &Webhook,
    id: EventId,
    body: Vec<u8>,
) -> Result<Attempt> {
    // The operator's allowed hosts may have changed since the URL was set.
    let url = check_address(context, &webhook.url)?;
    let at = context.host.now();
    let id = id.to_string();
    let timestamp = at.as_second().to_string();
    let mut signatures = Vec::new();
    for secret in webhook.signing(at) {
        let place = place::WebhookSecret(webhook.id, secret.generation);
        let key = context.store.vault.open(&place, &secret.sealed).await?;
        signatures.push(signature(&key, &id, &timestamp, &body));
    }
    let unsendable = |_| Error::new(ErrorKind::Internal, "the request can't be made");
    let mut request = http::Request::builder()
        .method(Method::POST)
        .uri(url.as_str())
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, "stead-webhooks")
        .header("webhook-id", id)
        .header("webhook-timestamp", timestamp)
        .header(
            "webhook-signature",
            HeaderValue::from_str(&signatures.join(" ")).map_err(unsendable_header)?,
        )
        .body(Body::from(body))
        .map_err(unsendable)?;
    request.extensions_mut().insert(LIMITS);
    let sent = context
        .host
        .tasks
        .unless_cut(context.products.send(request));
    let Some(response) = sent.await else {
        return Err(Error::new(
            ErrorKind::ShuttingDown,
            "this process stopped before a response came",
        ));
    };
    let (head, body) = response
        .map_err(|error| Error::new(ErrorKind::ProductUnavailable, error.to_string()))?
        .into_parts();
    let said = body.peek(READ).await.map(|(said, _)| said);
    let said = said.unwrap_or_default();
    let said = String::from_utf8_lossy(said.get(..READ).unwrap_or(&said));
    let response = Response::new(head.status.as_u16(), head.headers, "");
    Ok(Attempt {
        at,
        status: Some(response.status),
        message: scrub(&said, KEPT),
        retry_after: response
            .retry_after(Some(at))
            .and_then(|pause| pause.try_into().ok()),
    })
}

fn unsendable_header(_: header::InvalidHeaderValue) -> Error {
    Error::new(ErrorKind::Internal, "the request can't be made")
}

/// Signs the ID, the time of the attempt and the body: HMAC-SHA256, version 1 of the scheme.
fn signature(key: &[u8], id: &str, timestamp: &str, body: &[u8]) -> String {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return String::new();
    };
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(part);
    }
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_specification() {
        // The example of the Standard Webhooks reference libraries.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = signature(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
