//! Opens a session for whoever sits at this machine: for development.

use super::{Opening, StartedSession};
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Context, change::Change},
    domain::{Member, Session},
    identifier::MemberId,
    state::Role,
    store::Versioned,
};

/// The member who sits at this machine. No invitation reaches such an address.
const EMAIL: &str = "you@localhost";

/// Opens a session of the owner "You", without any proof: only for requests that certainly come from this machine, of an
/// environment that is there for development.
pub(crate) async fn open_on_this_machine(context: &Context) -> Result<StartedSession> {
    let id = match context.store.member_by_email(EMAIL).await? {
        Some(found) => found.row.id,
        None => create(context).await?,
    };
    let opening = Opening::new(context);
    let gone = || Error::new(ErrorKind::NotFound, "the member was deleted meanwhile");
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

async fn create(context: &Context) -> Result<MemberId> {
    let id = MemberId::from_uuid(context.new_id());
    let mut member = Member::new(id, EMAIL, Role::Owner, context.now());
    member.name = String::from("You");
    let created = Change::none()
        .event(member.event("member.created"))
        .audit(member.audit("member.created"))
        .insert(member);
    let exists = || Error::new(ErrorKind::AlreadyExists, "the member exists");
    match context.add("member.create", created, exists()).await {
        // Another request was first.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = context.store.member_by_email(EMAIL).await?;
            found.map(|found| found.row.id).ok_or_else(exists)
        }
        other => other.map(|()| id),
    }
}
