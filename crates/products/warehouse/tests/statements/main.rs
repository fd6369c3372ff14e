//! Statements of the metadata and SHOW tools, parsed by an independent SQL parser.

mod hostile;
mod reading;
mod results;
mod sent;
mod slots;

use std::collections::BTreeSet;

use hostile::{hostile, is_a_name, stored};
use reading::{one_statement, shape};
use sent::{CATALOGUE, sent};
use serde_json::{Value, json};
use slots::SLOTS;
use sqlparser::ast::Statement;
use stead_testkit::fixture::{self, Fixture};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// The tokens of all other SHOW statements, with a quote for each text.
const SHOWN: &[&str] = &[
    "SHOW WAREHOUSES",
    "SHOW WAREHOUSES LIKE '",
    "SHOW GRANTS TO ROLE \"",
    "SHOW GRANTS OF ROLE \"",
    "SHOW GRANTS TO USER \"",
    "SHOW GRANTS ON ACCOUNT",
    "SHOW GRANTS ON WAREHOUSE \"",
    "SHOW GRANTS ON FILE FORMAT \"",
    "SHOW GRANTS ON TABLE \" . \" . \"",
    "SHOW GRANTS ON FUNCTION \" . \" . \" ( NUMBER , NUMBER )",
    "SHOW PRIMARY KEYS IN ACCOUNT",
    "SHOW PRIMARY KEYS IN DATABASE \"",
    "SHOW PRIMARY KEYS IN SCHEMA \" . \"",
    "SHOW PRIMARY KEYS IN TABLE \"",
    "SHOW PRIMARY KEYS IN TABLE \" . \"",
    "SHOW PRIMARY KEYS IN TABLE \" . \" . \"",
    "SHOW IMPORTED KEYS IN TABLE \"",
    "SHOW IMPORTED KEYS IN TABLE \" . \" . \"",
    "SHOW EXPORTED KEYS IN TABLE \" . \"",
    "SHOW EXPORTED KEYS IN TABLE \" . \" . \"",
];

/// Puts a thousand malicious names into every name and pattern of the ten tools. Nearly all are accepted, each gives one
/// statement of the expected kind, and the parser reads the name back.
#[test]
fn hostile_names_are_names() {
    let names = hostile();
    assert_eq!(names.len(), 1000);
    let tools: BTreeSet<&str> = SLOTS.iter().map(|slot| slot.tool).collect();
    assert_eq!(tools.len(), 10);
    for slot in SLOTS {
        let mut taken = 0;
        // An empty text counts as absent.
        for name in names.iter().filter(|name| !name.is_empty()) {
            let Some(sent) = sent(slot.tool, (slot.input)(name)) else {
                let refused = name.contains('\0') || slot.is_name && !is_a_name(name);
                assert!(refused, "{} refuses {name:?}", slot.tool);
                continue;
            };
            taken += 1;
            let meant = if slot.is_name {
                stored(name)
            } else {
                name.clone()
            };
            assert_eq!(
                (slot.read)(&sent),
                meant,
                "{} with {name:?}: {}",
                slot.tool,
                sent.sql
            );
        }
        assert!(taken >= 900, "{} takes {taken} of 1000", slot.tool);
    }
}

/// The parser accepts every statement of the fixtures completely, or it has the tokens of a SHOW statement.
#[test]
fn every_statement_of_the_fixtures_is_read() {
    let mut read = 0;
    for tool in CATALOGUE
        .newest()
        .filter(|tool| SLOTS.iter().any(|slot| slot.tool == tool.entry().name()))
    {
        let file = fixture::file(FIXTURES.as_ref(), tool.product(), tool.entry().name());
        for case in Fixture::read(&file).expect("what was planned").cases {
            for exchange in &case.exchanges {
                let sql = exchange.request.body.as_ref().expect("a body")["statement"]
                    .as_str()
                    .expect("what was planned");
                match one_statement(sql) {
                    Some(
                        Statement::Query(_)
                        | Statement::ShowDatabases { .. }
                        | Statement::ShowSchemas { .. },
                    ) => {}
                    // The parser reads the other forms of SHOW as variable names, so their tokens are compared.
                    _ => assert!(SHOWN.contains(&shape(sql).join(" ").as_str()), "{sql}"),
                }
                read += 1;
            }
        }
    }
    assert!(read > 150, "{read}");
}

/// Every combination of the scopes of SHOW PRIMARY KEYS works, with its own statement or session.
#[test]
fn every_combination_of_scopes_is_taken() {
    let mut seen = BTreeSet::new();
    // A schema without a database needs another statement first, which its fixture shows.
    for combination in (0..8).filter(|one| *one != 2) {
        let mut input = json!({});
        for (bit, parameter) in ["database_name", "schema_name", "table_name"]
            .into_iter()
            .enumerate()
        {
            if combination & (1 << bit) != 0 {
                input[parameter] = json!(format!("n{bit}"));
            }
        }
        let sent =
            sent("warehouse_show_primary_keys", input.clone()).unwrap_or_else(|| panic!("{input}"));
        assert_eq!(
            sent.body["database"],
            if combination & 1 == 0 {
                Value::Null
            } else {
                json!("N0")
            }
        );
        assert_eq!(
            sent.body["schema"],
            if combination & 2 == 0 {
                Value::Null
            } else {
                json!("N1")
            }
        );
        assert_eq!(
            sent.sql.ends_with("ACCOUNT"),
            combination == 0,
            "{}",
            sent.sql
        );
        assert!(seen.insert(sent.body.to_string()), "{}", sent.sql);
    }
}
