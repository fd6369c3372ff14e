//! Opens a session for anyone at this machine, for development.

use super::{Opening, StartedSession};
use crate::{
    Error, ErrorKind, Result,
    access::member::create,
    caller::Caller,
    context::{Context, change::Change},
    domain::{Member, Session},
    identifier::MemberId,
    state::Role,
    store::Versioned,
};

/// Email address of the member at this machine. No invitation can have it.
const EMAIL: &str = "you@localhost";

/// Opens a session of the owner "You" without any credentials. Use it only for requests that certainly come from this
/// machine, in a development environment.
pub(crate) async fn open_on_this_machine(context: &Context) -> Result<StartedSession> {
    let id = match context.store.member_by_email(EMAIL).await? {
        Some(found) => found.row.id,
        None => make(context).await?,
    };
    let opening = Opening::new(context);
    let gone = || Error::new(ErrorKind::NotFound, "the member was deleted");
    let acting = context.acting_as(Caller::member(id, Role::Owner));
    acting
        .change(
            "session.open",
            async || context.store.member(id).await?.ok_or_else(gone),
            |found: Versioned<Member>| {
                let change = Change::none();
                Ok(opening.change(change, &found.row, found.version, Session::on_this_machine))
            },
        )
        .await
}

async fn make(context: &Context) -> Result<MemberId> {
    let id = MemberId::from_uuid(context.host.new_id());
    let mut member = Member::new(id, EMAIL, Role::Owner, context.host.now());
    member.name = String::from("You");
    create(context, member).await
}
