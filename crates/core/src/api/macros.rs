//! The table of operations, as a macro.

/// Declares the operations of one resource.
///
/// ```text
/// operations! {
///     /// Reads a webhook.
///     read: ReadWebhook { webhook_id } -> Webhook
///         = GET "/v1/webhooks/{webhook_id}" { scope: Some(WebhooksManage), errors: &[NotFound] }
///     /// Changes the given members of a webhook.
///     change: ChangeWebhook { webhook_id; body change: WebhookChange } -> Webhook
///         = PATCH "/v1/webhooks/{webhook_id}" { … }
///     /// Creates a webhook and shows its secret once.
///     create: NewWebhook(body) -> WebhookWithSecret = POST "/v1/webhooks" { status: 201, … }
/// }
/// ```
/// `environment/operations.rs` names the function that does the work.
///
/// The doc comment is the summary in the reference. The braces contain the path's members, then the query's, then the
/// body. `(body)` is for a struct that exists already and is the whole body. After the path come members of
/// [`Info`](crate::api::Info). After the braces, `created |made| made.id;` names the last segment of `Location`.
macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])+
        $verb:ident: $name:ident $shape:tt -> $output:ty
        = $method:ident $path:literal { $($key:ident: $value:expr),* $(,)? }
        $(created |$made:ident| $id:expr;)?
    )+) => {
        $(crate::api::operations! { @struct [$($doc)+] $name $shape }
        crate::api::operations! { @operation $name $shape -> $output, [$(|$made| $id)?], crate::api::Info {
            verb: stringify!($verb),
            method: stringify!($method),
            path: $path,
            summary: concat!($($doc),+),
            path_members: crate::api::operations!(@path $shape),
            has_body: crate::api::operations!(@has_body $shape),
            $($key: $value,)*
            location: crate::api::operations!(@created $($made)?),
            ..crate::api::Info::DEFAULT
        } })+
    };

    (@struct [$($doc:literal)+] $name:ident (body)) => {};
    (@struct [$($doc:literal)+] $name:ident {
        $($path:ident),* $(; $(query $query:ident: $query_type:ty),+)? $(; body $body:ident: $body_type:ty)?
    }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $name {
            $(#[doc = concat!("The `", stringify!($path), "` in the path.")]
            pub $path: String,)*
            $($(#[doc = concat!("The `", stringify!($query), "` in the query.")]
            pub $query: $query_type,)+)?
            $(/// The body.
            pub $body: $body_type,)?
        }

        #[expect(clippy::allow_attributes, reason = "not every operation has the lint's cause")]
        #[allow(clippy::new_without_default, clippy::needless_pass_by_value)]
        impl $name {
            /// The operation, with its required members.
            pub fn new($($path: impl ToString,)* $($body: impl Into<$body_type>)?) -> Self {
                Self {
                    $($path: $path.to_string(),)*
                    $($($query: Default::default(),)+)?
                    $($body: $body.into(),)?
                }
            }
            $($(#[doc = concat!("With this `", stringify!($query), "`.")]
            #[must_use]
            pub fn $query(mut self, $query: $query_type) -> Self {
                self.$query = $query;
                self
            })+)?
        }
    };

    (@operation $name:ident (body) -> $output:ty, [$(|$made:ident| $id:expr)?], $info:expr) => {
        impl crate::api::Operation for $name {
            type Body = Self;
            type Output = $output;
            const INFO: crate::api::Info = $info;

            fn parameters() -> Vec<&'static [crate::api::Parameter]> {
                Vec::new()
            }
            fn read(mut given: crate::api::Given<'_, Self>) -> crate::Result<Self> {
                given.body()
            }
            fn write(&self) -> crate::api::Written<'_, Self> {
                let mut written = crate::api::Written::new();
                written.body = Some(self);
                written
            }
            crate::api::operations! { @rest $output, [$(|$made| $id)?] }
        }
    };
    (@operation $name:ident {
        $($path:ident),* $(; $(query $query:ident: $query_type:ty),+)? $(; body $body:ident: $body_type:ty)?
    } -> $output:ty, [$(|$made:ident| $id:expr)?], $info:expr) => {
        impl crate::api::Operation for $name {
            type Body = crate::api::operations!(@body $($body_type)?);
            type Output = $output;
            const INFO: crate::api::Info = $info;

            fn parameters() -> Vec<&'static [crate::api::Parameter]> {
                vec![$($(<$query_type as crate::api::Parameters>::PARAMETERS),+)?]
            }
            fn read(mut _given: crate::api::Given<'_, Self::Body>) -> crate::Result<Self> {
                let mut _path = std::mem::take(&mut _given.path).into_iter();
                Ok(Self {
                    $($path: _path.next().unwrap_or_default(),)*
                    $($($query: crate::api::Parameters::read(_given.query)?,)+)?
                    $($body: _given.body()?,)?
                })
            }
            fn paging(&mut self) -> Option<&mut crate::api::Paging> {
                let mut _found = None;
                $($(_found = _found.or(crate::api::Parameters::paging(&mut self.$query));)+)?
                _found
            }
            fn write(&self) -> crate::api::Written<'_, Self::Body> {
                let mut _written = crate::api::Written::new();
                $(_written.path.push(self.$path.as_str());)*
                $($(crate::api::Parameters::write(&self.$query, &mut _written.query);)+)?
                $(_written.body = Some(&self.$body);)?
                _written
            }
            crate::api::operations! { @rest $output, [$(|$made| $id)?] }
        }
    };

    (@rest $output:ty, [$(|$made:ident| $id:expr)?]) => {
        $(fn created($made: &$output) -> Option<String> {
            Some($id)
        })?
    };

    (@created) => { false };
    (@created $made:ident) => { true };
    (@path (body)) => { &[] };
    (@path { $($path:ident),* $(; $($rest:tt)*)? }) => { &[$(stringify!($path)),*] };
    (@body) => { crate::api::NoBody };
    (@body $body_type:ty) => { $body_type };
    (@has_body (body)) => { true };
    (@has_body { $($path:ident),* $(; $(query $query:ident: $query_type:ty),+)? }) => { false };
    (@has_body $other:tt) => { true };
}
pub(crate) use operations;
