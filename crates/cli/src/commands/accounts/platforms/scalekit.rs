//! Scalekit: the response of `GET /api/v1/connected_accounts/auth`, as its API reference describes it.
//! <https://docs.scalekit.com/agentkit/apis>
//!
//! Scalekit's connector is Stead's connection.

use stead_core::resource::AccountWithTokens;

use super::fields::Fields;

pub(super) fn read(fields: &mut Fields) -> Option<AccountWithTokens> {
    let of = match fields.has("/connected_account") {
        true => "/connected_account",
        false => "",
    };
    let place = |member: &str| format!("{of}/{member}");
    let other = "only OAuth 2.0 accounts can be imported";
    fields.expect(&place("authorization_type"), "OAUTH", other);
    let dead = "its tokens no longer work; create a link for this user";
    fields.expect(&place("status"), "ACTIVE", dead);
    let connector = fields.needed(&place("connector"));
    let user = fields.needed(&place("identifier"));
    let token = place("authorization_details/oauth_token");
    let account = fields.account(connector, user, &token);
    let expires_at = fields.time(&place("token_expires_at"));
    let mut account = account?;
    account.expires_at = expires_at;
    account.scopes = fields.scopes(&format!("{token}/scopes"));
    Some(account)
}
