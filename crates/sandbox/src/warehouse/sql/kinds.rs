//! Types of expressions, from the columns of the statement's tables. There's no type if only the values can decide.

use std::{collections::BTreeMap, ops::ControlFlow};

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr,
    Query, Select, SelectItem, SetExpr, UnaryOperator, Value, Visit as _, Visitor,
};

use super::{
    Place,
    read::name_of,
    values::{BoundValue, kind_of_type},
};
use crate::warehouse::{
    account::{Column, Kind},
    errors::SqlError,
};

/// The columns of all tables of a statement, and the bound values.
pub(super) struct Kinds<'a> {
    columns: BTreeMap<&'a str, &'a Column>,
    bindings: &'a [BoundValue],
}

impl<'a> Kinds<'a> {
    pub(super) fn new(places: &'a BTreeMap<String, Place>, bindings: &'a [BoundValue]) -> Self {
        let columns = places.values().flat_map(|place| &place.columns);
        Self {
            columns: columns
                .map(|column| (column.name.as_str(), column))
                .collect(),
            bindings,
        }
    }

    /// The types of a query's columns. Empty if it selects `*`.
    pub(super) fn of_query(&self, query: &Query) -> Vec<Option<Kind>> {
        let mut body = query.body.as_ref();
        loop {
            body = match body {
                SetExpr::SetOperation { left, .. } => left,
                SetExpr::Query(query) => &query.body,
                SetExpr::Select(select) => {
                    let kind = |item: &SelectItem| match item {
                        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                            Some(self.kind(expr))
                        }
                        _ => None,
                    };
                    let kinds: Option<Vec<_>> = select.projection.iter().map(kind).collect();
                    return kinds.unwrap_or_default();
                }
                _ => return Vec::new(),
            };
        }
    }

    /// Whether a column with this name may contain NULL.
    pub(super) fn is_nullable(&self, column: &str) -> bool {
        self.columns
            .get(column)
            .is_none_or(|column| column.nullable)
    }

    /// The type of an expression.
    pub(super) fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Identifier(name) => self.column(&name_of(name)),
            Expr::CompoundIdentifier(path) => self.column(&name_of(path.last()?)),
            Expr::Nested(inner) => self.kind(inner),
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => {
                    let decimals = digits
                        .split_once('.')
                        .map_or(0, |(_, decimals)| decimals.len());
                    Some(Kind::Fixed(u8::try_from(decimals).unwrap_or(u8::MAX)))
                }
                Value::Boolean(_) => Some(Kind::Boolean),
                Value::Placeholder(text) => Some(self.bound(text)?.kind),
                Value::Null => None,
                _ => Some(Kind::Text),
            },
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                ..
            } => Some(Kind::Boolean),
            Expr::UnaryOp { expr, .. } => self.kind(expr),
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
            Expr::Subquery(query) => *self.of_query(query).first()?,
            Expr::Function(function) => self.function(function),
            Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::Between { .. }
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Exists { .. }
            | Expr::IsNull(_)
            | Expr::IsNotNull(_) => Some(Kind::Boolean),
            _ => None,
        }
    }

    /// The value of a numbered placeholder.
    pub(super) fn bound(&self, placeholder: &str) -> Option<&'a BoundValue> {
        let number: usize = placeholder.strip_prefix('?')?.parse().ok()?;
        self.bindings.get(number.checked_sub(1)?)
    }

    fn column(&self, name: &str) -> Option<Kind> {
        Some(self.columns.get(name)?.kind)
    }

    fn function(&self, function: &Function) -> Option<Kind> {
        let arguments = arguments(function);
        let of = |number: usize| arguments.get(number).and_then(|expr| self.kind(expr));
        match function.name.to_string().to_uppercase().as_str() {
            "AVG" => match of(0) {
                Some(Kind::Fixed(scale)) => Some(Kind::Fixed(divided(scale))),
                _ => Some(Kind::Real),
            },
            "SUM" | "MIN" | "MAX" | "ABS" | "LAG" | "LEAD" | "FIRST_VALUE" | "LAST_VALUE"
            | "ANY_VALUE" | "NULLIF" => of(0),
            "COALESCE" | "NVL" | "IFNULL" | "GREATEST" | "LEAST" => {
                arguments.iter().map(|expr| self.kind(expr)).reduce(wider)?
            }
            "IFF" => wider(of(1), of(2)),
            "ROUND" => match (of(0), arguments.get(1)) {
                (Some(Kind::Fixed(scale)), Some(to)) => {
                    Some(Kind::Fixed(to.to_string().parse().unwrap_or(scale)))
                }
                (Some(Kind::Fixed(_)), None) => Some(Kind::Fixed(0)),
                (other, _) => other,
            },
            "DATE_TRUNC" | "DATEADD" => match of(arguments.len().checked_sub(1)?) {
                Some(Kind::Text) => Some(Kind::TimestampNtz),
                other => other,
            },
            "TO_DATE" | "DATE" | "CURRENT_DATE" => Some(Kind::Date),
            "TO_TIMESTAMP" | "TO_TIMESTAMP_NTZ" => Some(Kind::TimestampNtz),
            "CURRENT_TIMESTAMP" => Some(Kind::TimestampLtz),
            _ => None,
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

/// The scale of a quotient (SQL reference, "Arithmetic operators", Division).
fn divided(scale: u8) -> u8 {
    scale.max(scale.saturating_add(6).min(12))
}

/// A type that can hold both.
fn wider(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    match (one, other) {
        (Some(Kind::Fixed(one)), Some(Kind::Fixed(other))) => Some(Kind::Fixed(one.max(other))),
        (Some(Kind::Fixed(_)), Some(Kind::Real)) => Some(Kind::Real),
        (one, other) => one.or(other),
    }
}

fn operation(op: &BinaryOperator, left: Option<Kind>, right: Option<Kind>) -> Option<Kind> {
    use Kind::{Date, Fixed, Real, Text};
    match (op, left, right) {
        (BinaryOperator::StringConcat, ..) => Some(Text),
        (BinaryOperator::Minus, Some(Date), Some(Date)) => Some(Fixed(0)),
        (BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Modulo, ..) => {
            wider(left, right)
        }
        (BinaryOperator::Multiply, Some(Fixed(one)), Some(Fixed(other))) => {
            Some(Fixed(one.saturating_add(other)))
        }
        (BinaryOperator::Multiply, ..) => wider(left, right),
        (BinaryOperator::Divide, Some(Fixed(one)), Some(Fixed(_))) => Some(Fixed(divided(one))),
        (BinaryOperator::Divide, ..) => Some(Real),
        _ => Some(Kind::Boolean),
    }
}

const AGGREGATES: [&str; 7] = ["ANY_VALUE", "AVG", "COUNT", "LISTAGG", "MAX", "MIN", "SUM"];

/// Refuses a column outside of GROUP BY and aggregates.
pub(super) fn check_grouping(select: &Select) -> ControlFlow<SqlError> {
    let GroupByExpr::Expressions(keys, _) = &select.group_by else {
        return ControlFlow::Continue(());
    };
    let shown: Vec<(Option<String>, &Expr)> = select
        .projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) => Some((None, expr)),
            SelectItem::ExprWithAlias { expr, alias } => Some((Some(name_of(alias)), expr)),
            _ => None,
        })
        .collect();
    let mut search = Search {
        keys: Vec::new(),
        inside: 0,
        aggregates: false,
        bare: None,
    };
    for key in keys {
        search.keys.push(written(key));
        let place = match key {
            Expr::Value(value) => match &value.value {
                Value::Number(number, _) => number.parse::<usize>().ok(),
                _ => None,
            },
            _ => None,
        };
        let by_place = place.and_then(|place| shown.get(place.checked_sub(1)?));
        let by_alias = shown
            .iter()
            .find(|(alias, _)| alias.as_ref() == Some(&written(key)));
        search.keys.extend(by_place.map(|(_, expr)| written(expr)));
        search.keys.extend(by_alias.map(|(_, expr)| written(expr)));
    }
    for (_, expr) in &shown {
        let _done = expr.visit(&mut search);
    }
    let wildcard = shown.len() < select.projection.len();
    let grouped = search.aggregates || !keys.is_empty();
    let bare = search.bare.or_else(|| wildcard.then(|| "*".to_owned()));
    match bare {
        Some(bare) if grouped => {
            let message =
                format!("SQL compilation error:\n[{bare}] is not a valid group by expression");
            ControlFlow::Break(SqlError::new("000979", "42601", message))
        }
        _ => ControlFlow::Continue(()),
    }
}

/// Walks an expression, and looks for columns outside of keys, aggregates and sub-queries.
struct Search {
    keys: Vec<String>,
    /// How deeply it's inside one of those.
    inside: usize,
    aggregates: bool,
    /// The first column that is outside.
    bare: Option<String>,
}

impl Visitor for Search {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_aggregate = matches!(expr, Expr::Function(function) if function.over.is_none()
            && AGGREGATES.contains(&function.name.to_string().to_uppercase().as_str()));
        self.aggregates |= is_aggregate && self.inside == 0;
        let is_query = matches!(
            expr,
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. }
        );
        if self.inside > 0 || is_aggregate || is_query || self.keys.contains(&written(expr)) {
            self.inside += 1;
        } else if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
            self.bare.get_or_insert(written(expr));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.inside = self.inside.saturating_sub(1);
        ControlFlow::Continue(())
    }
}

/// The text of an expression for comparisons. A column has its plain name.
fn written(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name_of(name),
        Expr::CompoundIdentifier(path) => path.last().map(name_of).unwrap_or_default(),
        other => other.to_string().to_uppercase(),
    }
}
