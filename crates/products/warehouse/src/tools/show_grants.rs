//! Shows grants by role, by user or by object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Rows, object_type::ObjectType, readable::StatementView, reader::Reader, statement::Statement,
};

/// Show grants to a role, to a user, of a role, or on an object.
///
/// `to_role` and `of_role` need `role_name`, `to_user` needs `user_name`, `on_object` needs `object_type` and
/// `object_name`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ShowGrants {
    /// Kind of grants to show.
    pub grant_view: GrantView,
    /// Role, for `to_role` and `of_role`. A plain name is upper-cased, a name in double quotes is exact.
    pub role_name: Option<String>,
    /// User, for `to_user`.
    pub user_name: Option<String>,
    /// Kind of object, for `on_object`: `TABLE`, `SCHEMA`, `WAREHOUSE`, `ACCOUNT` …
    pub object_type: Option<String>,
    /// Object, for `on_object`, such as `db.schema.name` or `area(NUMBER, NUMBER)`. Put names that contain a dot in double
    /// quotes. Not for the account.
    pub object_name: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse of the session, which needn't be running.
    pub warehouse: Option<String>,
}

/// Kind of grants that [`ShowGrants`] shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantView {
    /// Privileges of a role.
    #[default]
    ToRole,
    /// Roles of a user.
    ToUser,
    /// Users and roles that have a role.
    OfRole,
    /// Privileges on an object.
    OnObject,
}

impl GrantView {
    fn name(self) -> &'static str {
        match self {
            Self::ToRole => "to_role",
            Self::ToUser => "to_user",
            Self::OfRole => "of_role",
            Self::OnObject => "on_object",
        }
    }
}

impl Tool for ShowGrants {
    const NAME: &'static str = "warehouse_show_grants";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL reference, "SHOW GRANTS", which doesn't support LIKE.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl ShowGrants {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let whose = self.whose(&mut reader);
        reader.end()?;
        Ok(Statement::new(format!("SHOW GRANTS {whose}")).run_as(role, warehouse))
    }

    fn whose(&self, reader: &mut Reader) -> String {
        let view = format!("grant_view \"{}\"", self.grant_view.name());
        let unused: &[(&str, bool)] = match self.grant_view {
            GrantView::ToRole | GrantView::OfRole => &[
                ("user_name", self.user_name.is_some()),
                ("object_type", self.object_type.is_some()),
                ("object_name", self.object_name.is_some()),
            ],
            GrantView::ToUser => &[
                ("role_name", self.role_name.is_some()),
                ("object_type", self.object_type.is_some()),
                ("object_name", self.object_name.is_some()),
            ],
            GrantView::OnObject => &[
                ("role_name", self.role_name.is_some()),
                ("user_name", self.user_name.is_some()),
            ],
        };
        for (parameter, given) in unused {
            reader.unused(parameter, *given, &view);
        }
        match self.grant_view {
            GrantView::ToRole | GrantView::OfRole => {
                let direction = if self.grant_view == GrantView::ToRole {
                    "TO"
                } else {
                    "OF"
                };
                let role = reader.needed_name("role_name", &self.role_name, &view);
                format!("{direction} ROLE {}", role.quoted())
            }
            GrantView::ToUser => {
                let user = reader.needed_name("user_name", &self.user_name, &view);
                format!("TO USER {}", user.quoted())
            }
            GrantView::OnObject => self.object(reader, &view),
        }
    }

    fn object(&self, reader: &mut Reader, view: &str) -> String {
        let Some(object_type) = &self.object_type else {
            let message = format!("\"object_type\" is required with {view}");
            reader.refuse("object_type", "required", message);
            return String::new();
        };
        let Some(object_type) = ObjectType::read(object_type) else {
            reader.refuse("object_type", "enum", ObjectType::known());
            return String::new();
        };
        let named = format!("object_type \"{}\"", object_type.words());
        match (&self.object_name, object_type.has_name()) {
            (Some(name), true) => match object_type.object(name) {
                Ok(path) => return format!("ON {} {path}", object_type.words()),
                Err(message) => reader.refuse("object_name", "format", message),
            },
            (None, true) => {
                let message = format!("\"object_name\" is required with {named}");
                reader.refuse("object_name", "required", message);
            }
            (given, false) => reader.unused("object_name", given.is_some(), &named),
        }
        format!("ON {}", object_type.words())
    }
}
