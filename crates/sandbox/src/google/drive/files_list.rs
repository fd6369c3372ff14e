//! `files.list`: searches files and lists their metadata in pages.

use axum::http::Method;
use serde_json::{Value, json};

use super::{SCOPES, can_see, order, query::Query, render};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, paging, world::files::File,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.list",
    verb: Method::GET,
    path: "drive/v3/files",
    parameters: &[
        Parameter::one("corpora", Kind::Text),
        Parameter::one("corpus", Kind::OneOf(&["domain", "user"])),
        Parameter::one("driveId", Kind::Text),
        Parameter::one("includeItemsFromAllDrives", Kind::Flag),
        Parameter::one("includeLabels", Kind::Text),
        Parameter::one("includePermissionsForView", Kind::Text),
        Parameter::one("includeTeamDriveItems", Kind::Flag),
        Parameter::one("orderBy", Kind::Text),
        Parameter::one("pageSize", Kind::Int32),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("q", Kind::Text),
        Parameter::one("spaces", Kind::Text),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
        Parameter::one("teamDriveId", Kind::Text),
    ],
    scopes: SCOPES,
    schema: "FileList",
    run,
};

/// Files of a page when nothing is said.
const DEFAULT_FILES: i64 = 100;
/// Files of a page at most; more is treated as this (files.list, `pageSize`).
const MAX_FILES: i64 = 1000;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let corpus = Corpus::of(call)?;
    let query = Query::parse(call.text("q").unwrap_or_default())?;
    let keys = order::parse(call.text("orderBy").unwrap_or_default())?;
    if !keys.is_empty() && query.uses_full_text() {
        return Err(ApiError::invalid(
            "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.",
        ));
    }
    let size = call.number("pageSize").unwrap_or(DEFAULT_FILES);
    if size < 1 {
        return Err(ApiError::invalid_value("pageSize"));
    }
    let size = usize::try_from(size.min(MAX_FILES)).unwrap_or_default();

    let files = &state.world.files;
    let mut found: Vec<&File> = files
        .all
        .iter()
        .filter(|file| !file.is_root && can_see(files, call, file) && corpus.contains(file))
        .filter(|file| query.matches(files, &call.user, file))
        .collect();
    // Newest first where nothing is said; full text by relevance.
    found.sort_by(|one, other| {
        other
            .modified
            .cmp(&one.modified)
            .then(one.id.cmp(&other.id))
    });
    if query.uses_full_text() {
        found.sort_by_key(|file| std::cmp::Reverse(query.relevance(file)));
    }
    order::sort(&mut found, &keys, &call.user);

    let page = paging::page(call, METHOD.id, found, size, &["pageSize"])
        .map_err(|_| ApiError::invalid_value("pageToken"))?;
    let files: Vec<Value> = page
        .items
        .into_iter()
        .map(|file| render::file(state.world, call, file))
        .collect();
    let mut response = json!({
        "kind": "drive#fileList",
        "incompleteSearch": false,
        "files": files,
    });
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
    }
    Ok(response)
}

/// Where to look.
enum Corpus {
    /// What the user owns or was given, and shared drives' files too where asked for.
    User { shared_too: bool },
    /// One shared drive.
    Drive(String),
}

impl Corpus {
    /// Reads the parameters that belong together (files.list, `corpora`, `driveId`,
    /// `includeItemsFromAllDrives`, `supportsAllDrives`).
    fn of(call: &Call) -> Result<Self, ApiError> {
        let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
        let shared_too =
            call.flag("includeItemsFromAllDrives") || call.flag("includeTeamDriveItems");
        if shared_too && !knows_drives {
            return Err(ApiError::invalid_value("includeItemsFromAllDrives"));
        }
        if let Some(other) = call.text("spaces").filter(|spaces| *spaces != "drive") {
            return Err(match other {
                "appDataFolder" | "drive,appDataFolder" | "appDataFolder,drive" => {
                    ApiError::unimplemented("The sandbox supports only the space drive.")
                }
                _ => ApiError::invalid_value("spaces"),
            });
        }
        let drive = call.text("driveId").or(call.text("teamDriveId"));
        let corpora = call.text("corpora").or(call.text("corpus"));
        match (corpora.unwrap_or("user"), drive) {
            ("drive", Some(id)) if shared_too => Ok(Self::Drive(id.to_owned())),
            ("drive", Some(_)) | ("allDrives", None) if !shared_too => {
                Err(ApiError::invalid_value("includeItemsFromAllDrives"))
            }
            ("user" | "allDrives", None) => Ok(Self::User { shared_too }),
            ("domain", None) => Err(ApiError::unimplemented(
                "The sandbox does not support the corpus domain.",
            )),
            (_, Some(_)) => Err(ApiError::invalid_value("driveId")),
            _ => Err(ApiError::invalid_value("corpora")),
        }
    }

    fn contains(&self, file: &File) -> bool {
        match self {
            Self::User { shared_too } => *shared_too || file.drive.is_none(),
            Self::Drive(id) => file.drive.as_ref() == Some(id),
        }
    }
}
