//! The products that are compiled in: one line per feature.

#[cfg(feature = "platform")]
use stead_core::catalogue::Catalogue;
use stead_core::product::Product;

/// Every product whose feature is enabled.
pub static PRODUCTS: &[&Product] = &[
    #[cfg(feature = "workspace")]
    &stead_workspace::PRODUCT,
    #[cfg(feature = "mail")]
    &stead_mail::PRODUCT,
    #[cfg(feature = "warehouse")]
    &stead_warehouse::PRODUCT,
    #[cfg(feature = "calendar")]
    &stead_calendar::PRODUCT,
    #[cfg(feature = "sheets")]
    &stead_sheets::PRODUCT,
    #[cfg(feature = "drive")]
    &stead_drive::PRODUCT,
];

/// The names of the other products, which are also the names of their features.
#[cfg(feature = "platform")]
static ABSENT: &[&str] = &[
    #[cfg(not(feature = "calendar"))]
    "calendar",
    #[cfg(not(feature = "drive"))]
    "drive",
    #[cfg(not(feature = "mail"))]
    "mail",
    #[cfg(not(feature = "sheets"))]
    "sheets",
    #[cfg(not(feature = "warehouse"))]
    "warehouse",
    #[cfg(not(feature = "workspace"))]
    "workspace",
];

/// The tools of every product whose feature is enabled.
#[cfg(feature = "platform")]
pub fn catalogue() -> Catalogue {
    Catalogue::new(PRODUCTS.iter().copied()).without(ABSENT)
}

/// Options that send all requests of a product to a gateway at `url`. The path's first segment names the real host:
/// `https://gmail.googleapis.com/gmail/v1` becomes `{url}/gmail.googleapis.com/gmail/v1`.
#[cfg(feature = "platform")]
pub fn behind(product: &Product, url: &str) -> stead_core::environment::ProductOptions {
    let moved = |address: &str| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        format!("{}/{rest}", url.trim_end_matches('/'))
    };
    let mut options = stead_core::environment::ProductOptions::default();
    for origin in product.origins {
        options
            .origins
            .insert(origin.name.to_owned(), moved(origin.url));
    }
    options.authorize_url = Some(moved(product.oauth.authorize));
    options.token_url = Some(moved(product.oauth.token));
    options.revoke_url = product.oauth.revoke.map(moved);
    options
}

#[cfg(all(test, feature = "platform"))]
mod tests {
    use super::*;

    #[cfg(not(feature = "calendar"))]
    #[test]
    fn a_product_without_its_feature_names_the_feature() {
        let said = catalogue().no_product("calendar");
        assert!(said.contains("enable the feature `calendar`"), "{said}");
        let said = catalogue().no_product("weather");
        assert!(!said.contains("feature"), "{said}");
    }

    #[test]
    fn every_address_of_a_product_goes_behind_the_gateway() {
        for product in PRODUCTS {
            let options = behind(product, "http://127.0.0.1:1/");
            assert_eq!(options.origins.len(), product.origins.len());
            let addresses = options
                .origins
                .values()
                .chain(&options.authorize_url)
                .chain(&options.token_url)
                .chain(&options.revoke_url);
            for address in addresses {
                let host = address.strip_prefix("http://127.0.0.1:1/").unwrap();
                let named = host.contains('.') || host.starts_with("{host}");
                assert!(named && !host.contains(':'), "{address}");
            }
        }
    }

    #[test]
    fn path_words_include_every_word_of_the_declared_paths() {
        for product in PRODUCTS {
            let words: Vec<&str> = product.proxy.path_words.split(' ').collect();
            let routes = product.proxy.routes.iter().map(|route| route.rewrite);
            let paths = routes.chain(product.proxy.reading_posts.iter().copied());
            let named = paths.flat_map(|path| path.split(['/', ':']));
            for word in named.filter(|word| !word.is_empty() && *word != "*") {
                assert!(words.contains(&word), "{}: {word}", product.name);
            }
        }
    }
}
