//! States of connections, accounts and authorizations, which the API's views and the domain's entities share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! state_names {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];
            /// Stable snake_case name.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }
        }
    };
}

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// Client id or secret are missing.
    Draft,
    /// Usable.
    Ready,
    /// Switched off; its accounts keep their state.
    Disabled,
}
state_names!(ConnectionState { Draft = "draft", Ready = "ready", Disabled = "disabled" });

/// Whether the product accepts the connection's client credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionHealth {
    /// No refusal is known.
    ClientOk,
    /// The product refused them.
    ClientRejected,
}

/// State of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// The user has never authorized, or has to do so again after a disconnect.
    PendingAuthorization,
    /// The user came back; the application has yet to confirm who it was.
    PendingVerification,
    /// Usable.
    Active,
    /// The credential is dead; only the user can fix it.
    NeedsReauthorization,
    /// Paused; the credential is kept.
    Suspended,
    /// Ended; the credential is shredded.
    Disconnected,
}
state_names!(AccountState {
    PendingAuthorization = "pending_authorization",
    PendingVerification = "pending_verification",
    Active = "active",
    NeedsReauthorization = "needs_reauthorization",
    Suspended = "suspended",
    Disconnected = "disconnected",
});

/// Where the delivery of an event to a webhook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Another attempt is due.
    Waiting,
    /// The endpoint has taken it.
    Delivered,
    /// The endpoint did not take it, and no attempt follows.
    Failed,
}
state_names!(DeliveryState { Waiting = "waiting", Delivered = "delivered", Failed = "failed" });

/// State of a data key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKeyState {
    /// Every process can open with it; none seals with it yet.
    Added,
    /// Seals. The key of a store that was made before keys had states is this one.
    #[default]
    Active,
    /// Opens what it has sealed; seals nothing more.
    Retiring,
    /// Destroyed: only the row is left.
    Retired,
}
state_names!(DataKeyState {
    Added = "added",
    Active = "active",
    Retiring = "retiring",
    Retired = "retired",
});

/// Whether an account's credential serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AccountHealth {
    /// It serves, and could be refreshed the last time.
    #[default]
    Ok,
    /// It could not be refreshed, for a reason that passes; the present access token may still serve.
    Degraded,
    /// No call can be made; the account's state says why. Not stored: it follows from the state.
    Unusable,
}

/// Why an account needs a new authorization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AccountReason {
    /// The product refused the refresh token.
    RefreshRejected,
    /// The access token expired and there is no refresh token.
    RefreshTokenMissing,
    /// A refresh was cut between the product's commit and ours, and the old token is spent.
    RefreshOutcomeLost,
    /// The product refused a refresh token that an older copy of the database brought back: newer ones are lost.
    RestoredFromBackup,
    /// The connection's client id changed.
    ClientChanged,
}

/// How far an authorization has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationState {
    /// The link exists.
    Created,
    /// A browser was bound and sent to the product.
    Redirected,
    /// It came back; the state is spent.
    Returned,
    /// The application has to confirm who came back.
    Verifying,
    /// The account is active.
    Completed,
    /// The user refused.
    Denied,
    /// Its time is over.
    Expired,
    /// It failed.
    Failed,
    /// A newer one was completed.
    Superseded,
}
state_names!(AuthorizationState {
    Created = "created",
    Redirected = "redirected",
    Returned = "returned",
    Verifying = "verifying",
    Completed = "completed",
    Denied = "denied",
    Expired = "expired",
    Failed = "failed",
    Superseded = "superseded",
});

/// What an account token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenAccess {
    /// Send requests that only read.
    Read,
    /// Send every request that the proxy takes.
    Write,
}
state_names!(TokenAccess { Read = "read", Write = "write" });

/// State of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    /// A person has to decide.
    Pending,
    /// The call may be made once.
    Approved,
    /// The call may not be made.
    Denied,
    /// The call was made.
    Used,
    /// Its time was over before the call was made.
    Expired,
}
state_names!(ApprovalState {
    Pending = "pending",
    Approved = "approved",
    Denied = "denied",
    Used = "used",
    Expired = "expired",
});

/// What a member may do in the dashboard.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// See everything but webhooks, credentials of applications, members and keys; change nothing.
    Viewer,
    /// What a viewer may, and work with connections, accounts, tools and webhooks.
    Operator,
    /// Everything, also credentials of applications, members and keys.
    Owner,
}
state_names!(Role { Viewer = "viewer", Operator = "operator", Owner = "owner" });

/// A way in which a member signs in to the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    /// A password of this environment.
    Password,
    /// The operator's OpenID Connect provider.
    Provider,
}
state_names!(SignInMethod { Password = "password", Provider = "provider" });

/// State of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberState {
    /// Has a link to follow before signing in for the first time.
    Invited,
    /// May sign in.
    Active,
    /// Kept out until enabled again.
    Disabled,
}
state_names!(MemberState { Invited = "invited", Active = "active", Disabled = "disabled" });
