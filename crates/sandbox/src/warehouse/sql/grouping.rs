//! What a SELECT that groups may show: the columns that it groups by, and aggregates. SQLite takes any column.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, GroupByExpr, Select, SelectItem, Value, Visit as _, Visitor};

use super::read::name_of;
use crate::warehouse::errors::SqlError;

const AGGREGATES: [&str; 7] = ["ANY_VALUE", "AVG", "COUNT", "LISTAGG", "MAX", "MIN", "SUM"];

/// Refuses a column that is neither grouped by nor inside an aggregate.
pub(super) fn check(select: &Select) -> ControlFlow<SqlError> {
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

/// Walks an expression outside of keys, aggregates and sub-queries.
struct Search {
    keys: Vec<String>,
    /// How deep it is inside one of those.
    inside: usize,
    aggregates: bool,
    /// The first column outside.
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

/// An expression as it compares: a column by its own name.
fn written(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name_of(name),
        Expr::CompoundIdentifier(path) => path.last().map(name_of).unwrap_or_default(),
        other => other.to_string().to_uppercase(),
    }
}
