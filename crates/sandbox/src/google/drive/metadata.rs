//! The metadata in the body of a request that writes a file.

use jiff::Timestamp;

use crate::google::{ApiError, Body, Call};

/// Members that a request may write, and the sandbox keeps.
const WRITABLE: [&str; 12] = [
    "createdTime",
    "description",
    "id",
    "kind",
    "mimeType",
    "modifiedTime",
    "name",
    "originalFilename",
    "parents",
    "shortcutDetails",
    "starred",
    "trashed",
];

/// Members that a request may write, and the sandbox does not keep.
const UNSUPPORTED: [&str; 14] = [
    "appProperties",
    "contentHints",
    "contentRestrictions",
    "copyRequiresWriterPermission",
    "downloadRestrictions",
    "folderColorRgb",
    "inheritedPermissionsDisabled",
    "labelInfo",
    "linkShareMetadata",
    "properties",
    "trashedTime",
    "viewedByMeTime",
    "viewersCanCopyContent",
    "writersCanShare",
];

/// Members that only the product writes.
const READ_ONLY: [&str; 40] = [
    "capabilities",
    "clientEncryptionDetails",
    "driveId",
    "explicitlyTrashed",
    "exportLinks",
    "fileExtension",
    "fullFileExtension",
    "hasAugmentedPermissions",
    "hasThumbnail",
    "headRevisionId",
    "iconLink",
    "imageMediaMetadata",
    "isAppAuthorized",
    "lastModifyingUser",
    "md5Checksum",
    "modifiedByMe",
    "modifiedByMeTime",
    "ownedByMe",
    "owners",
    "permissionIds",
    "permissions",
    "quotaBytesUsed",
    "resourceKey",
    "sha1Checksum",
    "sha256Checksum",
    "shared",
    "sharedWithMeTime",
    "sharingUser",
    "size",
    "spaces",
    "teamDriveId",
    "thumbnailLink",
    "thumbnailVersion",
    "trashingUser",
    "version",
    "videoMediaMetadata",
    "viewedByMe",
    "webContentLink",
    "webViewLink",
    "viewedByMeDate",
];

/// What a request says of a file.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) description: Option<String>,
    pub(super) parents: Option<Vec<String>>,
    pub(super) starred: Option<bool>,
    pub(super) trashed: Option<bool>,
    pub(super) created: Option<Timestamp>,
    pub(super) modified: Option<Timestamp>,
    /// Target of a shortcut.
    pub(super) target: Option<String>,
}

impl Metadata {
    /// Reads the body.
    pub(super) fn read(call: &Call) -> Result<Self, ApiError> {
        let object = call.object()?;
        if object.keys().any(|name| READ_ONLY.contains(&name.as_str())) {
            return Err(not_writable(
                "The resource body includes fields which are not directly writable.",
            ));
        }
        let known: Vec<&str> = WRITABLE.into_iter().chain(UNSUPPORTED).collect();
        let body = Body::new(&object, "file", &known)?;
        body.unsupported(&UNSUPPORTED)?;
        body.text("kind")?;
        body.text("originalFilename")?;
        let owned = |name: &str| Ok(body.text(name)?.map(str::to_owned));
        let moment = |name: &str| match body.text(name)? {
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(at) => Ok(Some(at)),
                Err(_) => Err(ApiError::invalid_value(name)),
            },
        };
        let shortcut = body.object(
            "shortcutDetails",
            &["targetId", "targetMimeType", "targetResourceKey"],
        )?;
        let target = match &shortcut {
            Some(shortcut) => shortcut.text("targetId")?.map(str::to_owned),
            None => None,
        };
        Ok(Self {
            id: owned("id")?,
            name: owned("name")?,
            mime_type: owned("mimeType")?.filter(|kind| !kind.is_empty()),
            description: owned("description")?,
            parents: body.texts("parents")?,
            starred: body.flag("starred")?,
            trashed: body.flag("trashed")?,
            created: moment("createdTime")?,
            modified: moment("modifiedTime")?,
            target,
        })
    }
}

/// 403 for a member that a request may not write.
pub(super) fn not_writable(message: &str) -> ApiError {
    ApiError::of(403, "fieldNotWritable", message)
}
