//! The parameters of a query, and paging.

use axum::extract::FromRequestParts;
use http::request::Parts;
use stead::{Error, core::error::push_segment};
use url::form_urlencoded;

use super::invalid;
use crate::problem::Problem;

/// The query's parameters. A handler takes those it knows; [`Query::end`] refuses the rest, so that a misspelt
/// parameter is not silently without effect.
#[derive(Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

impl Query {
    fn read(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// The parameter's text; one without a value counts as absent.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        let Some(index) = self.0.iter().position(|(given, _)| given == name) else {
            return Ok(None);
        };
        let (_, value) = self.0.swap_remove(index);
        if self.0.iter().any(|(given, _)| given == name) {
            return Err(refuse(name, "uniqueItems", "the parameter is given twice"));
        }
        Ok(Some(value).filter(|value| !value.is_empty()))
    }

    /// The parameter as one of a few words.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Error> {
        let Some(given) = self.text(name)? else {
            return Ok(None);
        };
        match words.iter().find(|(word, _)| *word == given) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(refuse(
                    name,
                    "enum",
                    &format!("one of {}", known.join(", ")),
                ))
            }
        }
    }

    /// The parameter as `true` or `false`, which it is where absent.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self
            .one_of(name, &[("true", true), ("false", false)])?
            .unwrap_or(false))
    }

    /// Which page of a list.
    pub(crate) fn paging(&mut self) -> Result<Paging, Error> {
        let token = self.text("page_token")?;
        let size = match self.text("page_size")? {
            None => Paging::DEFAULT,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|size| (1..=Paging::MOST).contains(size))
                .ok_or_else(|| {
                    refuse(
                        "page_size",
                        "range",
                        &format!("a number from 1 to {}", Paging::MOST),
                    )
                })?,
        };
        Ok(Paging { token, size })
    }

    /// Refuses what no one took.
    pub(crate) fn end(self) -> Result<(), Error> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(refuse(
                name,
                "additionalProperties",
                "there is no such parameter here",
            )),
        }
    }
}

/// Which page of a list.
#[derive(Debug)]
pub(crate) struct Paging {
    pub(crate) token: Option<String>,
    pub(crate) size: u32,
}

impl Paging {
    const DEFAULT: u32 = 50;
    /// The most that a page of the platform holds.
    const MOST: u32 = 100;
}

fn refuse(name: &str, keyword: &str, message: &str) -> Error {
    let mut pointer = String::new();
    push_segment(&mut pointer, &name.chars().take(100).collect::<String>());
    invalid(pointer, keyword, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
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
        assert_eq!(pointer(Query::read("a~/b=1").end()), "/a~0~1b");
        assert_eq!(pointer(Query::read("x=1&x=2").text("x")), "/x");
        assert_eq!(pointer(Query::read("x=yes").flag("x")), "/x");
    }

    #[test]
    fn a_page_has_bounds() {
        let paging = Query::read("page_token=t&page_size=100").paging().unwrap();
        assert_eq!((paging.token.as_deref(), paging.size), (Some("t"), 100));
        assert_eq!(Query::read("").paging().unwrap().size, 50);
        for bad in [
            "page_size=0",
            "page_size=101",
            "page_size=-1",
            "page_size=x",
        ] {
            assert_eq!(pointer(Query::read(bad).paging()), "/page_size", "{bad}");
        }
    }
}
