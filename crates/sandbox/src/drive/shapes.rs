//! Fields of responses (discovery, `schemas`).

use crate::google::fields::Shape;

const LEAF: &Shape = &Shape::Leaf;
const OPEN: &Shape = &Shape::Open;

/// `User`.
static USER: Shape = Shape::Fields(&[
    ("kind", LEAF),
    ("displayName", LEAF),
    ("emailAddress", LEAF),
    ("me", LEAF),
    ("permissionId", LEAF),
    ("photoLink", LEAF),
]);

/// `FileList`.
pub(super) static FILES: Shape = Shape::Fields(&[
    ("kind", LEAF),
    ("nextPageToken", LEAF),
    ("incompleteSearch", LEAF),
    ("files", &FILE),
]);

/// `File`.
pub(super) static FILE: Shape = Shape::Fields(&[
    ("appProperties", OPEN),
    ("capabilities", OPEN),
    ("clientEncryptionDetails", OPEN),
    ("contentHints", OPEN),
    ("contentRestrictions", OPEN),
    ("copyRequiresWriterPermission", LEAF),
    ("createdTime", LEAF),
    ("description", LEAF),
    ("downloadRestrictions", OPEN),
    ("driveId", LEAF),
    ("explicitlyTrashed", LEAF),
    ("exportLinks", OPEN),
    ("fileExtension", LEAF),
    ("folderColorRgb", LEAF),
    ("fullFileExtension", LEAF),
    ("hasAugmentedPermissions", LEAF),
    ("hasThumbnail", LEAF),
    ("headRevisionId", LEAF),
    ("iconLink", LEAF),
    ("id", LEAF),
    ("imageMediaMetadata", OPEN),
    ("inheritedPermissionsDisabled", LEAF),
    ("isAppAuthorized", LEAF),
    ("kind", LEAF),
    ("labelInfo", OPEN),
    ("lastModifyingUser", &USER),
    ("linkShareMetadata", OPEN),
    ("md5Checksum", LEAF),
    ("mimeType", LEAF),
    ("modifiedByMe", LEAF),
    ("modifiedByMeTime", LEAF),
    ("modifiedTime", LEAF),
    ("name", LEAF),
    ("originalFilename", LEAF),
    ("ownedByMe", LEAF),
    ("owners", &USER),
    ("parents", LEAF),
    ("permissionIds", LEAF),
    ("permissions", OPEN),
    ("properties", OPEN),
    ("quotaBytesUsed", LEAF),
    ("resourceKey", LEAF),
    ("sha1Checksum", LEAF),
    ("sha256Checksum", LEAF),
    ("shared", LEAF),
    ("sharedWithMeTime", LEAF),
    ("sharingUser", &USER),
    ("shortcutDetails", OPEN),
    ("size", LEAF),
    ("spaces", LEAF),
    ("starred", LEAF),
    ("teamDriveId", LEAF),
    ("thumbnailLink", LEAF),
    ("thumbnailVersion", LEAF),
    ("trashed", LEAF),
    ("trashedTime", LEAF),
    ("trashingUser", &USER),
    ("version", LEAF),
    ("videoMediaMetadata", OPEN),
    ("viewedByMe", LEAF),
    ("viewedByMeTime", LEAF),
    ("viewersCanCopyContent", LEAF),
    ("webContentLink", LEAF),
    ("webViewLink", LEAF),
    ("writersCanShare", LEAF),
]);
