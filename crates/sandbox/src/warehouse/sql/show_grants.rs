//! SHOW GRANTS, which takes no LIKE.

use sqlparser::tokenizer::Token;

use super::{
    Relation, Session,
    cursor::Cursor,
    information_schema::{CREATED, OWNER},
};
use crate::warehouse::{
    account::{Account, Grant, Kind},
    errors::SqlError,
};

/// Kinds of objects, with the number of names that an object of it may have. The world has no routine and no external
/// table.
const KINDS: [(&str, usize); 10] = [
    ("DATABASE", 1),
    ("WAREHOUSE", 1),
    ("ROLE", 1),
    ("USER", 1),
    ("SCHEMA", 2),
    ("TABLE", 3),
    ("EXTERNAL TABLE", 3),
    ("VIEW", 3),
    ("FUNCTION", 3),
    ("PROCEDURE", 3),
];

/// A SHOW GRANTS of which those words have been read.
pub(super) fn run(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    if cursor.keywords("TO ROLE") {
        let role = known_role(account, &one_name(cursor)?)?;
        return Ok(privileges(
            account.grants.iter().filter(|grant| grant.role == role),
        ));
    }
    if cursor.keywords("TO USER") {
        let name = one_name(cursor)?;
        let person = account.users.iter().find(|person| person.name == name);
        let person = person.ok_or_else(|| SqlError::no_object("User", &name))?;
        return Ok(roles(person.roles.iter().map(|role| (*role, person.name))));
    }
    if cursor.keywords("OF ROLE") {
        let role = known_role(account, &one_name(cursor)?)?;
        let holders = account
            .users
            .iter()
            .filter(|person| person.roles.contains(&role));
        return Ok(roles(holders.map(|person| (role, person.name))));
    }
    cursor.expect("ON")?;
    if cursor.keyword("ACCOUNT") {
        cursor.end()?;
        return Ok(privileges(
            account.grants.iter().filter(|grant| grant.on == "ACCOUNT"),
        ));
    }
    let (kind, names) = KINDS
        .into_iter()
        .find(|(kind, _)| cursor.keywords(kind))
        .ok_or_else(|| cursor.unexpected())?;
    let path = cursor.path()?;
    if matches!(kind, "FUNCTION" | "PROCEDURE") {
        arguments(cursor)?;
    }
    cursor.end()?;
    if path.len() > names {
        return Err(SqlError::new(
            "001003",
            "42000",
            format!("SQL compilation error:\ninvalid name {}", path.join(".")),
        ));
    }
    let object = completed(session, kind, &path)?;
    if !exists(account, session, kind, &object) {
        return Err(SqlError::no_object(&title(kind), &path.join(".")));
    }
    let on_it = |grant: &&Grant| grant.on == kind && grant.object.iter().eq(object.iter());
    Ok(privileges(account.grants.iter().filter(on_it)))
}

fn one_name(cursor: &mut Cursor) -> Result<String, SqlError> {
    let name = cursor.name()?;
    cursor.end()?;
    Ok(name)
}

/// `(NUMBER(38, 0), DOUBLE PRECISION)`
fn arguments(cursor: &mut Cursor) -> Result<(), SqlError> {
    cursor.expect_symbol(&Token::LParen)?;
    if cursor.symbol(&Token::RParen) {
        return Ok(());
    }
    loop {
        cursor.name()?;
        while matches!(cursor.peek(), Some(Token::Word(_))) {
            cursor.name()?;
        }
        if cursor.symbol(&Token::LParen) {
            cursor.number()?;
            while cursor.symbol(&Token::Comma) {
                cursor.number()?;
            }
            cursor.expect_symbol(&Token::RParen)?;
        }
        if !cursor.symbol(&Token::Comma) {
            return cursor.expect_symbol(&Token::RParen);
        }
    }
}

fn known_role(account: &Account, name: &str) -> Result<&'static str, SqlError> {
    let all = account
        .users
        .iter()
        .flat_map(|person| &person.roles)
        .copied()
        .chain(["PUBLIC"]);
    all.into_iter()
        .find(|role| *role == name)
        .ok_or_else(|| SqlError::no_object("Role", name))
}

/// An object's names, of which the session completes the outer ones.
fn completed(session: &Session, kind: &str, path: &[String]) -> Result<Vec<String>, SqlError> {
    match (kind, path) {
        ("TABLE" | "EXTERNAL TABLE" | "VIEW" | "FUNCTION" | "PROCEDURE", path) => {
            session.complete(path).map(Vec::from)
        }
        ("SCHEMA", [schema]) => {
            let database = session
                .database
                .clone()
                .ok_or_else(|| SqlError::no_object("Schema", schema))?;
            Ok(vec![database, schema.clone()])
        }
        (_, path) => Ok(path.to_vec()),
    }
}

fn exists(account: &Account, session: &Session, kind: &str, object: &[String]) -> bool {
    let role = session.role.as_str();
    match (kind, object) {
        ("DATABASE", [name]) => account.database(name, role).is_some(),
        ("WAREHOUSE", [name]) => account
            .warehouses
            .iter()
            .any(|one| one.name == name && one.roles.contains(&role)),
        ("ROLE", [name]) => known_role(account, name).is_ok(),
        ("USER", [name]) => account.users.iter().any(|person| person.name == name),
        ("SCHEMA", [database, schema]) => account
            .database(database, role)
            .is_some_and(|database| database.schema(schema).is_some()),
        ("TABLE" | "VIEW", [database, schema, table]) => account
            .database(database, role)
            .and_then(|database| database.schema(schema)?.table(table))
            .is_some_and(|table| table.is_view == (kind == "VIEW")),
        _ => false,
    }
}

fn privileges<'account>(grants: impl Iterator<Item = &'account Grant>) -> Relation {
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("privilege", Kind::Text),
        ("granted_on", Kind::Text),
        ("name", Kind::Text),
        ("granted_to", Kind::Text),
        ("grantee_name", Kind::Text),
        ("grant_option", Kind::Text),
        ("granted_by", Kind::Text),
    ]);
    for grant in grants {
        let name = grant.object.join(".");
        result.push([
            CREATED,
            grant.privilege,
            grant.on,
            &name,
            "ROLE",
            grant.role,
            "false",
            OWNER,
        ]);
    }
    result
}

fn roles<'account>(holders: impl Iterator<Item = (&'account str, &'account str)>) -> Relation {
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("role", Kind::Text),
        ("granted_to", Kind::Text),
        ("grantee_name", Kind::Text),
        ("granted_by", Kind::Text),
    ]);
    for (role, holder) in holders {
        result.push([CREATED, role, "USER", holder, OWNER]);
    }
    result
}

/// `Table` for `TABLE`.
fn title(kind: &str) -> String {
    let (first, rest) = kind.split_at(1);
    format!("{first}{}", rest.to_lowercase())
}
