//! The dashboard's pictures: lines on a square of 16, in the colour of the text around them.

use minijinja::Value;

const ICONS: &[(&str, &str)] = &[
    (
        "home",
        r#"<path d="M2.5 7.2 8 2.5l5.5 4.7v5.8a.8.8 0 0 1-.8.8H9.8V9.7H6.2v4.1H3.3a.8.8 0 0 1-.8-.8z"/>"#,
    ),
    (
        "plug",
        r#"<path d="M5.5 2v3M10.5 2v3M3.8 5h8.4v2.6a4.2 4.2 0 0 1-8.4 0zM8 11.8V14"/>"#,
    ),
    (
        "users",
        r#"<circle cx="6" cy="5.3" r="2.4"/><path d="M1.7 13.2c.3-2.5 2-4 4.3-4s4 1.5 4.3 4M10.6 3.2a2.3 2.3 0 0 1 0 4.3M12 9.6c1.3.6 2.1 1.8 2.3 3.6"/>"#,
    ),
    ("play", r#"<path d="m5 3 7.5 5L5 13z"/>"#),
    (
        "activity",
        r#"<path d="M1.8 8.2h2.7L6.4 3l3.2 10 1.9-4.8h2.7"/>"#,
    ),
    (
        "wrench",
        r#"<path d="M10.2 2.3a3.5 3.5 0 0 0-3.3 4.6L2.3 11.5a1.5 1.5 0 0 0 2.2 2.2l4.6-4.6a3.5 3.5 0 0 0 4.4-4.5l-2.2 2.2-2-.5-.5-2z"/>"#,
    ),
    (
        "settings",
        r#"<path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6"/><circle cx="10" cy="4.5" r="1.7"/><circle cx="6" cy="11.5" r="1.7"/>"#,
    ),
    (
        "lock",
        r#"<rect x="3.2" y="7.2" width="9.6" height="6.3" rx="1.4"/><path d="M5.3 7.2V5a2.7 2.7 0 0 1 5.4 0v2.2"/>"#,
    ),
    (
        "send",
        r#"<path d="M13.8 2.2 7.2 8.8M13.8 2.2 9.6 13.8 7.2 8.8 2.2 6.4z"/>"#,
    ),
    (
        "key",
        r#"<circle cx="5.2" cy="10.8" r="2.7"/><path d="m7.2 8.8 6-6M10.6 5.4l2 2"/>"#,
    ),
    (
        "list",
        r#"<path d="M6 4h7.5M6 8h7.5M6 12h7.5M2.6 4h.1M2.6 8h.1M2.6 12h.1"/>"#,
    ),
    (
        "eye",
        r#"<path d="M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8z"/><circle cx="8" cy="8" r="1.9"/>"#,
    ),
    (
        "box",
        r#"<path d="M2.5 5.2 8 2.5l5.5 2.7v5.6L8 13.5l-5.5-2.7zM2.5 5.2 8 8l5.5-2.8M8 8v5.5"/>"#,
    ),
    ("menu", r#"<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>"#),
    (
        "theme",
        r#"<circle cx="8" cy="8" r="5.7"/><path d="M8 2.3v11.4a5.7 5.7 0 0 0 0-11.4z" fill="currentColor"/>"#,
    ),
    (
        "copy",
        r#"<rect x="5.5" y="5.5" width="8" height="8" rx="1.6"/><path d="M3.8 10.5h-.3a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v.3"/>"#,
    ),
    ("check", r#"<path d="m3 8.5 3.4 3.3L13 4.6"/>"#),
    ("circle", r#"<circle cx="8" cy="8" r="5.5"/>"#),
    (
        "alert",
        r#"<path d="M8 2.5 14.2 13H1.8zM8 6.6v3M8 11.3v.1"/>"#,
    ),
    (
        "info",
        r#"<circle cx="8" cy="8" r="5.8"/><path d="M8 7.4v3.4M8 5.2v.1"/>"#,
    ),
    ("arrow", r#"<path d="M3 8h9.5M8.8 4.2 12.6 8l-3.8 3.8"/>"#),
    (
        "external",
        r#"<path d="M6.5 3.5h-3v9h9v-3M9 2.8h4.2V7M13 3 7.5 8.5"/>"#,
    ),
    ("plus", r#"<path d="M8 3v10M3 8h10"/>"#),
    (
        "search",
        r#"<circle cx="7" cy="7" r="4.3"/><path d="m10.3 10.3 3.4 3.4"/>"#,
    ),
    (
        "workspace",
        r#"<path d="M3.5 2.5h7l2 2v9h-9zM6 6.5h4M6 9h4M6 11.5h2.5"/>"#,
    ),
    (
        "mail",
        r#"<rect x="2" y="3.5" width="12" height="9" rx="1.5"/><path d="m2.5 5 5.5 4 5.5-4"/>"#,
    ),
    (
        "warehouse",
        r#"<ellipse cx="8" cy="4" rx="5" ry="1.9"/><path d="M3 4v8c0 1 2.2 1.9 5 1.9s5-.9 5-1.9V4M3 8c0 1 2.2 1.9 5 1.9s5-.9 5-1.9"/>"#,
    ),
    (
        "calendar",
        r#"<rect x="2.5" y="3.5" width="11" height="10" rx="1.5"/><path d="M2.5 6.8h11M5.5 2v2.5M10.5 2v2.5"/>"#,
    ),
    (
        "sheets",
        r#"<rect x="2.5" y="2.5" width="11" height="11" rx="1.5"/><path d="M2.5 6.2h11M2.5 9.9h11M6.5 6.2v7.3"/>"#,
    ),
    (
        "drive",
        r#"<path d="M2.2 12V4.2c0-.6.4-1 1-1h3l1.6 1.9h5c.6 0 1 .4 1 1V12c0 .6-.4 1-1 1H3.2c-.6 0-1-.4-1-1z"/>"#,
    ),
];

/// The picture of a product without its own.
const OTHER: &str = r#"<rect x="3" y="3" width="10" height="10" rx="2.5"/>"#;

/// A decorative picture. The text next to it carries the meaning.
pub(super) fn icon(name: &str) -> Value {
    let found = ICONS.iter().find(|(known, _)| *known == name);
    let lines = found.map_or(OTHER, |(_, lines)| *lines);
    Value::from_safe_string(format!(
        r#"<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">{lines}</svg>"#
    ))
}
