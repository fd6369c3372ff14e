//! A request's query. A handler reads the parameters that its operation declares.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use url::form_urlencoded;

use super::{Paging, Parameters};
use crate::{
    Error, Result,
    error::{Violation, Violations, push_segment},
    similar::{spelling, unknown},
};

/// The parameters of a request's query. The handler reads the ones that it knows. [`Query::end`] rejects all others, so
/// a misspelled parameter is an error.
#[derive(Debug)]
pub struct Query {
    given: Vec<(String, String)>,
    /// Names of the parameters that the handler has read.
    known: Vec<&'static str>,
}

impl Query {
    /// The parameters of a query, without its question mark.
    pub fn read(query: &str) -> Self {
        let given = form_urlencoded::parse(query.as_bytes());
        Self {
            given: given.into_owned().collect(),
            known: Vec::new(),
        }
    }

    /// The parameter's text. A parameter without a value counts as absent.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>> {
        self.known.push(name);
        let Some(index) = self.given.iter().position(|(given, _)| given == name) else {
            return Ok(None);
        };
        let (_, value) = self.given.swap_remove(index);
        if self.given.iter().any(|(given, _)| given == name) {
            return Err(refuse(name, "uniqueItems", "the parameter is given twice"));
        }
        Ok(Some(value).filter(|value| !value.is_empty()))
    }

    /// The parameters whose names start with `prefix`, each under the rest of its name.
    pub fn below(&mut self, prefix: &str) -> Vec<(String, String)> {
        let taken = self
            .given
            .extract_if(.., |(name, _)| name.starts_with(prefix));
        taken
            .map(|(name, value)| (name[prefix.len()..].to_owned(), value))
            .collect()
    }

    /// The parameter's texts, separated by commas or given as repeated parameters.
    pub fn list(&mut self, name: &'static str) -> Result<Vec<String>> {
        self.known.push(name);
        let given = self.given.extract_if(.., |(given, _)| given == name);
        let texts: Vec<String> = given.map(|(_, text)| text).collect();
        let items = texts.iter().flat_map(|text| text.split(','));
        Ok(items
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
            .collect())
    }

    /// The parameter as one of a few words.
    pub fn one_of<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>> {
        let Some(given) = self.text(name)? else {
            return Ok(None);
        };
        let meant = spelling(&given);
        match words.iter().find(|(word, _)| spelling(word) == meant) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(refuse(
                    name,
                    "enum",
                    &format!("expected one of: {}", known.join(", ")),
                ))
            }
        }
    }

    /// The parameter as a number in a range.
    pub fn number(
        &mut self,
        name: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<Option<u32>> {
        let Some(digits) = self.text(name)? else {
            return Ok(None);
        };
        let (least, most) = (*range.start(), *range.end());
        let keyword = match digits.parse::<i128>() {
            Err(_) => "type",
            Ok(given) if given < i128::from(least) => "minimum",
            Ok(given) if given > i128::from(most) => "maximum",
            Ok(_) => return Ok(digits.parse().ok()),
        };
        let message = format!("expected a number from {least} to {most}");
        Err(refuse(name, keyword, &message))
    }

    /// The parameter as a time in RFC 3339.
    pub fn time(&mut self, name: &'static str) -> Result<Option<Timestamp>> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        // In a query, a plus sign means a space.
        let time = text.replace(' ', "+").parse();
        time.map(Some).map_err(|_| {
            let expected = "expected a time such as 2026-11-21T09:30:00Z";
            refuse(name, "format", expected)
        })
    }

    /// The parameter as `true` or `false`. If it's absent, `false`.
    pub fn flag(&mut self, name: &'static str) -> Result<bool> {
        Ok(self
            .one_of(name, &[("true", true), ("false", false)])?
            .unwrap_or(false))
    }

    /// The requested page of a list.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    pub fn paging(&mut self) -> Result<Paging> {
        Parameters::read(self)
    }

    /// Rejects parameters that the handler hasn't read.
    pub fn end(self) -> Result<()> {
        if self.given.is_empty() {
            return Ok(());
        }
        let mut violations = Violations::default();
        for (name, _) in &self.given {
            let message = if self.known.is_empty() {
                String::from("this path has no query parameters")
            } else {
                unknown(name, self.known.iter().copied())
            };
            violations.add(&pointer(name), "additionalProperties", message);
        }
        Err(Error::invalid(violations.into_list()))
    }
}

fn refuse(name: &str, keyword: &str, message: &str) -> Error {
    // The message can quote a value of the request, and a value can have any length.
    let message: String = message.chars().take(300).collect();
    Error::invalid(vec![Violation::new(pointer(name), keyword, message)])
}

fn pointer(name: &str) -> String {
    let mut pointer = String::new();
    push_segment(&mut pointer, &name.chars().take(100).collect::<String>());
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().violation_list()[0].path.clone()
    }

    #[test]
    fn parameters_are_taken_once_and_the_rest_is_refused() {
        let mut query = Query::read("product=mail&empty=&a%20b=c+d&on=true");
        assert_eq!(query.text("product").unwrap().as_deref(), Some("mail"));
        assert_eq!(query.text("empty").unwrap(), None);
        assert_eq!(query.text("a b").unwrap().as_deref(), Some("c d"));
        assert!(query.flag("on").unwrap() && !query.flag("off").unwrap());
        query.end().unwrap();
        assert_eq!(place(Query::read("a~/b=1").end()), "/a~0~1b");
        assert_eq!(place(Query::read("x=1&x=2").text("x")), "/x");
        assert_eq!(place(Query::read("x=yes").flag("x")), "/x");
    }

    #[test]
    fn a_list_is_repeated_or_separated_by_commas() {
        for query in ["x=a,b,c", "x=a&x=b&x=c", "x=a,b&y=1&x=%20c,"] {
            assert_eq!(Query::read(query).list("x").unwrap(), ["a", "b", "c"]);
        }
        let mut query = Query::read("y=1&x=a&x=b&y=2");
        query.list("x").unwrap();
        assert_eq!(place(query.end()), "/y");
    }

    #[test]
    fn unknown_parameters_are_refused_with_the_known_ones() {
        let mut query = Query::read("limit=5&pageSize=7&page_token=t");
        query.paging().unwrap();
        let error = query.end().unwrap_err();
        let told: Vec<_> = error
            .violation_list()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            told,
            [
                "/limit: \"limit\" isn't known; expected one of: page_token, page_size",
                "/pageSize: \"pageSize\" isn't known; did you mean page_size, page_token? Expected one of: page_token, page_size",
            ]
        );
        let error = Query::read("x=1").end().unwrap_err();
        assert_eq!(
            error.violation_list()[0].message,
            "this path has no query parameters"
        );
    }

    #[test]
    fn words_are_taken_in_any_case() {
        let words = &[("openai_strict", 1), ("mcp", 2)];
        let format = |query| Query::read(query).one_of("format", words);
        assert_eq!(format("format=OpenAI-Strict").unwrap(), Some(1));
        assert_eq!(format("format=MCP").unwrap(), Some(2));
        assert!(format("format=word").is_err());
    }

    #[test]
    fn a_page_has_bounds() {
        let paging = Query::read("page_token=t&page_size=100").paging().unwrap();
        assert_eq!((paging.token.as_deref(), paging.size), (Some("t"), 100));
        assert_eq!(Query::read("").paging().unwrap().size, 50);
        for (bad, keyword) in [
            ("page_size=0", "minimum"),
            ("page_size=-1", "minimum"),
            ("page_size=101", "maximum"),
            ("page_size=99999999999999999999", "maximum"),
            ("page_size=x", "type"),
        ] {
            let error = Query::read(bad).paging().unwrap_err();
            let [one] = error.violation_list() else {
                panic!("{error}")
            };
            assert_eq!(
                (one.path.as_str(), one.keyword.as_str()),
                ("/page_size", keyword),
                "{bad}"
            );
        }
    }
}
