//! States of connections, accounts, authorizations and other resources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An enum whose values have names.
pub(crate) trait Word: Copy + 'static {
    const NAMES: &'static [&'static str];
    const VALUES: &'static [Self];
    fn word(self) -> &'static str;
}

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

        impl Word for $type {
            const NAMES: &'static [&'static str] = &[$($name),+];
            const VALUES: &'static [Self] = &Self::ALL;
            fn word(self) -> &'static str {
                self.name()
            }
        }
    };
}

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// The client ID or secret is missing.
    Draft,
    /// It works.
    Ready,
    /// Disabled. Its accounts keep their state.
    Disabled,
}
state_names!(ConnectionState { Draft = "draft", Ready = "ready", Disabled = "disabled" });

/// Whether the product accepts the connection's client credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionHealth {
    /// The product hasn't refused them.
    ClientOk,
    /// The product refused them.
    ClientRejected,
}

/// State of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// The user has never authorized, or needs to authorize again after a disconnection.
    PendingAuthorization,
    /// The user came back, but the application hasn't confirmed who it was yet.
    PendingVerification,
    /// It works.
    Active,
    /// The tokens no longer work. The user needs to open a new link.
    NeedsReauthorization,
    /// Suspended. The tokens are kept.
    Suspended,
    /// Disconnected. The tokens are destroyed.
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

/// State of an event's delivery to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Another attempt is due.
    Waiting,
    /// The endpoint accepted it.
    Delivered,
    /// The endpoint didn't accept it, and Stead doesn't try again.
    Failed,
}
state_names!(DeliveryState { Waiting = "waiting", Delivered = "delivered", Failed = "failed" });

/// State of a data key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKeyState {
    /// Added. Processes can decrypt with it, but don't encrypt with it yet.
    Added,
    /// Active. Stead encrypts new data with it.
    #[default]
    Active,
    /// Only decrypts data that it encrypted earlier.
    Retiring,
    /// Destroyed. Only its row is left.
    Retired,
}
state_names!(DataKeyState {
    Added = "added",
    Active = "active",
    Retiring = "retiring",
    Retired = "retired",
});

/// Whether an account's tokens work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AccountHealth {
    /// They work, and the last refresh succeeded.
    #[default]
    Ok,
    /// The last refresh failed for a temporary reason. The current access token can still work.
    Degraded,
    /// Calls aren't possible, and the account's state says why. It follows from the state and isn't stored.
    Unusable,
}

/// Why an account needs a new authorization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AccountReason {
    /// The product refused the refresh token.
    RefreshRejected,
    /// The access token expired, and there is no refresh token.
    RefreshTokenMissing,
    /// A refresh was interrupted after the product issued new tokens, and the old refresh token no longer works.
    RefreshOutcomeLost,
    /// The product refused a refresh token from a restored database, because newer tokens are lost.
    RestoredFromBackup,
    /// The connection's client ID changed.
    ClientChanged,
}

/// State of an authorization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationState {
    /// The link was created.
    Created,
    /// A browser opened the link and was redirected to the product.
    Redirected,
    /// The browser came back from the product.
    Returned,
    /// The application needs to confirm who came back.
    Verifying,
    /// The account is active.
    Completed,
    /// The user declined to give access.
    Denied,
    /// It expired.
    Expired,
    /// It failed.
    Failed,
    /// A newer authorization replaced it.
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

/// Access of an account token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenAccess {
    /// Send requests that only read.
    Read,
    /// Send all requests that the proxy allows.
    Write,
}
state_names!(TokenAccess { Read = "read", Write = "write" });

/// State of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    /// A person needs to approve or deny it.
    Pending,
    /// A person approved the call. It can be made once.
    Approved,
    /// A person denied the call.
    Denied,
    /// The call was made.
    Used,
    /// It expired before the call was made.
    Expired,
}
state_names!(ApprovalState {
    Pending = "pending",
    Approved = "approved",
    Denied = "denied",
    Used = "used",
    Expired = "expired",
});

/// Role of a member of the dashboard.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Can see everything except webhooks, applications' credentials, members and keys. Can't change anything.
    Viewer,
    /// Can do what a viewer can, and manage connections, accounts, tools and webhooks.
    Operator,
    /// Can do everything, including managing applications' credentials, members and keys.
    Owner,
}
state_names!(Role { Viewer = "viewer", Operator = "operator", Owner = "owner" });

/// A way to sign in to the dashboard.
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
    /// Invited, but hasn't accepted the invitation yet.
    Invited,
    /// Can sign in.
    Active,
    /// Disabled, and can't sign in until enabled again.
    Disabled,
}
state_names!(MemberState { Invited = "invited", Active = "active", Disabled = "disabled" });
