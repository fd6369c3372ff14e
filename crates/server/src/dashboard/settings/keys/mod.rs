//! Keys: the data keys, and the steps to replace one.

mod activate;
mod add;
mod list;
mod reencrypt;
mod retire;
mod rewrap;

use crate::dashboard::{
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

const LIST: &str = "/dashboard/settings/keys";

pub(super) const TEMPLATES: &[(&str, &str)] =
    &[("settings/keys/list.html", include_str!("list.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    let role = Role::Owner;
    let retire = "/dashboard/settings/keys/{key_id}/retire";
    vec![
        page(LIST, role, list::list),
        action(LIST, role, StepUp::No, "POST /v1/keys", add::submit),
        action(
            "/dashboard/settings/keys/{key_id}/activate",
            role,
            StepUp::No,
            "POST /v1/keys/{key_id}/activate",
            activate::submit,
        ),
        action(
            "/dashboard/settings/keys/reencrypt",
            role,
            StepUp::No,
            "POST /v1/keys/reencrypt",
            reencrypt::submit,
        ),
        form_page(retire, role, retire::show),
        action(
            retire,
            role,
            StepUp::First(retire),
            "POST /v1/keys/{key_id}/retire",
            retire::submit,
        ),
        action(
            "/dashboard/settings/keys/rewrap",
            role,
            StepUp::No,
            "POST /v1/keys/rewrap",
            rewrap::submit,
        ),
    ]
}
