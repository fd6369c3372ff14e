//! Errors of requests without a response, and who needs to act if the product can't be reached.

use super::retry::Failure;
use crate::{
    ErrorKind,
    context::{Context, Snapshot},
    error::ActBy,
    ports::{TransportError, Unreached},
    tool::Effect,
};

/// The failure of a request to an origin of the product.
pub(super) fn failure(
    context: &Context,
    snapshot: &Snapshot,
    origin: &str,
    error: TransportError,
    effect: Effect,
) -> Failure {
    let why = error.unreached();
    let found = why.zip(snapshot.endpoints.origin(origin));
    let said = found.map(|(why, (url, _))| context.products.unreached.said(context, url, why));
    let mut failure = Failure::of_transport(error, effect);
    if let Some(said) = said {
        let message = format!("the product can't be reached: {said}");
        failure.error = failure
            .error
            .reclassify(ErrorKind::ProductUnavailable, message);
        // The operator is responsible for name resolution, and for addresses in the settings.
        let named = matches!(why, Some(Unreached::Name | Unreached::NotPublic));
        if named || snapshot.endpoints.is_configured(origin) {
            failure.error = failure.error.with_act_by(ActBy::Operator);
        }
    }
    failure
}
