//! "Retrieve your token's bot user": the integration as a user.

use serde_json::{Value, json};

use crate::{
    users,
    workspace::{ALL, ApiError, Call, Method, State, shapes},
};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/users/me",
    versions: ALL,
    needs: None,
    query: &[],
    run,
};

fn run(_: &mut State, call: &Call) -> Result<Value, ApiError> {
    let owner = users::find(&call.user).map(shapes::person);
    Ok(json!({
        "object": "user",
        "id": call.bot(),
        "name": call.client,
        "avatar_url": null,
        "type": "bot",
        "bot": {
            "owner": {"type": "user", "user": owner},
            "workspace_id": shapes::workspace_id(),
            "workspace_name": shapes::WORKSPACE_NAME,
            "workspace_limits": {"max_file_upload_size_in_bytes": 5_242_880},
        },
    }))
}
