//! Names of the cells in a row.

use std::collections::BTreeSet;

use serde_json::Value;

/// The name of each column, and whether it differs from the product's name. A query can return several columns with the
/// same name. The first keeps it; the others get a number, such as `ID_2`.
pub(crate) fn names(columns: &[Value]) -> Vec<(String, bool)> {
    let given = |column: &Value| column["name"].as_str().unwrap_or_default().to_owned();
    let mut taken: BTreeSet<String> = columns.iter().map(given).collect();
    let mut met = BTreeSet::new();
    let mut name = |column: &Value| {
        let given = given(column);
        if met.insert(given.clone()) {
            return (given, false);
        }
        let mut numbered = (2_usize..).map(|number| format!("{given}_{number}"));
        let free = numbered.find(|name| taken.insert(name.clone()));
        (free.unwrap_or(given), true)
    };
    columns.iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_column_has_a_unique_name() {
        for (given, expected) in [
            (&["A", "B"][..], &["A", "B"][..]),
            (&["A", "B", "A", "B", "A"], &["A", "B", "A_2", "B_2", "A_3"]),
            (&["A", "A", "A_2"], &["A", "A_3", "A_2"]),
            (&["A_2", "A", "A", "A_2"], &["A_2", "A", "A_3", "A_2_2"]),
            (&["", ""], &["", "_2"]),
        ] {
            let columns: Vec<Value> = given.iter().map(|name| json!({ "name": name })).collect();
            let names: Vec<String> = names(&columns).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, expected);
        }
    }
}
