//! What a request to Google can read and change.

use jiff::Timestamp;

use super::{resumable::Sessions, world::World};
use crate::{ids::Ids, oauth::Server};

/// The sandbox's clock and ids, and all that is Google's.
pub(crate) struct State<'a> {
    pub(crate) now: Timestamp,
    pub(crate) ids: &'a mut Ids,
    pub(crate) oauth: &'a mut Server,
    pub(crate) world: &'a mut World,
    /// Uploads that have begun.
    pub(crate) uploads: &'a mut Sessions,
}
