//! SHOW DATABASES, SCHEMAS and WAREHOUSES, which take LIKE; keys and grants have files of their own.

use super::{
    Relation, Session,
    cursor::Cursor,
    database,
    information_schema::{CREATED, OWNER},
    keys, pattern, show_grants, visible,
};
use crate::warehouse::{
    account::{Account, Database, Kind},
    errors::SqlError,
};

/// A SHOW whose first word has been read.
pub(super) fn run(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    if cursor.keyword("DATABASES") {
        return databases(account, session, cursor);
    }
    if cursor.keyword("SCHEMAS") {
        return schemas(account, session, cursor);
    }
    if cursor.keyword("WAREHOUSES") {
        return warehouses(account, session, cursor);
    }
    if cursor.keyword("GRANTS") {
        return show_grants::run(account, session, cursor);
    }
    if cursor.keywords("PRIMARY KEYS") {
        return keys::primary(account, session, cursor);
    }
    if cursor.keywords("IMPORTED KEYS") {
        return keys::foreign(account, session, cursor, true);
    }
    if cursor.keywords("EXPORTED KEYS") {
        return keys::foreign(account, session, cursor, false);
    }
    Err(cursor.unexpected())
}

fn databases(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    let matches = like_filter(cursor)?;
    cursor.end()?;
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("name", Kind::Text),
        ("is_default", Kind::Text),
        ("is_current", Kind::Text),
        ("origin", Kind::Text),
        ("owner", Kind::Text),
        ("comment", Kind::Text),
        ("options", Kind::Text),
        ("retention_time", Kind::Text),
        ("kind", Kind::Text),
    ]);
    for database in visible(account, session)
        .into_iter()
        .filter(|database| matches(database.name))
    {
        let default = session
            .person
            .namespace
            .is_some_and(|(name, _)| name == database.name);
        let current = session.database.as_deref() == Some(database.name);
        result.push([
            CREATED,
            database.name,
            yes_no(default),
            yes_no(current),
            "",
            OWNER,
            database.comment,
            "",
            "1",
            "STANDARD",
        ]);
    }
    Ok(result)
}

fn schemas(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    let matches = like_filter(cursor)?;
    let of = scope(account, session, cursor)?;
    cursor.end()?;
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("name", Kind::Text),
        ("is_default", Kind::Text),
        ("is_current", Kind::Text),
        ("database_name", Kind::Text),
        ("owner", Kind::Text),
        ("comment", Kind::Text),
        ("options", Kind::Text),
        ("retention_time", Kind::Text),
    ]);
    for database in of {
        let mut names: Vec<(&str, &str)> = database
            .schemas
            .iter()
            .map(|schema| (schema.name, OWNER))
            .collect();
        names.push(("INFORMATION_SCHEMA", ""));
        names.sort_unstable();
        for (name, owner) in names.into_iter().filter(|(name, _)| matches(name)) {
            let default = session.person.namespace == Some((database.name, name));
            let current = session.database.as_deref() == Some(database.name)
                && session.schema.as_deref() == Some(name);
            result.push([
                CREATED,
                name,
                yes_no(default),
                yes_no(current),
                database.name,
                owner,
                "",
                "",
                "1",
            ]);
        }
    }
    Ok(result)
}

/// The databases of `IN ACCOUNT` or `IN DATABASE …`; of the current one, or of the account, where nothing is
/// said.
fn scope<'account>(
    account: &'account Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Vec<&'account Database>, SqlError> {
    let current = match &session.database {
        Some(name) => vec![database(account, session, name)?],
        None => visible(account, session),
    };
    if !cursor.keyword("IN") {
        return Ok(current);
    }
    if cursor.keyword("ACCOUNT") {
        return Ok(visible(account, session));
    }
    let said = cursor.keyword("DATABASE");
    if said && cursor.peek().is_none() {
        return Ok(current);
    }
    Ok(vec![database(account, session, &cursor.name()?)?])
}

fn warehouses(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    let matches = like_filter(cursor)?;
    cursor.end()?;
    let mut result = Relation::of(&[
        ("name", Kind::Text),
        ("state", Kind::Text),
        ("type", Kind::Text),
        ("size", Kind::Text),
        ("running", Kind::Fixed(0)),
        ("queued", Kind::Fixed(0)),
        ("is_default", Kind::Text),
        ("is_current", Kind::Text),
        ("auto_suspend", Kind::Fixed(0)),
        ("auto_resume", Kind::Text),
        ("created_on", Kind::TimestampLtz),
        ("owner", Kind::Text),
        ("comment", Kind::Text),
    ]);
    let usable = account
        .warehouses
        .iter()
        .filter(|warehouse| warehouse.roles.contains(&session.role.as_str()));
    for warehouse in usable.filter(|warehouse| matches(warehouse.name)) {
        let default = session.person.warehouse == Some(warehouse.name);
        let current = session.warehouse.as_deref() == Some(warehouse.name);
        result.push([
            warehouse.name,
            warehouse.state,
            "STANDARD",
            warehouse.size,
            "0",
            "0",
            yes_no(default),
            yes_no(current),
            "60",
            "true",
            CREATED,
            OWNER,
            "",
        ]);
    }
    Ok(result)
}

/// `LIKE '…'`, where there is one.
fn like_filter(cursor: &mut Cursor) -> Result<impl Fn(&str) -> bool + use<>, SqlError> {
    let wanted = if cursor.keyword("LIKE") {
        Some(cursor.text()?)
    } else {
        None
    };
    Ok(move |name: &str| {
        wanted
            .as_ref()
            .is_none_or(|wanted| pattern::matches(wanted, name, true))
    })
}

fn yes_no(yes: bool) -> &'static str {
    if yes { "Y" } else { "N" }
}
