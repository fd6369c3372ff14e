//! Products redirect browsers only to registered redirect URIs, which start with the public URL. The store keeps the
//! public URL that they were registered with. If the URL changes, Stead lists the redirect URIs that you need to
//! register again.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::KnownPublicUrl,
};

/// The public URL has changed since redirect URIs were handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedPublicUrl {
    /// The previous public URL.
    pub former: String,
    /// Redirect URIs to register, each with the name of its connection or the host of the sign-in provider.
    pub redirect_uris: Vec<(String, String)>,
}

/// Redirect URIs to register again if the public URL has changed. Changes nothing in the store.
pub(crate) async fn moved(context: &Context) -> Result<Option<MovedPublicUrl>> {
    let known = context.store.known_public_url().await?;
    let Some(known) = known.filter(|known| known.row.url != context.site.at("")) else {
        return Ok(None);
    };
    let mut redirect_uris = Vec::new();
    for row in context.all_connections().await? {
        redirect_uris.push((row.name.to_string(), context.site.redirect_uri(row.id)));
    }
    if let Some(provider) = &context.issuers.sign_in {
        let callback = context.site.at(crate::oauth::sign_in::CALLBACK);
        redirect_uris.push((provider.options.host().to_owned(), callback));
    }
    Ok((!redirect_uris.is_empty()).then_some(MovedPublicUrl {
        former: known.row.url,
        redirect_uris,
    }))
}

/// Stores the public URL. If redirect URIs were handed out with a different one, stores nothing and returns the change.
pub(crate) async fn note(context: &Context) -> Result<Option<MovedPublicUrl>> {
    match moved(context).await? {
        Some(moved) => Ok(Some(moved)),
        None => keep(context).await.map(|()| None),
    }
}

/// Stores the public URL as the one that redirect URIs are registered with.
pub(crate) async fn keep(context: &Context) -> Result<()> {
    context
        .change(
            "public_url.keep",
            || context.store.known_public_url(),
            |found| {
                let url = context.site.at("");
                Ok(match found {
                    None => (Change::none().insert(KnownPublicUrl::new(url)), ()),
                    Some(found) if found.row.url == url => (Change::none(), ()),
                    Some(found) => {
                        let row = KnownPublicUrl { url, ..found.row };
                        (Change::none().update(row, found.version), ())
                    }
                })
            },
        )
        .await
}
