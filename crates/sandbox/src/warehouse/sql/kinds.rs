//! Types of expressions, from the columns that the statement's tables have. Where only the values can tell, there is none.

use std::collections::BTreeMap;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query,
    SelectItem, SetExpr, UnaryOperator, Value,
};

use super::{
    Place,
    read::name_of,
    values::{BoundValue, kind_of_type},
};
use crate::warehouse::account::{Column, Kind};

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

    /// The types of what a query selects; none where `*` is among it.
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

    /// Whether a column of this name may hold NULL.
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
