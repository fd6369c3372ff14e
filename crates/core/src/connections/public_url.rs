//! Products send browsers back only to redirect URIs that are registered there, and these begin with the public URL. So the store
//! keeps the URL under which they were handed out, and whoever starts Stead under another one is told what to register.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::KnownPublicUrl,
};

/// The public URL is another one than that under which redirect URIs were handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedPublicUrl {
    /// The one before.
    pub former: String,
    /// What to register: what it is for, and the redirect URI.
    pub redirect_uris: Vec<(String, String)>,
}

/// What has to be registered again, if the public URL is another one. Changes nothing.
pub(crate) async fn moved(context: &Context) -> Result<Option<MovedPublicUrl>> {
    let known = context.store.known_public_url().await?;
    let Some(known) = known.filter(|known| known.row.url != context.at("")) else {
        return Ok(None);
    };
    let mut redirect_uris = Vec::new();
    for row in context.all_connections().await? {
        redirect_uris.push((row.name.to_string(), context.redirect_uri(row.id)));
    }
    if let Some(provider) = &context.sign_in_provider {
        let callback = context.at(crate::oauth::sign_in::CALLBACK);
        redirect_uris.push((provider.options.host().to_owned(), callback));
    }
    Ok((!redirect_uris.is_empty()).then_some(MovedPublicUrl {
        former: known.row.url,
        redirect_uris,
    }))
}

/// Keeps the public URL, unless another one is known under which redirect URIs were handed out: that one is returned.
pub(crate) async fn note(context: &Context) -> Result<Option<MovedPublicUrl>> {
    match moved(context).await? {
        Some(moved) => Ok(Some(moved)),
        None => keep(context).await.map(|()| None),
    }
}

/// Keeps the public URL: from now on it is the one that is registered.
pub(crate) async fn keep(context: &Context) -> Result<()> {
    context
        .change(
            "public_url.keep",
            || context.store.known_public_url(),
            |found| {
                let url = context.at("");
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
