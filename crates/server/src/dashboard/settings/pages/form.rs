//! The forms of actions, and the questions before them.

use axum::response::Response;
use minijinja::{Value as Context, context, value::Serde};
use serde_json::Value;
use stead::{Error, ErrorKind};

use super::{
    Ids,
    action::{Action, Form as Asks},
    details, fields, list,
    member::fill,
    resource::Resource,
    secret,
};
use crate::{
    dashboard::{
        form::Form,
        page::Page,
        settings::render::{refused, render},
    },
    extract::{Path, Query},
    problem::Result,
};

/// The page of a form or of a question.
pub(super) async fn show(
    page: Page,
    resource: &'static Resource,
    action: &'static Action,
    Path(ids): Ids,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let ids: Vec<String> = ids.into_iter().map(|(_, id)| id).collect();
    let one = details::load(&page, resource, &ids).await?;
    let action = possible(resource, action, &one);
    let context = context(&page, resource, action, &ids, &one, None).await?;
    Ok(render(&page, template(action), context))
}

/// Runs the action of a form. If it's rejected, shows the form again.
pub(super) async fn submit(
    page: Page,
    resource: &'static Resource,
    action: &'static Action,
    Path(ids): Ids,
    form: Form,
) -> Result<Response> {
    let ids: Vec<String> = ids.into_iter().map(|(_, id)| id).collect();
    let needs_one = resource
        .actions
        .iter()
        .any(|one| one.to == action.to && !std::ptr::eq(one, action));
    let one = match needs_one {
        true => details::load(&page, resource, &ids).await?,
        false => Value::Null,
    };
    let action = possible(resource, action, &one);
    let (given, is_valid) = fields::body(resource, action, &form);
    let body = action.operation.info.has_body.then(|| given.clone());
    let ran = match is_valid {
        Ok(()) => {
            action
                .operation
                .run(&page.environment, &ids, "", body)
                .await
        }
        Err(error) => Err(error),
    };
    match ran {
        Ok(made) => {
            if let Some(shown) = secret::show(&page, resource, action, &made) {
                return Ok(shown);
            }
            let created = action.is_creation().then(|| resource.id(&made));
            let id = created.as_ref().or(ids.first());
            let to = resource.after(action, id.map(String::as_str));
            Ok(page.redirect_done(&to, action.done))
        }
        Err(error) => again(&page, resource, action, &ids, &given, error).await,
    }
}

/// The page after a rejected action: its form, or the page that has its button.
async fn again(
    page: &Page,
    resource: &Resource,
    action: &Action,
    ids: &[String],
    given: &Value,
    error: Error,
) -> Result<Response> {
    let one = details::load(page, resource, ids).await?;
    let (template, context) = match action.form {
        Asks::Page | Asks::Question => {
            let context = context(page, resource, action, ids, &one, Some(given)).await?;
            (template(action), context)
        }
        _ if resource.read.is_some() => {
            let context = details::context(page, resource, &one, &mut Query::of("")).await?;
            (details::template(resource), context)
        }
        _ => {
            let context = list::context(page, resource, "").await?;
            (list::template(resource), context)
        }
    };
    refused(page, error, template, context)
}

/// Returns the action that is possible now, among those that share a path.
fn possible<'r>(resource: &'r Resource, action: &'r Action, one: &Value) -> &'r Action {
    let mut same = resource
        .actions
        .iter()
        .filter(|other| other.to == action.to);
    same.find(|other| (other.when)(one)).unwrap_or(action)
}

fn template(action: &Action) -> &'static str {
    match action.form {
        Asks::Question => "settings/question.html",
        _ => "settings/form.html",
    }
}

async fn context(
    page: &Page,
    resource: &Resource,
    action: &Action,
    ids: &[String],
    one: &Value,
    given: Option<&Value>,
) -> Result<Context, Error> {
    let part = part(action, ids, one)?;
    let from = [part, one];
    let fields = fields::fields(&page.environment, resource, action, one, given).await?;
    let consequences = action.consequences.iter().map(|text| fill(text, &from));
    let own = ids.first().filter(|_| resource.read.is_some());
    let own = own.map(|id| resource.path_of(id));
    Ok(context! {
        kind => resource.page_name(&action.path.replace('/', "-").replace(['{', '}'], "")),
        section_title => resource.title(),
        list => resource.path.as_str(),
        own => own.as_deref(),
        name => resource.name_of(one),
        title => fill(&action.title(resource.noun), &from),
        lead => fill(action.lead, &from),
        consequences => consequences.collect::<Vec<_>>(),
        submit => action.submit(resource.noun),
        style => match action.form { Asks::Question => "danger", _ => "primary" },
        to => details::path(&action.to, ids),
        back => own.as_deref().unwrap_or(&resource.path),
        fields => Serde(fields),
    })
}

/// The part of a resource that the second ID of a path names, such as a secret of a credential.
fn part<'v>(action: &Action, ids: &[String], one: &'v Value) -> Result<&'v Value, Error> {
    let (Some(name), Some(id)) = (action.operation.info.path_members.get(1), ids.get(1)) else {
        return Ok(&Value::Null);
    };
    let members = one.as_object().into_iter().flatten();
    let parts = members.filter_map(|(_, value)| value.as_array()).flatten();
    let mut parts = parts.filter(|part| part[*name] == id.as_str());
    parts.next().ok_or_else(|| {
        let name = name.trim_end_matches("_id");
        Error::new(ErrorKind::NotFound, format!("this {name} doesn’t exist"))
    })
}
