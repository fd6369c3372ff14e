//! Parameters of queries, each declared once.

use std::fmt::Write as _;

use jiff::Timestamp;
use percent_encoding::utf8_percent_encode;

use super::Query;
use crate::{Error, Result, error::Violation, state::Word, tool::UNRESERVED};

/// One parameter of a query.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Description for the reference.
    pub description: &'static str,
    /// How its text reads.
    pub form: Form,
    /// Whether a request needs it.
    pub required: bool,
}

/// How the text of a parameter reads.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Form {
    /// Any text.
    Text,
    /// Texts, separated by commas.
    Texts,
    /// `true` or `false`. It defaults to `false`.
    Flag,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number: minimum, maximum and default.
    Number(u32, u32, u32),
    /// A time in RFC 3339.
    Time,
}

/// Parameters that belong together. They are members of a struct.
pub trait Parameters: Default {
    /// In the order of the reference.
    const PARAMETERS: &'static [Parameter];
    /// Reads them from a query.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) with the place.
    fn read(query: &mut Query) -> Result<Self>;
    /// Writes those that are given.
    fn write(&self, query: &mut QueryWriter);
    /// Itself, if it says which page.
    fn paging(&mut self) -> Option<&mut Paging> {
        None
    }
}

/// A type of a parameter.
pub(crate) trait QueryValue: Sized {
    const FORM: Form;
    const REQUIRED: bool = false;
    fn read(query: &mut Query, name: &'static str) -> Result<Self>;
    fn write(&self, name: &str, query: &mut QueryWriter);
}

/// Declares a struct of parameters. The doc comments of its members are their descriptions.
macro_rules! query {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ pub $member:ident: $type:ty,)+
        }
    ) => {
        #[derive(Debug, Clone, Default, PartialEq, Eq, stead_derive::Setters)]
        $(#[$attribute])*
        #[non_exhaustive]
        pub struct $name {
            $($(#[doc = $doc])+ pub $member: $type,)+
        }

        impl crate::api::Parameters for $name {
            const PARAMETERS: &'static [crate::api::Parameter] = &[$(crate::api::Parameter {
                name: stringify!($member),
                description: concat!($($doc),+),
                form: <$type as crate::api::QueryValue>::FORM,
                required: <$type as crate::api::QueryValue>::REQUIRED,
            }),+];
            fn read(query: &mut crate::api::Query) -> crate::Result<Self> {
                Ok(Self {
                    $($member: crate::api::QueryValue::read(query, stringify!($member))?,)+
                })
            }
            fn write(&self, query: &mut crate::api::QueryWriter) {
                $(crate::api::QueryValue::write(&self.$member, stringify!($member), query);)+
            }
        }
    };
}
pub(crate) use query;

impl QueryValue for Option<String> {
    const FORM: Form = Form::Text;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.text(name)
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, self.as_deref());
    }
}

impl QueryValue for String {
    const FORM: Form = Form::Text;
    const REQUIRED: bool = true;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.text(name)?.ok_or_else(|| {
            let violation =
                Violation::new(format!("/{name}"), "required", "which account you mean");
            Error::invalid(vec![violation])
        })
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, Some(self));
    }
}

impl QueryValue for Vec<String> {
    const FORM: Form = Form::Texts;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.list(name)
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        let texts = self.join(",");
        query.text(name, Some(texts.as_str()).filter(|some| !some.is_empty()));
    }
}

impl QueryValue for bool {
    const FORM: Form = Form::Flag;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.flag(name)
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, self.then_some("true"));
    }
}

impl QueryValue for Option<Timestamp> {
    const FORM: Form = Form::Time;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.time(name)
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, self.map(|time| time.to_string()).as_deref());
    }
}

impl<W: Word> QueryValue for Option<W> {
    const FORM: Form = Form::Words(W::NAMES);
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        let words: Vec<(&str, W)> = W::NAMES
            .iter()
            .copied()
            .zip(W::VALUES.iter().copied())
            .collect();
        query.one_of(name, &words)
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, self.map(Word::word));
    }
}

/// Which page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paging {
    /// `next_page_token` of the previous page.
    pub token: Option<String>,
    /// Maximum number of items on the page.
    pub size: u32,
}

impl Paging {
    /// Items on a page if a request doesn't say.
    pub const DEFAULT: u32 = 50;
    /// Most items on a page.
    pub const MOST: u32 = 100;

    /// The page with this token.
    #[must_use]
    pub fn new(token: Option<&str>, size: u32) -> Self {
        let token = token.map(str::to_owned);
        Self { token, size }
    }

    /// The ID after which the page begins.
    #[cfg(feature = "platform")]
    pub(crate) fn after<T: std::str::FromStr>(&self) -> Result<Option<T>> {
        let after = self.token.as_deref().map(str::parse).transpose();
        after.map_err(|_| {
            Error::invalid_at(
                "/page_token",
                "this isn't a page token of this list; use next_page_token of the previous page",
            )
        })
    }

    /// The number of items on the page, in its bounds.
    #[cfg(feature = "platform")]
    pub(crate) fn limit(&self) -> u32 {
        self.size.clamp(1, Self::MOST)
    }
}

impl Default for Paging {
    fn default() -> Self {
        Self::new(None, Self::DEFAULT)
    }
}

impl Parameters for Paging {
    const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "page_token",
            description: "`next_page_token` of the previous page.",
            form: Form::Text,
            required: false,
        },
        Parameter {
            name: "page_size",
            description: "Maximum number of items on the page.",
            form: Form::Number(1, Self::MOST, Self::DEFAULT),
            required: false,
        },
    ];
    fn read(query: &mut Query) -> Result<Self> {
        let token = query.text("page_token")?;
        let size = query.number("page_size", 1..=Self::MOST)?;
        let size = size.unwrap_or(Self::DEFAULT);
        Ok(Self { token, size })
    }
    fn write(&self, query: &mut QueryWriter) {
        query.text("page_token", self.token.as_deref());
        query.text("page_size", Some(&self.size.to_string()));
    }
    fn paging(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// A query that is being written.
#[derive(Debug, Default)]
pub struct QueryWriter(String);

impl QueryWriter {
    /// Adds a parameter if it is given.
    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let mark = if self.0.is_empty() { '?' } else { '&' };
            // Writing to a string can't fail.
            let _ = write!(
                self.0,
                "{mark}{name}={}",
                utf8_percent_encode(value, UNRESERVED)
            );
        }
    }

    /// The query with its question mark. Empty without parameters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
