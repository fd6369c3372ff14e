//! Operations that the environment passes to services, and calls that need several of them.

use super::Verification;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    api::Run,
    environment::Environment,
    keys,
    ports::BoxFuture,
    resource::{self, AccountWithTokens, AccountsExported, Reencryption},
};

/// Visits operations.
pub trait Visit {
    /// Visits one operation.
    fn operation<O: Run<Environment>>(&mut self);
}

macro_rules! operations {
    ($($module:path { $($function:ident: $operation:ident,)+ })+) => {
        $($(impl Run<Environment> for resource::$operation {
            fn run(self, environment: &Environment) -> BoxFuture<'_, Result<Self::Output>> {
                use $module as service;
                Box::pin(service::$function(&environment.0, self))
            }
        })+)+

        /// Visits every operation, in the order of the reference.
        pub fn visit(visitor: &mut impl Visit) {
            $($(visitor.operation::<resource::$operation>();)+)+
        }
    };
}

operations! {
    crate::connections {
        list: ListConnections,
        create: NewConnection,
        read: ReadConnection,
        change: ChangeConnection,
        delete: DeleteConnection,
    }
    crate::oauth::links {
        create: NewAuthorizationLink,
    }
    crate::accounts {
        list: ListAccounts,
        read: ReadAccount,
        disconnect: DisconnectAccount,
        suspend: SuspendAccount,
        resume: ResumeAccount,
        refresh: RefreshAccount,
    }
    crate::oauth {
        read: ReadAuthorization,
        verify: VerifyAuthorization,
    }
    crate::accounts::import {
        create: AccountImport,
    }
    crate::access::account_tokens {
        list: ListAccountTokens,
        create: NewAccountToken,
        delete: DeleteAccountToken,
    }
    crate::access::mcp_sessions {
        list: ListMcpSessions,
        create: NewMcpSession,
        read: ReadMcpSession,
        delete: DeleteMcpSession,
    }
    crate::policy {
        list: ListPolicies,
        read: ReadPolicy,
        set: SetPolicy,
        delete: DeletePolicy,
    }
    crate::call::explain {
        test: PolicyTest,
    }
    crate::policy::approvals {
        list: ListApprovals,
        read: ReadApproval,
        approve: ApproveCall,
        deny: DenyCall,
    }
    crate::audit {
        list: ListAuditEntries,
        verify: VerifyAudit,
    }
    crate::call::history {
        list: ListExecutions,
        totals: CountExecutions,
        read: ReadExecution,
    }
    crate::access::app_credentials {
        list: ListAppCredentials,
        create: NewAppCredential,
        read: ReadAppCredential,
        change: ChangeAppCredential,
        delete: DeleteAppCredential,
        rotate: RotateAppCredential,
        revoke_secret: RevokeAppSecret,
    }
    crate::access::members {
        list: ListMembers,
        create: NewMember,
        read: ReadMember,
        change: ChangeMember,
        delete: DeleteMember,
        reset: ResetMember,
    }
    crate::keys {
        list: ListKeys,
        add: AddKey,
        activate: ActivateKey,
        reencrypt: ReencryptAll,
        retire: RetireKey,
        rewrap: RewrapKeys,
    }
    crate::events::webhooks {
        list: ListWebhooks,
        create: NewWebhook,
        read: ReadWebhook,
        change: ChangeWebhook,
        delete: DeleteWebhook,
        rotate_secret: RotateWebhookSecret,
        test: TestWebhook,
        replay: ReplayWebhook,
        deliveries: ListWebhookDeliveries,
        replay_delivery: ReplayWebhookDelivery,
    }
}

impl Environment {
    /// Re-encrypts everything that isn't encrypted with the active data key, in batches of 100 rows. Calls continue to
    /// work. `progress` gets the numbers so far. One process does this at a time. If another process is at work, this
    /// one waits for it, and takes over if it dies.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`]. A row that can't be decrypted is not an error: the result names it.
    pub async fn reencrypt(&self, progress: impl FnMut(&Reencryption)) -> Result<Reencryption> {
        keys::reencrypt_all(&self.0, progress).await
    }
}

impl Environment {
    /// Passes every connected account with its tokens to `write`. With `connection_name`, passes only that
    /// connection's. The audit log records the start of the export and the number of accounts. A running service keeps
    /// refreshing. If it refreshes an account after it was written, the export doesn't have the new tokens.
    ///
    /// # Errors
    /// [`ErrorKind::Forbidden`] for every caller but the operator, [`ErrorKind::UnknownConnection`],
    /// [`ErrorKind::StorageUnavailable`], and every error that `write` returns. An account whose tokens can't be
    /// decrypted is only counted.
    pub async fn export_accounts(
        &self,
        connection_name: Option<&str>,
        write: impl FnMut(AccountWithTokens) -> Result<()>,
    ) -> Result<AccountsExported> {
        accounts::export(&self.0, connection_name, write).await
    }
}

impl Environment {
    /// The URL to which a link sends the user's browser if the link itself doesn't name one.
    pub fn verify_url(&self) -> Option<&str> {
        self.0.site.verify_url.as_deref()
    }
    /// Whether each link must name that URL: the application confirms its users, and there is no default.
    pub fn needs_verify_url(&self) -> bool {
        self.verification() == Verification::Application && self.verify_url().is_none()
    }
}
