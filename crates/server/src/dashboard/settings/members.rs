//! Members of the dashboard.

use jiff::Timestamp;
use minijinja::context;
use serde_json::{Value, json};
use stead_core::resource::{
    ChangeMember, DeleteMember, ListMembers, NewMember, ReadMember, ResetMember,
};

use super::pages::{Action, Input, Member, Options, Resource, Secret, Shown};
use crate::dashboard::{done::Done, words::capitalized};

/// Roles, and what each can do.
const ROLES: &[(&str, &str)] = &[
    (
        "viewer",
        "Viewer: see connections, accounts, tools, calls, events and the audit log",
    ),
    (
        "operator",
        "Operator: also change connections, accounts and webhooks, and run tools",
    ),
    (
        "owner",
        "Owner: do everything, including credentials, keys and members",
    ),
];
const LINK: &str =
    "The next page shows a link to set a password. It works once and expires after 24 hours.";

pub(super) fn resource() -> Resource {
    Resource {
        about: "Choose who can sign in here, and with which role.",
        lead: "Members can sign in to this dashboard. To see your users, open Accounts.",
        icon: "users",
        empty: "Invite the people who run this environment with you.",
        name: "{name|email}",
        columns: vec![
            Member::of("name").label("Member").show(name).note("", "email"),
            Member::of("role").show(role),
            state(),
            Member::of("second_factor").hint("Whether Stead also asks for a one-time code at sign-in."),
            last_sign_in(),
            Member::of("created_at").label("Since"),
        ],
        details: vec![
            state(),
            Member::of("email"),
            Member::of("role").show(role),
            Member::of("sign_in_with").label("Signs in with").none("nothing yet"),
            Member::of("second_factor"),
            last_sign_in(),
            Member::of("created_at").label("Member since"),
            Member::of("member_id"),
        ],
        inputs: vec![
            Input {
                label: "Email address",
                hint: "The member signs in with it.",
                ..Input::of("email")
            },
            Input {
                hint: "Optional. The member can change it.",
                ..Input::of("name")
            },
            Input {
                hint: "Changes apply immediately, also in open sessions. At least one active owner must remain.",
                initial: json!("viewer"),
                options: Options::Fixed(ROLES),
                ..Input::of("role")
            },
        ],
        secret: Some(Secret {
            member: "link",
            label: "Link",
            warning: "Copy the link now and send it to the member. You won’t see it again.",
            about: "The link sets a password. It works once. Anyone who has it can sign in as this member, so send it securely.",
            also: vec![Member::of("email"), Member::of("link_expires_at")],
            below: None,
        }),
        acts: true,
        details_template: Some(("settings/members.html", |page, member, _| {
            let id = member["member_id"].as_str().unwrap_or_default();
            let is_own = page.is_own(id);
            Box::pin(async move { Ok(context! { is_own }) })
        })),
        ..Resource::of::<ListMembers, ReadMember>("member")
    }
    .with(Action {
        label: "Invite a member",
        lead: "The next page shows a link. Send it to the person yourself, because Stead sends no email.",
        submit: "Invite",
        made: "Member invited",
        ..Action::create::<NewMember>()
    })
    .with(Action {
        style: "primary",
        sends: json!({ "disabled": false }),
        steps_up: true,
        when: |member| member["status"] == "disabled",
        ..Action::new::<ChangeMember>("enable", "Enable", Done::MemberEnabled)
    })
    .with(Action {
        done: Done::MemberChanged,
        ..Action::change::<ChangeMember>()
    })
    .with(Action {
        title: "Invite {name|email} again?",
        consequences: &["The previous link stops working.", LINK],
        submit: "Create new link",
        made: "Member invited",
        when: |member| member["status"] == "invited",
        ..Action::question::<ResetMember>("reset", "New invitation", Done::Changed)
    })
    .with(Action {
        title: "Reset the password of {name|email}?",
        consequences: &[
            "Stead removes the current password and signs the member out everywhere.",
            LINK,
        ],
        inputs: vec![Input {
            label: "Also remove the second factor, because the device is lost.",
            hint: " ",
            when: |member| member["second_factor"] == true,
            ..Input::of("second_factor")
        }],
        made: "Password removed",
        when: |member| member["status"] == "active",
        ..Action::question::<ResetMember>("reset", "Reset password", Done::Changed)
    })
    .with(Action {
        sends: json!({ "disabled": true }),
        when: |member| member["status"] != "disabled",
        ..Action::new::<ChangeMember>("disable", "Disable", Done::MemberDisabled)
    })
    .with(Action {
        title: "Delete {email}?",
        consequences: &[
            "The member is signed out everywhere immediately.",
            "The audit log keeps the member’s actions under the member’s ID.",
            "To keep a member out for a while, use “Disable” instead.",
            "You can’t undo this.",
        ],
        done: Done::MemberDeleted,
        ..Action::delete::<DeleteMember>()
    })
}

fn name(member: &Value, _: Timestamp) -> Shown {
    let texts = ["name", "email"].map(|name| member[name].as_str().unwrap_or_default());
    let first = texts.into_iter().find(|text| !text.is_empty());
    Shown::Text(first.unwrap_or_default().to_owned())
}

fn role(member: &Value, _: Timestamp) -> Shown {
    Shown::Text(capitalized(member["role"].as_str().unwrap_or_default()))
}

fn state() -> Member {
    let state = Member::of("status")
        .label("State")
        .note("link expires", "link_expires_at");
    state.show(|member, _| {
        let status = member["status"].as_str().unwrap_or_default();
        Shown::states([format!("member_{status}")])
    })
}

fn last_sign_in() -> Member {
    Member::of("last_sign_in_at")
        .label("Last sign-in")
        .none("never")
}
