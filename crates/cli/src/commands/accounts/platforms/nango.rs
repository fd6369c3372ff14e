//! Nango: the response of `GET /connections/{connectionId}` with `refresh_token=true`, at its cloud and where it is
//! self-hosted. <https://nango.dev/docs/reference/backend/http-api/connection/get>; its tags are in
//! <https://nango.dev/docs/guides/auth/connection-tags-configuration-metadata>.
//!
//! A connection there is the account of one user, and its integration (`provider_config_key`) is what a connection is here.
//! The user is the tag `end_user_id`, or else the end user of the session, or else the connection's own id.

use stead::core::resource::AccountWithTokens;

use super::fields::Fields;

pub(super) fn read(fields: &mut Fields) -> Option<AccountWithTokens> {
    let other = "only OAuth 2.0 accounts can be imported";
    fields.expect("/credentials/type", "OAUTH2", other);
    let integration = fields.needed("/provider_config_key");
    let user = fields
        .text("/tags/end_user_id")
        .or_else(|| fields.text("/end_user/id"))
        .or_else(|| fields.needed("/connection_id"));
    let account = fields.account(integration, user, "/credentials");
    let expires_at = fields.time("/credentials/expires_at");
    let mut account = account?;
    account.expires_at = expires_at;
    account.scopes = fields.scopes("/credentials/raw/scope");
    account.token_response = fields.token_response("/credentials/raw");
    Some(account)
}
