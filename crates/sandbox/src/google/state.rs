//! What a request to Google can read and change.

use jiff::Timestamp;

use super::{grants::Grants, resumable::Sessions, world::World};
use crate::{ids::Ids, oauth::Clients};

/// The sandbox's clock and ids, and all that is Google's.
pub(crate) struct State<'a> {
    pub(crate) now: Timestamp,
    pub(crate) ids: &'a mut Ids,
    pub(crate) clients: &'a Clients,
    pub(crate) grants: &'a mut Grants,
    /// Scopes that the next consent loses.
    pub(crate) lost_scopes: &'a mut Vec<String>,
    pub(crate) world: &'a mut World,
    /// Uploads that have begun.
    pub(crate) uploads: &'a mut Sessions,
}
