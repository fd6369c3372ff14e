//! Classifies requests to the People API, which send no mail.

use stead_core::{
    product::{Classification, SentRequest},
    tool::Effect,
};

/// Classifies a request below `/v1`. An escaped colon may or may not separate a verb.
pub(super) fn classify(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let (last, before) = path.split_last()?;
    let (name, verb) = last.split_once(':').unwrap_or((last, ""));
    if request.path.contains('%') || verb.contains(':') {
        return None;
    }
    let is_known = match (request.method.as_str(), before, name, verb) {
        ("GET" | "HEAD", [], "people", "batchGet" | "searchContacts")
        | ("GET" | "HEAD", [], "people", "listDirectoryPeople" | "searchDirectoryPeople")
        | ("GET" | "HEAD", [], "otherContacts", "" | "search")
        | ("GET" | "HEAD", [], "contactGroups", "" | "batchGet")
        | ("GET" | "HEAD", ["people" | "contactGroups"], _, "")
        | ("GET" | "HEAD", ["people", _], "connections", "")
        | ("POST", [], "people", "createContact" | "batchCreateContacts" | "batchUpdateContacts")
        | ("PATCH", ["people"], _, "updateContact" | "updateContactPhoto")
        | ("DELETE", ["people"], _, "deleteContact" | "deleteContactPhoto")
        | ("POST", ["otherContacts"], _, "copyOtherContactToMyContactsGroup")
        | ("POST", [], "contactGroups", "")
        | ("PUT" | "DELETE", ["contactGroups"], _, "")
        | ("POST", ["contactGroups", _], "members", "modify") => true,
        ("POST", [], "people", "batchDeleteContacts") => {
            return Some(known.effect(Effect::Delete));
        }
        _ => false,
    };
    is_known.then_some(known)
}
