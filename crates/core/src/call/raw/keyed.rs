//! Sends a raw request with an idempotency key only once.

use super::{At, Given, Outgoing as _, RawRequest, call};
use crate::{
    Error, Result,
    call::{
        once::{Keyed, Turn},
        record::{PROXY, Record},
    },
    context::{Context, Snapshot},
    identifier::AccountId,
    policy::Admission,
    ports::Body,
    resource::ProxyRequest,
};

/// Sends it, unless a request with this key was sent before. In both cases, it is admitted first.
pub(super) async fn send(
    context: &Context,
    request: ProxyRequest,
    keyed: Keyed,
) -> Result<http::Response<Body>> {
    let (connection, identifier) = (request.connection_name.clone(), request.identifier.clone());
    let turn = match Turn::wait(context, keyed, &connection).await {
        Ok(turn) => turn,
        Err(error) => {
            let record = Record::begin(context, PROXY, &connection, &identifier);
            return record.end(Err(error));
        }
    };
    let given = Given::Written(request);
    let of = (connection.as_str(), identifier.as_str());
    Box::pin(call(context, of, given, At::Path, Some(turn))).await
}

/// Whether a request is the first with its key.
pub(super) enum Begun {
    /// It is the first, or it has no key.
    Now(Option<Box<Turn>>),
    /// The outcome of an earlier request.
    Before(Result<http::Response<Body>>),
    /// The outcome is unknown, or another request is running.
    Not(Error),
}

async fn earlier(turn: &mut Turn) -> Begun {
    match Box::pin(turn.earlier()).await {
        Ok(None) => Begun::Now(None),
        Ok(Some(outcome)) => Begun::Before(outcome.into_response()),
        Err(error) if error.is_replayed() => Begun::Before(Err(error)),
        Err(error) => Begun::Not(error),
    }
}

/// Records the start of a request with a key.
pub(super) async fn begin(turn: Option<Turn>, account: AccountId, record: &mut Record) -> Begun {
    let Some(mut turn) = turn else {
        return Begun::Now(None);
    };
    loop {
        match earlier(&mut turn).await {
            Begun::Now(_) => {}
            done => return done,
        }
        let started = Box::pin(turn.start(record.id(), account, None)).await;
        match started {
            Ok(()) => return Begun::Now(Some(Box::new(turn))),
            Err(error) if !turn.is_lost() => return Begun::Not(error),
            Err(_) => {}
        }
    }
}

impl RawRequest {
    /// Fails if policies deny it. Doesn't ask for approval.
    pub(super) fn refused(mut self, of: &Snapshot, admission: &Admission) -> Result<()> {
        if admission.is_without_policies() {
            return Ok(());
        }
        let target = self.target(&of.endpoints, 1)?;
        let request = self.build(target)?;
        let (origin, _) = of.endpoints.origin_or_fail(self.origin)?;
        self.each(of.endpoints.product, origin, &request, &mut |sending| {
            admission.refuse_request(sending)
        })
    }
}
