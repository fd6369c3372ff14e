//! The scopes that Google's authorization server knows in the sandbox.

/// The full names, each with its text on the consent page. An API adds its own.
const KNOWN: &[(&str, &str)] = &[
    ("openid", "Know who you are"),
    (
        "https://www.googleapis.com/auth/userinfo.email",
        "See your email address",
    ),
    (
        "https://www.googleapis.com/auth/userinfo.profile",
        "See your name and picture",
    ),
    (
        "https://mail.google.com/",
        "Read, write, send and delete all your mail",
    ),
    (
        "https://www.googleapis.com/auth/gmail.readonly",
        "Read your mail and settings",
    ),
    (
        "https://www.googleapis.com/auth/gmail.metadata",
        "See labels and headers of your mail, but not its text",
    ),
    (
        "https://www.googleapis.com/auth/gmail.modify",
        "Read, write and send mail",
    ),
    (
        "https://www.googleapis.com/auth/gmail.compose",
        "Write drafts and send mail",
    ),
    (
        "https://www.googleapis.com/auth/gmail.send",
        "Send mail for you",
    ),
    (
        "https://www.googleapis.com/auth/gmail.labels",
        "See and change your labels",
    ),
    (
        "https://www.googleapis.com/auth/gmail.insert",
        "Add mail to your mailbox",
    ),
    (
        "https://www.googleapis.com/auth/gmail.settings.basic",
        "See and change your mail settings",
    ),
    (
        "https://www.googleapis.com/auth/contacts",
        "See and change your contacts",
    ),
    (
        "https://www.googleapis.com/auth/contacts.readonly",
        "See your contacts",
    ),
    (
        "https://www.googleapis.com/auth/contacts.other.readonly",
        "See people you wrote to who are not in your contacts",
    ),
    (
        "https://www.googleapis.com/auth/directory.readonly",
        "See the people of your organization",
    ),
    (
        "https://www.googleapis.com/auth/spreadsheets",
        "See, change, create and delete your spreadsheets",
    ),
    (
        "https://www.googleapis.com/auth/spreadsheets.readonly",
        "See your spreadsheets",
    ),
    (
        "https://www.googleapis.com/auth/drive",
        "See, change, create and delete all your files",
    ),
    (
        "https://www.googleapis.com/auth/drive.readonly",
        "See and download all your files",
    ),
    (
        "https://www.googleapis.com/auth/drive.file",
        "See and change the files that you use with this application",
    ),
    (
        "https://www.googleapis.com/auth/drive.metadata",
        "See and change information about your files",
    ),
    (
        "https://www.googleapis.com/auth/drive.metadata.readonly",
        "See information about your files",
    ),
    (
        "https://www.googleapis.com/auth/calendar",
        "See, change, share and delete all your calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.readonly",
        "See your calendars and events",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events",
        "See and change events on all your calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events.readonly",
        "See events on all your calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events.owned",
        "See and change events on calendars that you own",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events.owned.readonly",
        "See events on calendars that you own",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events.public.readonly",
        "See events on public calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.events.freebusy",
        "See when you are free or busy",
    ),
    (
        "https://www.googleapis.com/auth/calendar.freebusy",
        "See when your calendars are free or busy",
    ),
    (
        "https://www.googleapis.com/auth/calendar.app.created",
        "Make calendars, and change their events",
    ),
    (
        "https://www.googleapis.com/auth/calendar.calendarlist",
        "See and change your list of calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
        "See your list of calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.calendars",
        "See and change properties of your calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.calendars.readonly",
        "See properties of your calendars",
    ),
    (
        "https://www.googleapis.com/auth/calendar.settings.readonly",
        "See your calendar settings",
    ),
];

/// The full name of a scope. Also accepts the short names `email` and `profile`. `None` if the scope is unknown.
pub(crate) fn canonical(asked: &str) -> Option<&'static str> {
    let full = match asked {
        "email" => "https://www.googleapis.com/auth/userinfo.email",
        "profile" => "https://www.googleapis.com/auth/userinfo.profile",
        other => other,
    };
    KNOWN
        .iter()
        .map(|(name, _)| *name)
        .find(|name| *name == full)
}

/// The text of a scope on the consent page.
pub(crate) fn description(scope: &str) -> &'static str {
    KNOWN
        .iter()
        .find(|(name, _)| *name == scope)
        .map_or("", |(_, text)| *text)
}
