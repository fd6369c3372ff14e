//! Fields of Gmail's responses (discovery, `schemas`).

use crate::google::fields::Shape;

const LEAF: &Shape = &Shape::Leaf;

static BODY: Shape = Shape::Fields(&[("attachmentId", LEAF), ("data", LEAF), ("size", LEAF)]);

static HEADER: Shape = Shape::Fields(&[("name", LEAF), ("value", LEAF)]);

static PART: Shape = Shape::Fields(&[
    ("body", &BODY),
    ("filename", LEAF),
    ("headers", &HEADER),
    ("mimeType", LEAF),
    ("partId", LEAF),
    ("parts", &PART),
]);

/// `Message`.
pub(super) static MESSAGE: Shape = Shape::Fields(&[
    ("classificationLabelValues", &Shape::Open),
    ("historyId", LEAF),
    ("id", LEAF),
    ("internalDate", LEAF),
    ("labelIds", LEAF),
    ("payload", &PART),
    ("raw", LEAF),
    ("sizeEstimate", LEAF),
    ("snippet", LEAF),
    ("threadId", LEAF),
]);

/// `MessagePartBody`.
pub(super) static ATTACHMENT: &Shape = &BODY;

/// `Thread`.
pub(super) static THREAD: Shape = Shape::Fields(&[
    ("historyId", LEAF),
    ("id", LEAF),
    ("messages", &MESSAGE),
    ("snippet", LEAF),
]);

/// `Draft`.
pub(super) static DRAFT: Shape = Shape::Fields(&[("id", LEAF), ("message", &MESSAGE)]);

/// `ListMessagesResponse`.
pub(super) static MESSAGES: Shape = Shape::Fields(&[
    ("messages", &MESSAGE),
    ("nextPageToken", LEAF),
    ("resultSizeEstimate", LEAF),
]);

/// `ListThreadsResponse`.
pub(super) static THREADS: Shape = Shape::Fields(&[
    ("nextPageToken", LEAF),
    ("resultSizeEstimate", LEAF),
    ("threads", &THREAD),
]);

/// `ListDraftsResponse`.
pub(super) static DRAFTS: Shape = Shape::Fields(&[
    ("drafts", &DRAFT),
    ("nextPageToken", LEAF),
    ("resultSizeEstimate", LEAF),
]);

/// `Label`.
pub(super) static LABEL: Shape = Shape::Fields(&[
    ("color", &Shape::Open),
    ("id", LEAF),
    ("labelListVisibility", LEAF),
    ("messageListVisibility", LEAF),
    ("messagesTotal", LEAF),
    ("messagesUnread", LEAF),
    ("name", LEAF),
    ("threadsTotal", LEAF),
    ("threadsUnread", LEAF),
    ("type", LEAF),
]);

/// `ListLabelsResponse`.
pub(super) static LABELS: Shape = Shape::Fields(&[("labels", &LABEL)]);

/// `Profile`.
pub(super) static PROFILE: Shape = Shape::Fields(&[
    ("emailAddress", LEAF),
    ("historyId", LEAF),
    ("messagesTotal", LEAF),
    ("threadsTotal", LEAF),
]);
