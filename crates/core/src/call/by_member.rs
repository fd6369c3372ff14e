//! Audit entries for members' calls, because the operator's staff can read users' data with them.

use super::record::Record;
use crate::{
    Result,
    caller::Caller,
    context::{Context, Snapshot, change::Change},
    domain::NewAudit,
};

/// Maximum number of a batch's requests that an entry names.
const NAMED: usize = 50;
/// Maximum length of a word in a path. IDs are longer or have digits.
const WORD: usize = 24;

/// Adds an audit entry for a member's tool call, before anything is sent.
pub(super) async fn tool(
    context: &Context,
    record: &Record,
    snapshot: &Snapshot,
    tool: &str,
) -> Result<()> {
    write(context, record, snapshot, |entry| entry.fact("tool", tool)).await
}

/// The same for a raw request or the requests of a batch. The entry has their methods and the words of their paths, but
/// nothing that could be a user's data.
pub(super) async fn raw<'a>(
    context: &Context,
    record: &Record,
    snapshot: &Snapshot,
    requests: impl Iterator<Item = (&'a http::Method, &'a str)>,
) -> Result<()> {
    let template = |(method, path)| format!("{method} {}", template(path));
    let requests = || requests.take(NAMED).map(template).collect::<Vec<_>>();
    write(context, record, snapshot, |entry| {
        entry.fact("requests", requests())
    })
    .await
}

async fn write(
    context: &Context,
    record: &Record,
    snapshot: &Snapshot,
    with: impl FnOnce(NewAudit) -> NewAudit,
) -> Result<()> {
    if !matches!(*context.caller, Caller::Member(_)) {
        return Ok(());
    }
    let entry = NewAudit::new("call.by_member", "account", snapshot.account.id)
        .fact("connection_name", snapshot.connection.name.as_str())
        .fact("execution_id", record.id().to_string());
    let entry = with(entry);
    context
        .change(
            "call.audit",
            async || Ok(()),
            |()| Ok((Change::none().audit(entry.clone()), ())),
        )
        .await
}

/// A path with `{}` instead of each segment that can be an ID, an address or a name.
fn template(path: &str) -> String {
    let is_word = |segment: &str| {
        let begins = segment.starts_with(|first: char| first.is_ascii_lowercase());
        let is_plain = |c: char| c.is_ascii_alphabetic() || matches!(c, ':' | '-' | '_');
        let version = segment.strip_prefix('v');
        let is_version =
            version.is_some_and(|rest| rest.len() < 3 && rest.bytes().all(|b| b.is_ascii_digit()));
        is_version || begins && segment.len() <= WORD && segment.chars().all(is_plain)
    };
    let segments = path.split('/').map(|segment| match segment {
        "" => "",
        word if is_word(word) => word,
        _ => "{}",
    });
    segments.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_the_words_of_a_path_only() {
        // The template keeps the words outside the braces, and replaces the text in each pair of braces with `{}`.
        for marked in [
            "/mail/v1/users/me/messages/{18c2f0}",
            "/mail/v1/users/{ada@example.com}/profile",
            "/v4/spreadsheets/{1AbC}/values/{Sheet!A1:B2:clear}",
            "/v1/pages/{b55c9c91-384d-452b-81db-d1ef79372b75}",
            "/api/v2/databases/{SECRET}/schemas",
            "/calendar/v3/calendars/primary/events/quickAdd",
            "/drive/v3/files/{a-name-that-a-person-would-give}",
        ] {
            let path = marked.replace(['{', '}'], "");
            let words = marked.split(['{', '}']).step_by(2);
            let expected = words.collect::<Vec<_>>().join("{}");
            assert_eq!(template(&path), expected);
        }
    }
}
