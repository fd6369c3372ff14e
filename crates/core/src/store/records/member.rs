//! Members of the dashboard, and their sessions.

use super::{Found, Listed, Records, integer, optional, text};
use crate::{
    digest::Digest,
    domain::{Extra, Member, Session},
    identifier::MemberId,
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

pub(super) static MEMBER: Table = Table {
    name: "member",
    columns: &[text("id"), text("email"), optional("link")],
    key: Index::unique(&["id"]),
    indexes: &[MEMBER_BY_EMAIL, MEMBER_BY_LINK],
    sealed: true,
};
const MEMBER_BY_EMAIL: Index = Index::unique(&["email"]);
const MEMBER_BY_LINK: Index = Index::unique(&["link"]);

pub(super) static SESSION: Table = Table {
    name: "session",
    columns: &[text("id"), integer("expires_at")],
    key: Index::unique(&["id"]),
    indexes: &[SESSIONS_BY_END],
    sealed: false,
};
pub(super) const SESSIONS_BY_END: Index = Index::of(&["expires_at"]);

impl Rewritten for Member {}
impl Record for Member {
    const TABLE: &'static Table = &MEMBER;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        let link = self.link.as_ref().map(|link| link.digest.as_str());
        vec![
            Value::text(self.id),
            Value::text(&self.email),
            Value::optional(link),
        ]
    }
}

impl Rewritten for Session {}
impl Record for Session {
    const TABLE: &'static Table = &SESSION;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.id.as_str()),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// A member by ID.
    pub(crate) async fn member(&self, id: MemberId) -> Found<Member> {
        self.get(id).await
    }
    /// A member by email address, as stored.
    pub(crate) async fn member_by_email(&self, email: &str) -> Found<Member> {
        self.find(MEMBER_BY_EMAIL, &[Value::text(email)]).await
    }
    /// A member by the open link.
    pub(crate) async fn member_by_link(&self, link: &Digest) -> Found<Member> {
        self.find(MEMBER_BY_LINK, &[Value::text(link.as_str())])
            .await
    }
    /// Members by ID, which is the order of their creation, after `after`.
    pub(crate) async fn members(&self, after: Option<MemberId>, limit: u32) -> Listed<Member> {
        let after = after.map(|id| vec![Value::text(id)]);
        let list = List::new(&MEMBER, MEMBER.key).after(after);
        self.list(list.limit(limit)).await
    }
    /// The key of a session.
    pub(crate) fn session_key(id: &Digest) -> Key {
        Key::new(&SESSION, vec![Value::text(id.as_str())])
    }
    /// A session by the digest of its ID.
    pub(crate) async fn session(&self, id: &Digest) -> Found<Session> {
        self.get(Self::session_key(id)).await
    }
}
