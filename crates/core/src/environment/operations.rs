//! The list of operations, each with the function that does its work.

use super::Environment;
use crate::{Result, api::Run, ports::BoxFuture, resource};

/// Visits operations.
pub trait Visit {
    /// Visits one.
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
