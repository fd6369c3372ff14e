//! Nango: the response of `GET /connections/{connectionId}` with `refresh_token=true`, in the cloud and self-hosted.
//! <https://nango.dev/docs/reference/backend/http-api/connection/get>. Tags are described in
//! <https://nango.dev/docs/guides/auth/connection-tags-configuration-metadata>.
//!
//! Nango's connection is a user's account, and its integration (`provider_config_key`) is Stead's connection. The user is
//! the tag `end_user_id`, or else the session's end user, or else the id of Nango's connection.

use stead_core::resource::AccountWithTokens;

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
