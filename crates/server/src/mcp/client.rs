//! What a call knows of its client.

use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ProgressNotificationParam, ProtocolVersion, RequestMetaObject},
    service::RequestContext,
};

/// The client of a call.
pub(super) struct Client<'c> {
    pub(super) meta: &'c RequestMetaObject,
    /// What the transport knows besides: the session of the older revision, and where messages before the response go.
    context: Option<&'c RequestContext<RoleServer>>,
}

impl<'c> Client<'c> {
    /// One whose request says all there is to know.
    pub(super) fn of_request(meta: &'c RequestMetaObject) -> Self {
        let context = None;
        Self { meta, context }
    }

    pub(super) fn of(context: &'c RequestContext<RoleServer>) -> Self {
        Self {
            meta: &context.meta,
            context: Some(context),
        }
    }

    pub(super) fn capabilities(&self) -> Option<ClientCapabilities> {
        match self.context {
            Some(context) => context.client_capabilities(),
            None => self.meta.client_capabilities(),
        }
    }

    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        match self.context {
            Some(context) => context.protocol_version(),
            None => self.meta.protocol_version(),
        }
    }

    /// Says how far a call is. A client that is gone hears nothing.
    pub(super) async fn notify(&self, progress: ProgressNotificationParam) {
        if let Some(context) = self.context {
            let _ = context.peer.notify_progress(progress).await;
        }
    }
}
