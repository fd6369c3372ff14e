//! The abilities of a call's client.

use rmcp::{
    RoleServer,
    model::{
        ClientCapabilities, ElicitRequestParams, ElicitationAction, ProgressNotificationParam,
        ProtocolVersion, RequestMetaObject,
    },
    service::RequestContext,
};

use super::lenient::OneMessage;

/// The client of a call.
pub(super) struct Client<'c> {
    pub(super) meta: &'c RequestMetaObject,
    /// The transport's context: the session of the older revision, and the stream for messages before the response.
    context: Option<&'c RequestContext<RoleServer>>,
}

impl<'c> Client<'c> {
    /// A client whose request describes it completely.
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

    /// Whether it can receive messages before the response.
    pub(super) fn has_a_stream(&self) -> bool {
        let parts = self
            .context
            .and_then(|context| context.extensions.get::<http::request::Parts>());
        parts.is_some_and(|parts| parts.extensions.get::<OneMessage>().is_none())
    }

    /// Asks the user a question before the response. `None` if the client couldn't.
    pub(super) async fn elicit(&self, question: ElicitRequestParams) -> Option<ElicitationAction> {
        let asked = self.context?.peer.create_elicitation(question).await;
        asked.ok().map(|result| result.action)
    }

    /// Reports the progress of a call. If the client is gone, nothing happens.
    pub(super) async fn notify(&self, progress: ProgressNotificationParam) {
        if let Some(context) = self.context {
            let _ = context.peer.notify_progress(progress).await;
        }
    }
}
