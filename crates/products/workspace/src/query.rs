//! The parameters of a query that its tools share.

use serde_json::{Map, Value, json};
use stead_core::error::Violations;

use crate::{
    filter::{self, Filter},
    sort::{self, Sort},
};

/// A query of rows.
pub(crate) struct Query<'a> {
    pub(crate) filter: Option<&'a Filter>,
    pub(crate) sorts: Option<&'a [Sort]>,
    pub(crate) page_size: Option<u32>,
    pub(crate) start_cursor: Option<&'a str>,
}

impl Query<'_> {
    /// Checks the filter and the sort order.
    pub(crate) fn check(&self, violations: &mut Violations) {
        if let Some(filter) = self.filter() {
            filter::check(filter, violations);
        }
        sort::check(self.sorts.unwrap_or_default(), violations);
    }

    /// The body of the request.
    pub(crate) fn body(&self) -> Map<String, Value> {
        let members = [
            ("filter", self.filter().map(|filter| json!(filter))),
            ("page_size", self.page_size.map(|size| json!(size))),
            (
                "start_cursor",
                self.start_cursor.map(|cursor| json!(cursor)),
            ),
            ("sorts", self.sorts.map(|sorts| json!(sorts))),
        ];
        let given = members.into_iter();
        given
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// The columns that the filter and the sort order name.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        let sorts = self.sorts.into_iter().flatten();
        let sorts = sorts.filter_map(|sort| sort.property.as_deref());
        let filters = self.filter.into_iter().flat_map(filter::columns);
        sorts.chain(filters)
    }

    /// The filter. An empty one is like none, and the product would refuse it.
    fn filter(&self) -> Option<&Filter> {
        self.filter.filter(|filter| !filter.is_empty())
    }
}
