//! Translates Snowflake's syntax tree to SQLite's: names, values and functions. Errors name what can't be translated.

use std::{collections::BTreeSet, ops::ControlFlow};

use sqlparser::ast::{
    BinaryOperator, Cte, DataType, Expr, GroupByExpr, Ident, LimitClause, ObjectName, OrderByKind,
    Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, Spanned as _,
    TableAlias, TableFactor, UnaryOperator, Value, Visitor, VisitorMut,
};

use super::{
    Translator,
    functions::{DIVIDE, TRUTH},
    functions::{call, constant, convert, nulls_are_highest, take, text},
    kinds::check_grouping,
    read::{ident, name_of, path_of},
    values::{kind_of_type, stored},
};
use crate::warehouse::{account::Kind, errors::SqlError};

type Flow = ControlFlow<SqlError>;

fn refuse(what: &str) -> Flow {
    Flow::Break(SqlError::unsupported(what))
}

impl VisitorMut for Translator<'_> {
    type Break = SqlError;

    fn pre_visit_query(&mut self, query: &mut Query) -> Flow {
        let refused = [
            (query.fetch.is_some(), "FETCH"),
            (!query.locks.is_empty(), "FOR UPDATE"),
            (!query.pipe_operators.is_empty(), "->>"),
        ];
        if let Some((_, what)) = refused.into_iter().find(|(found, _)| *found) {
            return refuse(what);
        }
        for Cte { alias, .. } in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            quote_alias(alias);
        }
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            let numbers = limit
                .iter()
                .chain(offset.iter().map(|offset| &offset.value));
            for number in numbers {
                if !matches!(number, Expr::Value(_)) {
                    return Flow::Break(SqlError::syntax(number.span().start, &number.to_string()));
                }
            }
        }
        if let Some(order) = &mut query.order_by {
            match &mut order.kind {
                OrderByKind::Expressions(keys) => keys.iter_mut().for_each(nulls_are_highest),
                OrderByKind::All(_) => return refuse("ORDER BY ALL"),
            }
        }
        set(&mut query.body)
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> Flow {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                version: None,
                sample: None,
                ..
            } => {
                if let Some(place) = self.places.get(&name.to_string()) {
                    *name = ObjectName::from(vec![Ident::new(&place.stored)]);
                    let alias = alias.get_or_insert_with(|| named(&place.name));
                    quote_alias(alias);
                } else {
                    let own = path_of(name).pop().unwrap_or_default();
                    *name = ObjectName::from(vec![ident(&own)]);
                    alias.iter_mut().for_each(quote_alias);
                }
            }
            TableFactor::Derived {
                lateral: false,
                alias,
                sample: None,
                ..
            } => alias.iter_mut().for_each(quote_alias),
            TableFactor::NestedJoin { alias: None, .. } => {}
            _ => return refuse("this kind of table in FROM"),
        }
        Flow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> Flow {
        self.convert_literals(expr);
        match expr {
            Expr::BinaryOp { left, op, right } => {
                let kinds = (self.kinds.kind(left), self.kinds.kind(right));
                if let Some(moved) = date_arithmetic(left, op, right, kinds) {
                    *expr = moved;
                }
            }
            Expr::Cast {
                expr: inner,
                data_type,
                ..
            } if kind_of_type(data_type) == Some(Kind::Text)
                && self.kinds.kind(inner) == Some(Kind::Boolean) =>
            {
                *expr = call(TRUTH, vec![take(inner)]);
            }
            _ => {}
        }
        Flow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> Flow {
        match self.translated(expr) {
            Ok(Some(translated)) => *expr = translated,
            Ok(None) => {}
            Err(error) => return Flow::Break(error),
        }
        Flow::Continue(())
    }
}

impl Translator<'_> {
    /// The SQLite expression for an expression with translated parts. `None` if it stays.
    fn translated(&mut self, expr: &mut Expr) -> Result<Option<Expr>, SqlError> {
        Ok(Some(match expr {
            Expr::Identifier(name) => Expr::Identifier(ident(&name_of(name))),
            Expr::CompoundIdentifier(path) => {
                let last = &path[path.len().saturating_sub(2)..];
                Expr::CompoundIdentifier(last.iter().map(|name| ident(&name_of(name))).collect())
            }
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => constant(text),
                Value::DollarQuotedString(text) => constant(&text.value),
                Value::Placeholder(number) => self.placeholder(number)?,
                Value::Number(..) | Value::Boolean(_) | Value::Null => return Ok(None),
                other => return Err(SqlError::unsupported(&format!("the constant {other}"))),
            },
            Expr::Cast {
                expr: inner,
                data_type,
                ..
            } => {
                let kind = known_type(data_type)?;
                convert(kind, take(inner))
            }
            Expr::TypedString(typed) => {
                let kind = known_type(&typed.data_type)?;
                let text = typed.value.value.clone().into_string().unwrap_or_default();
                convert(kind, constant(&text))
            }
            Expr::ILike {
                negated,
                any: false,
                expr: text,
                pattern,
                escape_char,
            } => Expr::Like {
                negated: *negated,
                any: false,
                expr: Box::new(call("LOWER", vec![take(text)])),
                pattern: Box::new(call("LOWER", vec![take(pattern)])),
                escape_char: escape_char.take(),
            },
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Divide,
                right,
            } => call(DIVIDE, vec![take(left), take(right)]),
            Expr::Extract { field, expr, .. } => {
                call("DATE_PART", vec![constant(&field.to_string()), take(expr)])
            }
            Expr::Ceil { expr, .. } => call("CEIL", vec![take(expr)]),
            Expr::Floor { expr, .. } => call("FLOOR", vec![take(expr)]),
            Expr::Position { expr, r#in } => call("INSTR", vec![take(r#in), take(expr)]),
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => {
                let parts = [substring_from, substring_for].into_iter().flatten();
                let parts = parts.map(|part| take(part));
                call("SUBSTR", std::iter::once(take(expr)).chain(parts).collect())
            }
            Expr::Function(function) => return self.function(function),
            Expr::JsonAccess { .. } | Expr::CompoundFieldAccess { .. } | Expr::Array(_) => {
                return Err(SqlError::unsupported("semi-structured data"));
            }
            Expr::Interval(_) => return Err(SqlError::unsupported("INTERVAL")),
            Expr::RLike { .. } | Expr::SimilarTo { .. } => {
                return Err(SqlError::unsupported("regular expressions"));
            }
            Expr::Like { any: true, .. } | Expr::ILike { any: true, .. } => {
                return Err(SqlError::unsupported("LIKE ANY"));
            }
            Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => {
                return Err(SqlError::unsupported("GROUPING SETS, CUBE and ROLLUP"));
            }
            _ => return Ok(None),
        }))
    }

    fn placeholder(&self, number: &str) -> Result<Expr, SqlError> {
        use rusqlite::types::Value as Stored;
        let Some(bound) = self.kinds.bound(number) else {
            return Err(SqlError::unsupported("named bind variables"));
        };
        Ok(match (bound.kind, stored(bound.kind, &bound.cell)) {
            (_, Stored::Null) => Expr::Value(Value::Null.into()),
            (Kind::Boolean, Stored::Integer(truth)) => {
                Expr::Value(Value::Boolean(truth != 0).into())
            }
            (Kind::Fixed(_), Stored::Text(digits)) => {
                Expr::Value(Value::Number(digits, false).into())
            }
            (Kind::Real, Stored::Text(digits)) => convert(Kind::Real, constant(&digits)),
            (_, Stored::Text(text)) => constant(&text),
            (_, other) => return Err(SqlError::unsupported(&format!("the value {other:?}"))),
        })
    }

    /// Converts a constant text that is compared with a date, a time or a boolean.
    fn convert_literals(&self, expr: &mut Expr) {
        let mut pairs: Vec<(&Expr, Vec<&Expr>)> = Vec::new();
        match &*expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                pairs.push((left, vec![right]));
                pairs.push((right, vec![left]));
            }
            Expr::Between {
                expr, low, high, ..
            } => pairs.push((expr, vec![low, high])),
            Expr::InList { expr, list, .. } => pairs.push((expr, list.iter().collect())),
            _ => return,
        }
        let wanted = pairs.into_iter().find_map(|(typed, others)| {
            let kind = self.kinds.kind(typed)?;
            let is_moment = !matches!(
                kind,
                Kind::Text | Kind::Binary | Kind::Fixed(_) | Kind::Real | Kind::TimestampTz
            );
            let texts = others.iter().any(|other| self.is_text(other));
            (is_moment && texts).then_some(kind)
        });
        let Some(kind) = wanted else { return };
        let change = |part: &mut Expr| {
            if self.is_text(part) {
                *part = convert(kind, take(part));
            }
        };
        match expr {
            Expr::BinaryOp { left, right, .. } => {
                [left, right].into_iter().for_each(|part| change(part))
            }
            Expr::Between { low, high, .. } => {
                [low, high].into_iter().for_each(|part| change(part))
            }
            Expr::InList { list, .. } => list.iter_mut().for_each(change),
            _ => {}
        }
    }

    fn is_text(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Value(_)) && self.kinds.kind(expr) == Some(Kind::Text)
    }
}

fn known_type(data_type: &DataType) -> Result<Kind, SqlError> {
    kind_of_type(data_type).ok_or_else(|| SqlError::unsupported(&format!("the type {data_type}")))
}

fn set(body: &mut SetExpr) -> Flow {
    match body {
        SetExpr::Select(chosen) => select(chosen),
        SetExpr::SetOperation {
            op, left, right, ..
        } => {
            if *op == SetOperator::Minus {
                *op = SetOperator::Except;
            }
            set(left)?;
            set(right)
        }
        SetExpr::Query(_) | SetExpr::Values(_) => Flow::Continue(()),
        _ => refuse("this query"),
    }
}

fn select(select: &mut Select) -> Flow {
    let refused = [
        (select.qualify.is_some(), "QUALIFY"),
        (select.top.is_some(), "TOP"),
        (select.into.is_some(), "INTO"),
        (!select.connect_by.is_empty(), "CONNECT BY"),
        (!select.lateral_views.is_empty(), "LATERAL"),
        (
            matches!(select.group_by, GroupByExpr::All(_)),
            "GROUP BY ALL",
        ),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(found, _)| *found) {
        return refuse(what);
    }
    check_grouping(select)?;
    for item in &mut select.projection {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => *alias = ident(&name_of(alias)),
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                if options.to_string() != "" {
                    return refuse("EXCLUDE, REPLACE, RENAME and ILIKE behind *");
                }
            }
            // Snowflake names a column by its text in the statement.
            SelectItem::UnnamedExpr(expr) => {
                let alias = ident(&own_name(expr));
                *item = SelectItem::ExprWithAlias {
                    expr: take(expr),
                    alias,
                };
            }
        }
        if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) =
            item
        {
            let table = path_of(name).pop().unwrap_or_default();
            *name = ObjectName::from(vec![ident(&table)]);
        }
    }
    Flow::Continue(())
}

fn quote_alias(alias: &mut TableAlias) {
    alias.name = ident(&name_of(&alias.name));
    for column in &mut alias.columns {
        column.name = ident(&name_of(&column.name));
    }
}

fn named(name: &str) -> TableAlias {
    TableAlias {
        explicit: true,
        name: ident(name),
        columns: Vec::new(),
    }
}

/// Adds days to a date, or subtracts two dates.
fn date_arithmetic(
    left: &mut Expr,
    op: &BinaryOperator,
    right: &mut Expr,
    kinds: (Option<Kind>, Option<Kind>),
) -> Option<Expr> {
    let day = text("day");
    match (kinds, op) {
        ((Some(Kind::Date), Some(Kind::Fixed(_))), BinaryOperator::Plus) => {
            Some(call("DATEADD", vec![day, take(right), take(left)]))
        }
        ((Some(Kind::Date), Some(Kind::Fixed(_))), BinaryOperator::Minus) => {
            let back = Expr::UnaryOp {
                op: UnaryOperator::Minus,
                expr: Box::new(Expr::Nested(Box::new(take(right)))),
            };
            Some(call("DATEADD", vec![day, back, take(left)]))
        }
        ((Some(Kind::Date), Some(Kind::Date)), BinaryOperator::Minus) => {
            Some(call("DATEDIFF", vec![day, take(right), take(left)]))
        }
        _ => None,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

/// The name of a column without an alias: its text in the statement.
fn own_name(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name_of(name),
        Expr::CompoundIdentifier(path) => path.last().map(name_of).unwrap_or_default(),
        Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => "?".to_owned(),
        other => other.to_string().to_uppercase(),
    }
}

/// The names in WITH, and the tables in FROM, as they're written in the statement.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) tables: Vec<ObjectName>,
    ctes: BTreeSet<String>,
}

impl Visitor for Named {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
        self.ctes.extend(ctes.map(|cte| name_of(&cte.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table {
            name, args: None, ..
        } = factor
        {
            let is_cte = matches!(path_of(name).as_slice(), [one] if self.ctes.contains(one));
            if !is_cte {
                self.tables.push(name.clone());
            }
        }
        ControlFlow::Continue(())
    }
}
