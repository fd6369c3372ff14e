//! Pieces of SQLite's syntax tree.

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName, OrderByExpr, Value,
};

use super::{functions::CONVERT, values::name_of as type_name};
use crate::warehouse::account::Kind;

/// A value as a type takes it.
pub(super) fn convert(kind: Kind, value: Expr) -> Expr {
    call(CONVERT, vec![text(&type_name(kind)), value])
}

pub(super) fn operation(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(right),
    }
}

pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(argument).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

pub(super) fn argument(expr: Expr) -> FunctionArg {
    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
}

pub(super) fn text(text: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(text.to_owned()).into())
}

/// A text of any letters: the library's writer takes some quotes for escaped ones.
pub(super) fn constant(text: &str) -> Expr {
    let hex = crate::ids::hex(text.as_bytes());
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(Value::HexStringLiteral(hex).into())),
        data_type: DataType::Text,
        array: false,
        format: None,
    }
}

pub(super) fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Value(Value::Null.into()))
}

/// Snowflake sorts NULL above all values, SQLite below them.
pub(super) fn nulls_are_highest(key: &mut OrderByExpr) {
    let descending = key.options.asc == Some(false);
    key.options.nulls_first.get_or_insert(descending);
}
