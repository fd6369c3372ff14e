//! The operations that commands in `commands/` send.

use std::any::TypeId;

use stead_core::resource;

macro_rules! by_hand {
    ($($operation:ident),+ $(,)?) => {
        /// Whether a command by hand sends it.
        pub(super) fn sends<O: 'static>() -> bool {
            [$(TypeId::of::<resource::$operation>()),+].contains(&TypeId::of::<O>())
        }
    };
}

by_hand! {
    AccountImport, ActivateKey, AddKey, ApproveCall, ChangeAppCredential, ChangeConnection,
    ChangeMember, DeleteAccountToken, DeleteAppCredential, DeleteConnection, DeleteMcpSession,
    DeletePolicy, DeleteWebhook, DenyCall, DisconnectAccount, ListAccountTokens, ListAccounts,
    ListAppCredentials, ListApprovals, ListAuditEntries, ListConnections, ListExecutions, ListKeys,
    ListMcpSessions, ListMembers, ListPolicies, ListWebhookDeliveries, ListWebhooks,
    NewAccountToken, NewAppCredential, NewAuthorizationLink, NewConnection, NewMcpSession,
    NewMember, NewWebhook, PolicyTest, ReadAccount, ReadAppCredential, ReadApproval,
    ReadConnection, ReadPolicy, ReadWebhook, ReencryptAll, RefreshAccount, ReplayWebhook,
    ReplayWebhookDelivery, ResetMember, ResumeAccount, RetireKey, RevokeAppSecret, RewrapKeys,
    RotateAppCredential, RotateWebhookSecret, SetPolicy, SuspendAccount, TestWebhook, VerifyAudit,
}
