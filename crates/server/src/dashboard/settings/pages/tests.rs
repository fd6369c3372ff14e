//! Checks every declaration: all names in it exist, and its pages need the declared scope.

use http::StatusCode;
use serde_json::Value;
use stead_core::resource::Role;

use super::{Resource, action::Form, member::Member, routes};
use crate::{
    dashboard::{
        session::browse_as,
        settings::resources::all,
        tests::{parameters, with_markup},
    },
    testing::TestService,
};

fn has(schema: &Value, name: &str) -> bool {
    schema["properties"].get(name).is_some()
}

/// The members that a text names in braces.
fn named(text: &'static str) -> impl Iterator<Item = &'static str> {
    let braces = text.split('{').skip(1);
    braces.flat_map(|rest| rest.split('}').next().unwrap().split('|'))
}

#[test]
fn members_named_by_a_declaration_are_in_the_schemas() {
    for resource in all() {
        let what = resource.noun;
        let schema = resource.schema();
        let columns = resource.columns.iter().chain(&resource.details);
        for Member { name, note, .. } in columns {
            assert!(has(&schema, name), "{what}: {name}");
            assert!(
                note.is_none_or(|(_, name)| has(&schema, name)),
                "{what}: {name}"
            );
        }
        for name in named(resource.name).chain(named(resource.subtitle)) {
            assert!(has(&schema, name), "{what}: {name}");
        }
        let bodies = |input: &str| {
            let mut bodies = resource.actions.iter().map(|one| (one.operation.body)());
            bodies.any(|body| has(&body, input))
        };
        assert!(
            resource.inputs.iter().all(|input| bodies(input.name)),
            "{what}"
        );
        if let Some(secret) = &resource.secret {
            let outputs = resource.actions.iter().map(|one| (one.operation.output)());
            let outputs: Vec<_> = outputs.filter(|one| has(one, secret.member)).collect();
            assert!(!outputs.is_empty(), "{what}: {}", secret.member);
            for output in outputs {
                let mut also = secret.also.iter();
                assert!(also.all(|member| has(&output, member.name)), "{what}");
            }
        }
        for action in &resource.actions {
            let body = (action.operation.body)();
            let sends = action.sends.as_object().into_iter().flatten();
            let own = action.inputs.iter().map(|input| input.name);
            for name in sends.map(|(name, _)| name.as_str()).chain(own) {
                assert!(has(&body, name), "{}: {name}", action.to);
            }
            assert_eq!(
                action.form == Form::Question,
                !action.consequences.is_empty(),
                "{}",
                action.to
            );
        }
    }
}

/// One item of a resource: created from the example of its schema, or otherwise the one that the tests have.
async fn one_of(service: &TestService, resource: &Resource) -> Value {
    let environment = service.platform.environment();
    if let Some(create) = resource.creation() {
        let example = (create.operation.body)()["examples"][0].take();
        let created = create
            .operation
            .run(environment, &[], "", Some(example))
            .await;
        return created.unwrap();
    }
    let listed = resource.list.run(environment, &[], "", None).await.unwrap();
    resource.items(&listed).remove(0)
}

#[tokio::test(start_paused = true)]
async fn every_page_is_shown_only_to_roles_with_its_scope() {
    let service = with_markup().await;
    parameters(&service).await;
    for resource in all() {
        let one = one_of(&service, resource).await;
        let id = resource.id(&one);
        for route in routes(resource) {
            let is_of_part = route.route.path.matches('{').count() > 1;
            if route.route.method != "GET" || is_of_part {
                continue;
            }
            let path = super::details::path(route.route.path, std::slice::from_ref(&id));
            let page = browse_as(&service, route.role, &path).await;
            assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.text());
            if route.route.path == resource.path || route.route.path == resource.own {
                page.assert_contains(&resource.name_of(&one).replace('/', "&#x2f;"));
            }
            if let Some(lesser) = Role::ALL.into_iter().rfind(|one| *one < route.role) {
                let refused = browse_as(&service, lesser, &path).await;
                assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
            }
        }
    }
}
