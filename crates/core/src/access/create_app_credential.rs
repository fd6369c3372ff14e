//! Makes a client id and a secret.

use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    digest::Digest,
    domain::AppCredential,
};

/// A client id with its secret, which is shown once.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewAppCredential {
    /// Client id.
    pub client_id: String,
    /// Client secret; only its digest is kept.
    pub client_secret: SecretString,
}

/// Makes a client id and secret for the application.
pub(crate) async fn create_app_credential(
    context: &Context,
    name: &str,
) -> Result<NewAppCredential> {
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Error::invalid_at(
            "/name",
            "a name has 1 to 100 characters and no control characters",
        ));
    }
    let client_id = format!("app_{}", context.new_id().as_simple());
    let client_secret = context.new_secret("stead_secret_");
    let row = AppCredential {
        client_id: client_id.clone(),
        name: name.to_owned(),
        secret: Digest::of(client_secret.expose_secret()),
        created_at: context.now(),
    };
    let exists = Error::new(ErrorKind::AlreadyExists, "this client id exists");
    context
        .add("credential.create", Change::none().insert(row), exists)
        .await?;
    Ok(NewAppCredential {
        client_id,
        client_secret,
    })
}
