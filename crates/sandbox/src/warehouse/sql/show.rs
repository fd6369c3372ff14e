//! SHOW for databases, schemas, warehouses, keys and grants. `catalog.sql` defines the columns.

use rusqlite::types::Value;
use sqlparser::{
    parser::{Parser, ParserError},
    tokenizer::Token,
};

use super::{
    Engine, Found, catalog,
    read::{Text, end, name_of, path_of},
};
use crate::warehouse::{account::Database, errors::SqlError};

/// Kinds of objects that have grants, each with the number of names in a full name. The world has no routines or
/// external tables.
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

/// Runs a SHOW. `None` for another statement.
pub(super) fn run(engine: &Engine<'_>, text: &Text) -> Option<Result<Found, SqlError>> {
    let (parser, _) = match text.reader() {
        Ok(reader) => reader,
        Err(error) => return Some(Err(error)),
    };
    let mut show = Show {
        engine,
        text,
        parser,
        filters: Vec::new(),
    };
    show.words("SHOW").then(|| show.run())
}

/// Reads a SHOW from left to right, so that it skips nothing.
struct Show<'a> {
    engine: &'a Engine<'a>,
    text: &'a Text,
    parser: Parser<'static>,
    /// Conditions for the rows, each with the value of its `?`.
    filters: Vec<(String, String)>,
}

impl Show<'_> {
    fn run(mut self) -> Result<Found, SqlError> {
        let view = self.view()?;
        end(&self.parser)?;
        let engine = self.engine;
        catalog::fill(engine.rows, engine.account, engine.session)?;
        let conditions = self
            .filters
            .iter()
            .map(|(condition, _)| format!(" AND {condition}"));
        let sql = format!(
            "SELECT * FROM s_{view} WHERE TRUE{}",
            conditions.collect::<String>()
        );
        let values = self
            .filters
            .into_iter()
            .map(|(_, value)| Value::Text(value));
        engine.rows.query(&sql, values.collect())
    }

    /// Reads what to show. Returns the name of the view.
    fn view(&mut self) -> Result<&'static str, SqlError> {
        if self.words("DATABASES") {
            self.like()?;
            return Ok("databases");
        }
        if self.words("WAREHOUSES") {
            self.like()?;
            return Ok("warehouses");
        }
        if self.words("SCHEMAS") {
            self.like()?;
            self.scope(&["database_name"], false)?;
            return Ok("schemas");
        }
        if self.words("PRIMARY KEYS") {
            self.scope(&["database_name", "schema_name", "table_name"], true)?;
            return Ok("primary_keys");
        }
        for (words, side) in [("IMPORTED KEYS", "fk"), ("EXPORTED KEYS", "pk")] {
            if self.words(words) {
                self.expect("IN")?;
                let _said = self.words("TABLE");
                let path = self.table()?;
                for (part, name) in ["database", "schema", "table"].into_iter().zip(path) {
                    self.is(&format!("{side}_{part}_name"), name);
                }
                return Ok("foreign_keys");
            }
        }
        self.expect("GRANTS")?;
        self.grants()
    }

    /// Reads `LIKE '…'` if it's present. It ignores case, and a backslash escapes a wildcard.
    fn like(&mut self) -> Result<(), SqlError> {
        if self.words("LIKE") {
            let Token::SingleQuotedString(pattern) = self.parser.peek_token().token else {
                return Err(self.unexpected());
            };
            self.parser.next_token();
            let condition = "LOWER(name) LIKE ? ESCAPE '\\'".to_owned();
            self.filters.push((condition, pattern.to_lowercase()));
        }
        Ok(())
    }

    /// Reads `IN ACCOUNT`, `IN DATABASE …`, `IN SCHEMA …` or `IN TABLE …`. Without one, it's the current database, or
    /// the account if there's none. `columns` are the columns of the names, outermost first.
    fn scope(&mut self, columns: &[&str], with_tables: bool) -> Result<(), SqlError> {
        let said = self.words("IN");
        if said && self.words("ACCOUNT") {
            return Ok(());
        }
        let of_database = said && self.words("DATABASE");
        let nothing_follows = self.parser.peek_token().token == Token::EOF;
        let path = if !said || (of_database && nothing_follows) {
            let Some(current) = self.engine.session.database.clone() else {
                return Ok(());
            };
            self.database(&current)?;
            vec![current]
        } else if of_database || !with_tables {
            let name = self.name()?;
            self.database(&name)?;
            vec![name]
        } else if self.words("SCHEMA") {
            self.schema()?
        } else {
            let _said = self.words("TABLE");
            self.table()?.to_vec()
        };
        for (column, name) in columns.iter().zip(path) {
            self.is(column, name);
        }
        Ok(())
    }

    fn schema(&mut self) -> Result<Vec<String>, SqlError> {
        let mut path = self.path()?;
        if let [schema] = path.as_slice() {
            let Some(current) = &self.engine.session.database else {
                let message = format!(
                    "SQL compilation error:\nMust specify the full search path starting from database for {schema}"
                );
                return Err(SqlError::new("001059", "22023", message));
            };
            path.insert(0, current.clone());
        }
        let missing = || SqlError::no_object("Schema", &path.join("."));
        let [database, schema] = path.as_slice() else {
            return Err(missing());
        };
        self.database(database)?
            .schema(schema)
            .ok_or_else(missing)?;
        Ok(path)
    }

    fn table(&mut self) -> Result<[String; 3], SqlError> {
        let path = self.path()?;
        let full = self.engine.session.complete(&path)?;
        let schema = self.database(&full[0])?.schema(&full[1]);
        match schema.and_then(|schema| schema.table(&full[2])) {
            Some(_) => Ok(full),
            None => Err(SqlError::no_object("Table", &path.join("."))),
        }
    }

    fn grants(&mut self) -> Result<&'static str, SqlError> {
        let account = &*self.engine.account;
        if self.words("TO ROLE") {
            let role = self.role()?;
            self.is("grantee_name", role);
            return Ok("grants");
        }
        if self.words("TO USER") {
            let name = self.name()?;
            if !account.users.iter().any(|person| person.name == name) {
                return Err(SqlError::no_object("User", &name));
            }
            self.is("grantee_name", name);
            return Ok("roles");
        }
        if self.words("OF ROLE") {
            let role = self.role()?;
            self.is("role", role);
            return Ok("roles");
        }
        self.expect("ON")?;
        if self.words("ACCOUNT") {
            self.is("granted_on", "ACCOUNT".to_owned());
            return Ok("grants");
        }
        let kind = KINDS.into_iter().find(|(kind, _)| self.words(kind));
        let (kind, names) = kind.ok_or_else(|| self.unexpected())?;
        let mut path = self.path()?;
        if matches!(kind, "FUNCTION" | "PROCEDURE") {
            self.arguments()
                .map_err(|error| self.text.unexpected(&error))?;
        }
        end(&self.parser)?;
        let said = path.join(".");
        if path.len() > names {
            let message = format!("SQL compilation error:\ninvalid name {said}");
            return Err(SqlError::new("001003", "42000", message));
        }
        match (names, path.as_slice()) {
            (3, _) => path = self.engine.session.complete(&path)?.to_vec(),
            (2, [_]) => path
                .splice(0..0, self.engine.session.database.clone())
                .for_each(drop),
            _ => {}
        }
        if !self.exists(kind, &path) {
            let (first, rest) = kind.split_at(1);
            return Err(SqlError::no_object(
                &format!("{first}{}", rest.to_lowercase()),
                &said,
            ));
        }
        self.is("granted_on", kind.to_owned());
        self.is("name", path.join("."));
        Ok("grants")
    }

    fn exists(&self, kind: &str, path: &[String]) -> bool {
        let (account, role) = (&*self.engine.account, self.engine.session.role.as_str());
        match (kind, path) {
            ("DATABASE", [name]) => account.database(name, role).is_some(),
            ("WAREHOUSE", [name]) => {
                let mut all = account.warehouses.iter();
                all.any(|one| one.name == name && one.roles.contains(&role))
            }
            ("ROLE", [name]) => self.has_role(name),
            ("USER", [name]) => account.users.iter().any(|person| person.name == name),
            ("SCHEMA", [database, schema]) => {
                let database = account.database(database, role);
                database.is_some_and(|database| database.schema(schema).is_some())
            }
            ("TABLE" | "VIEW", [database, schema, table]) => {
                let schema = account
                    .database(database, role)
                    .and_then(|one| one.schema(schema));
                let table = schema.and_then(|schema| schema.table(table));
                table.is_some_and(|table| table.is_view == (kind == "VIEW"))
            }
            _ => false,
        }
    }

    /// Reads `(NUMBER(38, 0), DOUBLE PRECISION)`.
    fn arguments(&mut self) -> Result<(), ParserError> {
        self.parser.expect_token(&Token::LParen)?;
        if self.parser.consume_token(&Token::RParen) {
            return Ok(());
        }
        self.parser.parse_comma_separated(Parser::parse_data_type)?;
        self.parser.expect_token(&Token::RParen).map(drop)
    }

    fn role(&mut self) -> Result<String, SqlError> {
        let name = self.name()?;
        match self.has_role(&name) {
            true => Ok(name),
            false => Err(SqlError::no_object("Role", &name)),
        }
    }

    fn has_role(&self, name: &str) -> bool {
        let users = self.engine.account.users.iter();
        name == "PUBLIC" || users.flat_map(|user| &user.roles).any(|role| *role == name)
    }

    fn database(&self, name: &str) -> Result<&Database, SqlError> {
        let role = &self.engine.session.role;
        self.engine.account.database(name, role).ok_or_else(|| {
            let message =
                "SQL compilation error:\nObject does not exist, or operation cannot be performed.";
            SqlError::new("002043", "02000", message)
        })
    }

    fn is(&mut self, column: &str, value: String) {
        self.filters.push((format!("{column} = ?"), value));
    }

    fn name(&mut self) -> Result<String, SqlError> {
        let name = self.parser.parse_identifier();
        name.map(|name| name_of(&name))
            .map_err(|error| self.text.unexpected(&error))
    }

    fn path(&mut self) -> Result<Vec<String>, SqlError> {
        let name = self.parser.parse_object_name(false);
        name.map(|name| path_of(&name))
            .map_err(|error| self.text.unexpected(&error))
    }

    /// Reads these words. Returns false and reads nothing if they aren't next.
    fn words(&mut self, words: &str) -> bool {
        let given = |number| self.parser.peek_nth_token(number).token;
        let found = words.split(' ').enumerate().all(|(number, word)| {
            matches!(given(number), Token::Word(given) if given.quote_style.is_none() && given.value.eq_ignore_ascii_case(word))
        });
        for _ in words.split(' ').filter(|_| found) {
            self.parser.next_token();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), SqlError> {
        match self.words(word) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    /// A syntax error at the next token.
    fn unexpected(&self) -> SqlError {
        let next = self
            .parser
            .expected_ref::<()>("another word", self.parser.peek_token_ref());
        next.map_or_else(
            |error| self.text.unexpected(&error),
            |()| SqlError::unsupported("SHOW"),
        )
    }
}
