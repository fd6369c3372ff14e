//! Ids: with hyphens, without them, or in a link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{Error, Result, error::Violation};

/// Id of a page, database, block, comment or discussion. It's a UUID, with or without hyphens, or a link copied from the
/// product.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Id(String);

/// Sites with ids in their links. `notion.site` is for published pages.
const SITES: [&str; 3] = ["notion.so", "notion.com", "notion.site"];

impl Id {
    /// The id of a page. If a link opens a page in peek mode (`p`), that one is used.
    pub(crate) fn page(&self, path: &str) -> Result<String> {
        self.read(path, |link| link.query("p").or(link.path()))
    }

    /// The id of a database. A link with a view (`v`) always means the database, even if a page is open in peek mode.
    pub(crate) fn database(&self, path: &str) -> Result<String> {
        self.read(path, |link| match link.value("v") {
            Some(_) => link.path(),
            None => link.query("p").or(link.path()),
        })
    }

    /// The id of a block or page. A link to a block has the id after `#`.
    pub(crate) fn block(&self, path: &str) -> Result<String> {
        self.read(path, |link| {
            link.fragment().or(link.query("p")).or(link.path())
        })
    }

    /// The id of a discussion, which a link has in `d`.
    pub(crate) fn discussion(&self, path: &str) -> Result<String> {
        self.read(path, |link| link.query("d"))
    }

    /// The id of a comment. There are no links to comments.
    pub(crate) fn comment(&self, path: &str) -> Result<String> {
        self.read(path, |_| None)
    }

    fn read(&self, path: &str, of_link: impl Fn(&Link<'_>) -> Option<String>) -> Result<String> {
        let text = self.0.trim();
        let found = uuid(text)
            .or_else(|| source(text))
            .or_else(|| of_link(&Link::parse(text)?));
        found.ok_or_else(|| {
            let message =
                "expected an id: a UUID with or without hyphens, or a link copied from the product";
            Error::violations(vec![Violation::new(path, "format", message)])
        })
    }
}

impl<T: Into<String>> From<T> for Id {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// The id in a data source's address, as the product's tools for models write it: `collection://ID`.
fn source(text: &str) -> Option<String> {
    let (scheme, id) = text.split_once("://")?;
    scheme
        .eq_ignore_ascii_case("collection")
        .then(|| uuid(id.trim_end_matches('/')))?
}

/// The id in lower case with hyphens, from any way of writing it.
pub(crate) fn uuid(text: &str) -> Option<String> {
    const HYPHENS: [usize; 4] = [8, 13, 18, 23];
    let digits: String = match text.len() {
        32 => text.to_ascii_lowercase(),
        36 if HYPHENS.iter().all(|at| text.as_bytes()[*at] == b'-') => {
            let digits: String = text.chars().filter(|letter| *letter != '-').collect();
            digits.to_ascii_lowercase()
        }
        _ => return None,
    };
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let (one, two, three) = (&digits[..8], &digits[8..12], &digits[12..16]);
    Some(format!(
        "{one}-{two}-{three}-{}-{}",
        &digits[16..20],
        &digits[20..]
    ))
}

/// The parts of a link that can contain an id.
struct Link<'a> {
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

impl<'a> Link<'a> {
    /// Parses a link. `None` for links to other sites, and for other texts.
    fn parse(text: &'a str) -> Option<Self> {
        // Browsers and people omit the scheme.
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        if !["https", "http", "notion"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
        {
            return None;
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.to_ascii_lowercase();
        let is_known = SITES.iter().any(|site| {
            host.strip_suffix(site)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
        is_known.then_some(Self {
            path,
            query,
            fragment,
        })
    }

    /// The id at the end of the path, with or without a title before it.
    fn path(&self) -> Option<String> {
        let last = self.path.trim_end_matches('/').rsplit('/').next()?;
        uuid(last).or_else(|| {
            let (before, digits) = last.split_at_checked(last.len().checked_sub(32)?)?;
            uuid(digits).filter(|_| before.ends_with('-'))
        })
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    fn query(&self, name: &str) -> Option<String> {
        uuid(self.value(name)?)
    }

    fn fragment(&self) -> Option<String> {
        uuid(self.fragment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01234567-89ab-cdef-0123-456789abcdef";
    const TWO: &str = "fedcba98-7654-3210-fedc-ba9876543210";
    const ONE_COMPACT: &str = "0123456789abcdef0123456789abcdef";
    const TWO_COMPACT: &str = "fedcba9876543210fedcba9876543210";

    #[test]
    fn an_id_is_read_however_it_is_written() {
        for text in [
            ONE.to_owned(),
            ONE.to_uppercase(),
            format!(" {ONE_COMPACT}\n"),
            format!("https://www.notion.so/ws/Title-{ONE_COMPACT}?v={TWO_COMPACT}"),
            format!("https://www.notion.so/{ONE_COMPACT}"),
            format!("https://app.notion.com/p/Title-{ONE_COMPACT}?pvs=4"),
            format!("https://ada.notion.site/Title-{ONE_COMPACT}/"),
            format!("notion://www.notion.so/ws/{ONE}"),
            format!("www.notion.so/ws/Title-{ONE_COMPACT}?v={TWO_COMPACT}"),
            format!("app.notion.com/p/Title-{ONE_COMPACT}"),
            format!("Notion.so/{ONE_COMPACT}"),
            format!("collection://{ONE}"),
            format!("Collection://{ONE_COMPACT}"),
        ] {
            let id = Id::from(text.as_str());
            assert_eq!(id.page("").unwrap(), ONE, "{text}");
            assert_eq!(id.database("").unwrap(), ONE, "{text}");
            assert_eq!(id.block("").unwrap(), ONE, "{text}");
        }
    }

    #[test]
    fn a_link_is_read_as_the_requested_kind_of_object() {
        let peek =
            format!("https://www.notion.so/ws/{ONE_COMPACT}?v={TWO_COMPACT}&p={TWO_COMPACT}&pm=s");
        assert_eq!(Id::from(peek.as_str()).page("").unwrap(), TWO);
        assert_eq!(Id::from(peek.as_str()).database("").unwrap(), ONE);
        let peeked_database =
            format!("https://www.notion.so/Home-{ONE_COMPACT}?p={TWO_COMPACT}&pm=c");
        assert_eq!(Id::from(peeked_database).database("").unwrap(), TWO);
        let block = Id::from(format!(
            "https://www.notion.so/Home-{ONE_COMPACT}#{TWO_COMPACT}"
        ));
        assert_eq!(block.block("").unwrap(), TWO);
        assert_eq!(block.page("").unwrap(), ONE);
        let thread = Id::from(format!(
            "https://www.notion.so/Home-{ONE_COMPACT}?d={TWO_COMPACT}"
        ));
        assert_eq!(thread.discussion("").unwrap(), TWO);
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            String::new(),
            String::from("Reading list"),
            ONE_COMPACT[1..].to_owned(),
            format!("{ONE_COMPACT}0"),
            ONE.replace('-', "_"),
            format!("g{}", &ONE[1..]),
            format!("https://evil.example/Title-{ONE_COMPACT}"),
            format!("https://evilnotion.so/Title-{ONE_COMPACT}"),
            format!("https://www.notion.so.evil.example/{ONE_COMPACT}"),
            format!("https://www.notion.so/Title{ONE_COMPACT}"),
            format!("evil.example/Title-{ONE_COMPACT}"),
            format!("Reading list/{ONE_COMPACT}"),
            format!("view://{ONE_COMPACT}"),
            format!("collection://www.notion.so/{ONE_COMPACT}"),
            format!("https://www.notion.so/?v={ONE_COMPACT}"),
            String::from("https://www.notion.so/ü"),
            format!("{ONE_COMPACT}/../../users"),
        ] {
            let error = Id::from(text.as_str()).page("/page_id").unwrap_err();
            assert_eq!(error.violation_list()[0].path, "/page_id", "{text}");
        }
        assert!(
            Id::from(format!("https://www.notion.so/{ONE_COMPACT}"))
                .comment("")
                .is_err()
        );
    }

    proptest::proptest! {
        #[test]
        fn every_accepted_id_is_a_hyphenated_uuid(text in "(https://www.notion.so/)?\\PC{0,50}[0-9a-fA-F-]{30,40}\\PC{0,3}") {
            let id = Id::from(text);
            for read in [id.page(""), id.database(""), id.block(""), id.discussion(""), id.comment("")].into_iter().flatten() {
                proptest::prop_assert_eq!(uuid(&read), Some(read.clone()));
                proptest::prop_assert_eq!(read.len(), 36);
            }
        }
    }
}
