//! Declares a resource: its stored members, and those that are shown.

/// Declares the struct that the API shows, the row that the store keeps, and how the row is shown.
///
/// ```ignore
/// resource! {
///     /// A URL of your application that receives events.
///     pub struct Webhook, stored as WebhookRow, shown with (row, now: Timestamp) {
///         /// ID.
///         pub id: WebhookId = stored,
///         /// Description for people.
///         pub description: Option<String> = stored #[serde(default)],
///         /// Client ID.
///         pub client_id: String = stored as client,
///         /// Secrets that sign, newest first.
///         private secrets: Vec<SigningSecret>,
///         /// Time until which Stead also signs with the previous secret.
///         pub previous_secret_until: Option<Timestamp> = computed row.previous_until(now),
///     }
/// }
/// ```
/// A member is one of these:
/// - `= stored`: shown as it is in the row. After `as` comes its name in the row, then its attributes there. The
///   attributes before it are those of the shown one.
/// - `private`: only in the row.
/// - `= computed`: only shown. Its value comes from the row and from what `shown with` names. If a member has another
///   type in the row, it's `private` there and `computed` here.
///
/// Both structs have their members in this order, so a stored body stays the same text.
/// An absent option isn't shown. One in parentheses is shown as `null`.
///
/// `domain` gives the row its name there, and its transitions.
macro_rules! resource {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident, stored as $(#[$of_row:meta])* $row:ident,
        shown with ($this:ident $(, $given:ident: $given_type:ty)*) { $($members:tt)* }
    ) => {
        crate::api::resource! { @next
            [$name ($(#[$attribute])*) $row ($(#[$of_row])*) $this $(, $given: $given_type)*]
            [] [] [] [] $($members)*
        }
    };

    (@next $head:tt $shown:tt $stored:tt $copied:tt $computed:tt
        $(#[$attribute:meta])* pub $member:ident: Option<$type:ty> = $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head $shown $stored $copied $computed
            {
                $(#[$attribute])* #[serde(default, skip_serializing_if = "Option::is_none")]
                $member: Option<$type>
            } $($rest)*
        }
    };
    (@next $head:tt $shown:tt $stored:tt $copied:tt $computed:tt
        $(#[$attribute:meta])* pub $member:ident: ($type:ty) = $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head $shown $stored $copied $computed
            { $(#[$attribute])* $member: $type } $($rest)*
        }
    };
    (@next $head:tt $shown:tt $stored:tt $copied:tt $computed:tt
        $(#[$attribute:meta])* pub $member:ident: $type:ty = $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head $shown $stored $copied $computed
            { $(#[$attribute])* $member: $type } $($rest)*
        }
    };

    (@next $head:tt [$($shown:tt)*] [$($stored:tt)*] [$($copied:tt)*] $computed:tt
        { $(#[$attribute:meta])* $member:ident: $type:ty }
        stored as $in_row:ident $(#[$of_row:meta])*, $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head
            [$($shown)* $(#[$attribute])* pub $member: $type,]
            [$($stored)* $(#[$of_row])* pub(crate) $in_row: $type,]
            [$($copied)* $member = $in_row,] $computed $($rest)*
        }
    };
    (@next $head:tt $shown:tt $stored:tt $copied:tt $computed:tt
        { $(#[$attribute:meta])* $member:ident: $type:ty } stored $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head $shown $stored $copied $computed
            { $(#[$attribute])* $member: $type } stored as $member $($rest)*
        }
    };
    (@next $head:tt [$($shown:tt)*] $stored:tt $copied:tt [$($computed:tt)*]
        { $(#[$attribute:meta])* $member:ident: $type:ty } computed $value:expr, $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head [$($shown)* $(#[$attribute])* pub $member: $type,] $stored $copied
            [$($computed)* $member: $type = $value,] $($rest)*
        }
    };
    (@next $head:tt $shown:tt [$($stored:tt)*] $copied:tt $computed:tt
        $(#[$of_row:meta])* private $member:ident: $type:ty, $($rest:tt)*
    ) => {
        crate::api::resource! { @next $head $shown
            [$($stored)* $(#[$of_row])* pub(crate) $member: $type,] $copied $computed $($rest)*
        }
    };

    (@next
        [
            $name:ident ($(#[$attribute:meta])*) $row:ident ($(#[$of_row:meta])*)
            $this:ident $(, $given:ident: $given_type:ty)*
        ]
        [$($shown:tt)*] [$($stored:tt)*] [$($copied:ident = $in_row:ident,)*]
        [$($computed:ident: $type:ty = $value:expr,)*]
    ) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        $(#[$attribute])*
        #[non_exhaustive]
        pub struct $name {
            $($shown)*
        }

        #[doc = concat!("The row of a [`", stringify!($name), "`].")]
        #[cfg(feature = "platform")]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        $(#[$of_row])*
        pub(crate) struct $row {
            $($stored)*
        }

        #[cfg(feature = "platform")]
        impl $row {
            /// The resource as the API shows it.
            pub(crate) fn shown(self $(, $given: $given_type)*) -> $name {
                let $this = self;
                $(let $computed: $type = $value;)*
                $name {
                    $($copied: $this.$in_row,)*
                    $($computed,)*
                }
            }
        }
    };
}
pub(crate) use resource;
