//! Names and types of a query's columns, from what the tables declare.

use std::collections::BTreeMap;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableAlias, TableFactor, TableWithJoins,
    UnaryOperator, Value,
};

use super::{
    bindings::BoundValue,
    names::{name_of, path_of},
    values::kind_of_type,
};
use crate::warehouse::account::{Column, Kind};

/// A table that a statement names: where its rows are, and its columns.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Name of the table in SQLite.
    pub(super) stored: String,
    /// Its own name, without those of database and schema.
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
}

/// A column of a query; no type where only the values can tell.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) name: String,
    pub(super) kind: Option<Kind>,
    pub(super) nullable: bool,
}

/// The tables of FROM by the names that a query calls them.
pub(super) type Scope = Vec<(String, Vec<Typed>)>;

/// What is known before a query is read.
#[derive(Debug, Clone)]
pub(super) struct Types<'a> {
    /// Tables by the names as written.
    pub(super) places: &'a BTreeMap<String, Place>,
    pub(super) bindings: &'a [BoundValue],
    /// Columns of the queries that WITH names.
    ctes: BTreeMap<String, Vec<Typed>>,
    /// Scopes, the innermost last.
    scopes: Vec<Scope>,
}

impl<'a> Types<'a> {
    pub(super) fn new(places: &'a BTreeMap<String, Place>, bindings: &'a [BoundValue]) -> Self {
        Self {
            places,
            bindings,
            ctes: BTreeMap::new(),
            scopes: Vec::new(),
        }
    }

    /// Enters a query; [`Types::leave`] leaves it.
    pub(super) fn enter(&mut self, query: &Query) {
        self.with(query);
        let scope = self.scope_of(&query.body);
        self.scopes.push(scope);
    }

    /// Enters a statement over these tables.
    pub(super) fn enter_tables(&mut self, tables: &[TableWithJoins]) {
        let scope = self.scope(tables);
        self.scopes.push(scope);
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The columns of a query.
    pub(super) fn columns(&self, query: &Query) -> Vec<Typed> {
        let mut inner = self.clone();
        inner.with(query);
        inner.set(&query.body)
    }

    fn with(&mut self, query: &Query) {
        let Some(with) = &query.with else { return };
        for cte in &with.cte_tables {
            let name = name_of(&cte.alias.name);
            if with.recursive
                && let SetExpr::SetOperation { left, .. } = cte.query.body.as_ref()
            {
                let first = renamed(self.set(left), Some(&cte.alias));
                self.ctes.insert(name.clone(), first);
            }
            let columns = renamed(self.columns(&cte.query), Some(&cte.alias));
            self.ctes.insert(name, columns);
        }
    }

    fn set(&self, body: &SetExpr) -> Vec<Typed> {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.columns(query),
            SetExpr::SetOperation { left, right, .. } => {
                let right = self.set(right);
                let mut columns = self.set(left);
                for (column, other) in columns.iter_mut().zip(right) {
                    column.kind = wider(column.kind, other.kind);
                    column.nullable |= other.nullable;
                }
                columns
            }
            SetExpr::Values(values) => {
                let first = values.rows.first().into_iter().flatten();
                let column = |(number, expr): (usize, &Expr)| Typed {
                    name: format!("COLUMN{}", number + 1),
                    kind: self.kind(expr),
                    nullable: true,
                };
                first.enumerate().map(column).collect()
            }
            _ => Vec::new(),
        }
    }

    fn select(&self, select: &Select) -> Vec<Typed> {
        let mut inner = self.clone();
        let scope = inner.scope(&select.from);
        inner.scopes.push(scope.clone());
        let mut columns = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => columns.push(inner.typed(expr, own_name(expr))),
                SelectItem::ExprWithAlias { expr, alias } => {
                    columns.push(inner.typed(expr, name_of(alias)));
                }
                SelectItem::Wildcard(_) => {
                    columns.extend(scope.iter().flat_map(|(_, columns)| columns).cloned());
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let table = path_of(name).pop().unwrap_or_default();
                    let of = scope.iter().filter(|(alias, _)| *alias == table);
                    columns.extend(of.flat_map(|(_, columns)| columns).cloned());
                }
                SelectItem::QualifiedWildcard(..) => {}
            }
        }
        columns
    }

    fn typed(&self, expr: &Expr, name: String) -> Typed {
        Typed {
            name,
            kind: self.kind(expr),
            nullable: self.column(expr).is_none_or(|column| column.nullable),
        }
    }

    fn scope_of(&self, body: &SetExpr) -> Scope {
        match body {
            SetExpr::Select(select) => self.scope(&select.from),
            SetExpr::SetOperation { left, right, .. } => {
                [self.scope_of(left), self.scope_of(right)].concat()
            }
            _ => Scope::new(),
        }
    }

    fn scope(&self, tables: &[TableWithJoins]) -> Scope {
        let factors = tables.iter().flat_map(|table| {
            let joined = table.joins.iter().map(|join| &join.relation);
            std::iter::once(&table.relation).chain(joined)
        });
        factors.flat_map(|factor| self.factor(factor)).collect()
    }

    fn factor(&self, factor: &TableFactor) -> Scope {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let (own, columns) = match self.places.get(&name.to_string()) {
                    Some(place) => (
                        place.name.clone(),
                        place.columns.iter().map(typed).collect(),
                    ),
                    None => {
                        let name = path_of(name).pop().unwrap_or_default();
                        let columns = self.ctes.get(&name).cloned();
                        (name, columns.unwrap_or_default())
                    }
                };
                let called = alias.as_ref().map_or(own, |alias| name_of(&alias.name));
                vec![(called, renamed(columns, alias.as_ref()))]
            }
            TableFactor::Derived {
                subquery, alias, ..
            } => {
                let called = alias.as_ref().map(|alias| name_of(&alias.name));
                let columns = renamed(self.columns(subquery), alias.as_ref());
                vec![(called.unwrap_or_default(), columns)]
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.scope(std::slice::from_ref(table_with_joins)),
            _ => Scope::new(),
        }
    }

    /// The column that an expression is.
    fn column(&self, expr: &Expr) -> Option<&Typed> {
        let (table, name) = match expr {
            Expr::Identifier(name) => (None, name_of(name)),
            Expr::CompoundIdentifier(path) => match path.as_slice() {
                [.., table, name] => (Some(name_of(table)), name_of(name)),
                _ => return None,
            },
            _ => return None,
        };
        let tables = self.scopes.iter().rev().flatten();
        let mut columns = tables
            .filter(|(called, _)| table.as_ref().is_none_or(|table| called == table))
            .flat_map(|(_, columns)| columns);
        columns.find(|column| column.name == name)
    }

    /// The type of an expression.
    pub(super) fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.column(expr)?.kind,
            Expr::Nested(inner) => self.kind(inner),
            Expr::Value(value) => self.literal(&value.value),
            Expr::UnaryOp { op, expr } => match op {
                UnaryOperator::Not => Some(Kind::Boolean),
                _ => self.kind(expr),
            },
            Expr::BinaryOp { left, op, right } => operation(op, self.kind(left), self.kind(right)),
            Expr::Cast { data_type, .. } => kind_of_type(data_type),
            Expr::TypedString(typed) => kind_of_type(&typed.data_type),
            Expr::Case {
                conditions,
                else_result,
                ..
            } => {
                let results = conditions.iter().map(|when| &when.result);
                let results = results.chain(else_result.as_deref());
                results.map(|result| self.kind(result)).reduce(wider)?
            }
            Expr::Subquery(query) => self.columns(query).first()?.kind,
            Expr::Function(function) => self.function(function),
            Expr::Extract { .. }
            | Expr::Position { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. } => Some(Kind::Fixed(0)),
            Expr::Substring { .. } | Expr::Trim { .. } => Some(Kind::Text),
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::Exists { .. } => Some(Kind::Boolean),
            _ => None,
        }
    }

    fn literal(&self, value: &Value) -> Option<Kind> {
        match value {
            Value::Number(digits, _) => {
                let decimals = digits
                    .split_once('.')
                    .map_or(0, |(_, decimals)| decimals.len());
                Some(Kind::Fixed(u8::try_from(decimals).unwrap_or(u8::MAX)))
            }
            Value::Boolean(_) => Some(Kind::Boolean),
            Value::Placeholder(text) => Some(bound(self.bindings, text)?.kind),
            Value::Null => None,
            _ => Some(Kind::Text),
        }
    }

    fn function(&self, function: &Function) -> Option<Kind> {
        let arguments = arguments(function);
        let first = || arguments.first().and_then(|expr| self.kind(expr));
        let any = || arguments.iter().map(|expr| self.kind(expr)).reduce(wider)?;
        let name = function.name.to_string().to_uppercase();
        match name.as_str() {
            "AVG" => match first() {
                Some(Kind::Fixed(scale)) => Some(Kind::Fixed(divided(scale))),
                _ => Some(Kind::Real),
            },
            "SUM" | "MIN" | "MAX" | "ABS" | "LAG" | "LEAD" | "FIRST_VALUE" | "LAST_VALUE"
            | "ANY_VALUE" | "NULLIF" => first(),
            "COALESCE" | "NVL" | "IFNULL" | "GREATEST" | "LEAST" => any(),
            "IFF" => wider(
                arguments.get(1).and_then(|expr| self.kind(expr)),
                arguments.get(2).and_then(|expr| self.kind(expr)),
            ),
            "ROUND" => match (first(), arguments.get(1)) {
                (Some(Kind::Fixed(scale)), Some(to)) => {
                    Some(Kind::Fixed(to.to_string().parse().unwrap_or(scale)))
                }
                (Some(Kind::Fixed(_)), None) => Some(Kind::Fixed(0)),
                (other, _) => other,
            },
            "DATE_TRUNC" | "DATEADD" => arguments.last().and_then(|expr| match self.kind(expr) {
                Some(Kind::Text) => Some(Kind::TimestampNtz),
                other => other,
            }),
            "TO_DATE" | "DATE" | "CURRENT_DATE" => Some(Kind::Date),
            "TO_TIMESTAMP" | "TO_TIMESTAMP_NTZ" => Some(Kind::TimestampNtz),
            "CURRENT_TIMESTAMP" => Some(Kind::TimestampLtz),
            "TO_NUMBER" | "COUNT" | "LENGTH" | "LEN" | "ROW_NUMBER" | "RANK" | "DENSE_RANK"
            | "NTILE" | "DATEDIFF" | "DATE_PART" | "YEAR" | "MONTH" | "WEEK" | "DAY" | "HOUR"
            | "MINUTE" | "SECOND" | "SIGN" => Some(Kind::Fixed(0)),
            _ => Some(Kind::Text),
        }
    }
}

/// The plain arguments of a function.
pub(super) fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else {
        return Vec::new();
    };
    let plain = |argument| match argument {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expr)) => Some(expr),
        _ => None,
    };
    list.args.iter().filter_map(plain).collect()
}

/// The value of a numbered placeholder.
pub(super) fn bound<'a>(bindings: &'a [BoundValue], placeholder: &str) -> Option<&'a BoundValue> {
    let number: usize = placeholder.strip_prefix('?')?.parse().ok()?;
    bindings.get(number.checked_sub(1)?)
}

fn typed(column: &Column) -> Typed {
    Typed {
        name: column.name.clone(),
        kind: Some(column.kind),
        nullable: column.nullable,
    }
}

fn renamed(mut columns: Vec<Typed>, alias: Option<&TableAlias>) -> Vec<Typed> {
    let names = alias.into_iter().flat_map(|alias| &alias.columns);
    for (column, name) in columns.iter_mut().zip(names) {
        column.name = name_of(&name.name);
    }
    columns
}

/// The name of a column that has no alias: as it was written.
fn own_name(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name_of(name),
        Expr::CompoundIdentifier(path) => path.last().map(name_of).unwrap_or_default(),
        Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => "?".to_owned(),
        other => other.to_string().to_uppercase(),
    }
}

/// Scale of a quotient (SQL reference, "Arithmetic operators", Division).
fn divided(scale: u8) -> u8 {
    scale.max(scale.saturating_add(6).min(12))
}

/// The type that holds both.
fn wider(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    match (one, other) {
        (Some(Kind::Fixed(one)), Some(Kind::Fixed(other))) => Some(Kind::Fixed(one.max(other))),
        (Some(Kind::Fixed(_)), Some(Kind::Real)) => Some(Kind::Real),
        (one, other) => one.or(other),
    }
}

fn operation(op: &BinaryOperator, left: Option<Kind>, right: Option<Kind>) -> Option<Kind> {
    use Kind::{Date, Fixed, Real};
    match op {
        BinaryOperator::StringConcat => Some(Kind::Text),
        BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Modulo => {
            match (left, right) {
                (Some(Date), Some(Date)) => Some(Fixed(0)),
                _ => wider(left, right),
            }
        }
        BinaryOperator::Multiply => match (left, right) {
            (Some(Fixed(one)), Some(Fixed(other))) => Some(Fixed(one.saturating_add(other))),
            _ => wider(left, right),
        },
        BinaryOperator::Divide => match (left, right) {
            (Some(Fixed(one)), Some(Fixed(_))) => Some(Fixed(divided(one))),
            _ => Some(Real),
        },
        _ => Some(Kind::Boolean),
    }
}
