//! The list of the products. A new one is added here and nowhere else.

use crate::{google::Google, product::Product, warehouse::Snowflake, workspace::Notion};

/// Every product, as it is at the beginning.
pub(crate) fn all() -> Vec<Box<dyn Product>> {
    vec![
        Box::new(Google::new()),
        Box::new(Notion::new()),
        Box::new(Snowflake::new()),
    ]
}
