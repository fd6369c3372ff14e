//! The role of each route.

use super::*;

#[test]
fn every_dashboard_route_has_a_role_and_every_action_an_equal_operation() {
    let interface: Vec<String> = table()
        .into_iter()
        .filter(|(access, _)| access.takes_token())
        .flat_map(|(_, routes)| routes)
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    let pages = routes();
    for page in &pages {
        let name = format!("{} {}", page.route.method, page.route.path);
        match &page.equal {
            None => {
                let at_sandbox = page.sandbox.is_some_and(|equal| {
                    page.role > Role::Viewer
                        && page.route.path.starts_with("/dashboard/sandbox/")
                        && equal.starts_with("POST /sandbox/")
                });
                assert!(
                    page.route.method == "GET" || OWN.contains(&page.route.path) || at_sandbox,
                    "{name}"
                );
            }
            Some(equal) => {
                assert!(page.role > Role::Viewer, "{name}: a viewer only reads");
                assert!(interface.iter().any(|one| one == equal), "{name}: {equal}");
            }
        }
    }
    let below = table().into_iter().flat_map(|(access, routes)| {
        let routes = routes
            .into_iter()
            .filter(|route| route.path.starts_with("/dashboard"));
        routes.map(move |route| (access, route.path))
    });
    let (inside, outside): (Vec<_>, Vec<_>) =
        below.partition(|(access, _)| *access == Access::Dashboard(Door::Members));
    assert_eq!(inside.len(), pages.len());
    let sign_in = [
        "/dashboard/sign-in",
        "/dashboard/sign-in/provider",
        "/dashboard/sign-in/callback",
        "/dashboard/sign-in/code",
        "/dashboard/setup",
        "/dashboard/invitation",
    ];
    for (access, path) in outside {
        match access {
            Access::Dashboard(_) => assert!(sign_in.contains(&path), "{path}"),
            _ => assert_eq!((access, path), (Access::Anyone, "/dashboard/assets/{name}")),
        }
    }
}
