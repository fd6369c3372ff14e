//! Names and values of a query or a form.

use url::form_urlencoded;

/// Pairs in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

/// A name came more than once where one value is due.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repeated<'name>(pub(crate) &'name str);

impl Query {
    /// Reads `application/x-www-form-urlencoded` text.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Pairs that were read elsewhere.
    pub(crate) fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The one value of `name`. An empty value counts as a value.
    pub(crate) fn one<'name>(&self, name: &'name str) -> Result<Option<&str>, Repeated<'name>> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Repeated(name)),
        }
    }

    /// The first value of `name`.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The first value of `name`, unless it is empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|value| !value.is_empty())
    }

    /// A name that comes more than once.
    pub(crate) fn repeated_name(&self) -> Option<&str> {
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        names.find(|name| self.one(name).is_err())
    }

    /// All values of `name`.
    pub(crate) fn all<'pairs>(&'pairs self, name: &str) -> impl Iterator<Item = &'pairs str> {
        self.0
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// All pairs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_refuses_a_repeated_name() {
        let pairs = Query::parse(b"a=1&b=&b=x+y%2B");
        assert_eq!(pairs.one("a"), Ok(Some("1")));
        assert_eq!(pairs.one("c"), Ok(None));
        assert_eq!(pairs.one("b"), Err(Repeated("b")));
        assert_eq!(pairs.all("b").collect::<Vec<_>>(), ["", "x y+"]);
    }
}
