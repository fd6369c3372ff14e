//! The example of a page for the dashboard.

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use minijinja::context;
use stead_core::product::{Permissions, Product};

use super::{Language, Pages, lines, texts};

/// Remaining seconds of the example's link.
const LEFT: i64 = 600;
/// Prevents the page's form from being sent.
const FORMLESS: HeaderValue = HeaderValue::from_static("form-action 'none'");

impl Pages {
    /// An example of the page on which users connect. It shows what the connection asks for by default, and its form
    /// doesn't work.
    pub(crate) fn preview(&self, language: Language, product: &'static Product) -> Response {
        let scopes: Vec<String> = match product.oauth.permissions {
            Permissions::Scopes { always, default } => {
                let all = always.iter().chain(default);
                all.map(|scope| (*scope).to_owned()).collect()
            }
            _ => Vec::new(),
        };
        let abilities = product.abilities(language.tag()).iter();
        let abilities = abilities.map(|text| context! { text, is_scope => false });
        let scopes = lines(&product.describe_scopes(&scopes, language.tag()));
        let (unit, left) = texts::time_left(LEFT);
        let context = context! {
            product => product.title,
            permissions => abilities.chain(scopes).collect::<Vec<_>>(),
            note => product.permission_note(language.tag()),
            unverified => super::warns_about_unverified(product),
            unit,
            left,
        };
        let mut response = self.page(StatusCode::OK, "connect.html", language, context);
        // A browser applies this in addition to the policy of every page.
        response
            .headers_mut()
            .append(header::CONTENT_SECURITY_POLICY, FORMLESS);
        response
    }
}
