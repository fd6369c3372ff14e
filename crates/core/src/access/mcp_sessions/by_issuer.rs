//! Validates JWTs of the operator's issuer, which work as sessions without being created first.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    caller::{Caller, McpSession},
    context::{Context, KnownIssuer},
    identifier::{Identifier, McpSessionId},
    oauth,
    results::ResultOptions,
};

/// Claims that users may have set themselves, each with the claim that says whether the issuer has verified it (OpenID
/// Connect Core 1.0, 5.1).
const VERIFIED: [(&str, &str); 2] = [
    ("email", "email_verified"),
    ("phone_number", "phone_number_verified"),
];

/// The caller of a JWT, and when the JWT expires. The token determines the user, and the issuer's configuration
/// determines the session's permissions. Tokens of the same user and client are one session, so the session outlives
/// each of them.
pub(in crate::access) async fn check_jwt(
    context: &Context,
    issuer: &KnownIssuer,
    bearer: &str,
) -> Result<(Caller, Timestamp)> {
    let (claims, end) = oauth::issuer::claims(context, issuer, bearer).await?;
    let options = &issuer.options;
    let claim = &options.identifier_claim;
    let verified = VERIFIED.iter().find(|(given, _)| given == claim);
    // Some issuers write the boolean as a text.
    let lacks = |(_, verified): &&(_, &str)| claims[verified] != true && claims[verified] != "true";
    if let Some((_, verified)) = verified.filter(lacks) {
        let message = format!(
            "Stead can't accept the JWT: its claim {claim:?} names the user, but {verified:?} isn't true"
        );
        return Err(Error::new(ErrorKind::Unauthenticated, message));
    }
    let identifier = claims[claim].as_str().unwrap_or_default();
    let identifier = Identifier::new(identifier).map_err(|_| {
        let message =
            format!("Stead can't accept the JWT: its claim {claim:?} can't be an identifier");
        Error::new(ErrorKind::Unauthenticated, message)
    })?;
    let client = ["client_id", "azp"].map(|name| claims[name].as_str());
    let client = client.into_iter().flatten().next().unwrap_or_default();
    let id = issuer.session_of(context, client, identifier.as_str());
    let id = McpSessionId::from_uuid(id.await?);
    let session = McpSession {
        session_id: id,
        name: id.to_string(),
        client_id: None,
        identifier,
        connections: options.connections.clone(),
        tools: options.tools.clone(),
        tool_set: options.listed_set().to_owned(),
        output_schemas: options.output_schemas,
        read_only: options.read_only,
        results: ResultOptions::for_agents(None, None),
        verify_url: options.verify_url.clone(),
        scopes: None,
        policies: [options.policy.clone(), None],
    };
    Ok((Caller::McpSession(Arc::new(session)), end))
}
