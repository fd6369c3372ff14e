//! Members of the dashboard, and their sessions.

use secrecy::SecretString;

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    access::{
        FinishedAtProvider, ReturnFromProvider, SignIn, SignedInMember, StartedSession, StepUp,
        members, sessions,
    },
    oauth::StartedAtProvider,
    resource::{Member, NewSecondFactor},
};

impl Environment {
    /// The one-time link that makes the first owner; nothing where there is a member already, or no password is taken. It serves for 15 minutes, in
    /// this process, and until the next one is made.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn begin_setup(&self) -> Result<Option<SecretString>> {
        members::begin_setup(&self.0).await
    }

    /// Whether what a link for the first owner says is good.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn is_setup(&self, token: &str) -> Result<bool> {
        members::is_setup(&self.0, token).await
    }

    /// Makes the first owner by what the link says, and begins a session.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that does not serve, [`ErrorKind::InvalidRequest`].
    pub async fn set_up(
        &self,
        token: &str,
        email: &str,
        name: &str,
        password: SecretString,
    ) -> Result<StartedSession> {
        members::set_up(&self.0, token, (email, name), password).await
    }

    /// Whose the link of an invitation or a reset is, by what it says.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that does not serve.
    pub async fn invited_member(&self, token: &str) -> Result<Member> {
        members::of_link(&self.0, token).await
    }

    /// Sets the password of a member who has such a link, which uses it up, and begins a session. With a name, the member
    /// has that one from now on.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that does not serve, [`ErrorKind::InvalidRequest`].
    pub async fn accept_invitation(
        &self,
        token: &str,
        name: Option<String>,
        password: SecretString,
    ) -> Result<StartedSession> {
        members::accept(&self.0, token, name, password).await
    }

    /// Signs a member in. Attempts are limited: within 15 minutes 10 for one account from one source, and 30 from one source. After 10
    /// for one account from anywhere there is a growing pause between two of them, at most a minute. A browser that is
    /// [known](Self::known_browser) has 10 of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], the same and after the same time for an unknown address and a wrong password;
    /// [`ErrorKind::RateLimited`]; [`ErrorKind::Overloaded`].
    pub async fn sign_in(&self, given: SignIn) -> Result<StartedSession> {
        sessions::sign_in(&self.0, given).await
    }

    /// Takes the one-time code of a session that awaits it. The session that opens has another id.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn confirm_sign_in(
        &self,
        session_id: &str,
        code: &str,
        source: &str,
        device: Option<SecretString>,
    ) -> Result<StartedSession> {
        sessions::confirm(&self.0, session_id, code, source, device).await
    }

    /// What the browser of a session keeps, for [`SignIn::device`]: by it the browser is known when its member signs in again,
    /// for 180 days. It opens nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn known_browser(&self, session_id: &str) -> Result<SecretString> {
        sessions::device_of(&self.0, session_id).await
    }

    /// Who is signed in with a session. It ends after 30 minutes without a use, and after 12 hours in any case.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn signed_in(&self, session_id: &str) -> Result<SignedInMember> {
        sessions::authenticate(&self.0, session_id).await
    }

    /// Whether a session has not ended. Unlike [`signed_in`](Self::signed_in) it does not count as a use: what is open for
    /// long asks this, and does not keep the session.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`] where it has ended.
    pub async fn check_session(&self, session_id: &str) -> Result<()> {
        sessions::check(&self.0, session_id).await
    }

    /// Ends a session at once, in every process.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn sign_out(&self, session_id: &str) -> Result<()> {
        sessions::sign_out(&self.0, session_id).await
    }

    /// Takes the password again, and a one-time code of a member with a second factor: for ten minutes neither is asked for before
    /// what gives somebody rights or cannot be undone. 10 attempts in 15 minutes count for each session.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn step_up(&self, session_id: &str, given: StepUp) -> Result<()> {
        sessions::step_up(&self.0, session_id, given).await
    }

    /// The name for people of the provider by which members sign in, where there is one.
    pub fn sign_in_provider(&self) -> Option<&str> {
        let provider = self.0.sign_in_provider.as_ref();
        provider.map(|provider| provider.options.name.as_str())
    }

    /// Whether members may sign in with a password; [`SignInProvider::only`](super::SignInProvider::only) refuses it.
    pub fn takes_passwords(&self) -> bool {
        self.0.takes_passwords()
    }

    /// Sends a browser to the provider by which members sign in, from where it comes back to
    /// `/dashboard/sign-in/callback` of the public URL. With the id of a session, its member signs in there once more, in
    /// place of the password before what cannot be undone. `next` is kept for [`FinishedAtProvider::next`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there is no provider, [`ErrorKind::SignInProviderFailed`],
    /// [`ErrorKind::Unauthenticated`] for a session that has ended.
    pub async fn begin_at_provider(
        &self,
        next: &str,
        session_id: Option<&str>,
    ) -> Result<StartedAtProvider> {
        sessions::begin_at_provider(&self.0, next, session_id).await
    }

    /// Takes a browser's return from the provider: opens a session of the member with the e-mail address that the provider
    /// names, who is made where there is none; or notes that the member of a session has signed in once more. Attempts are
    /// limited: 30 in 15 minutes from one source.
    ///
    /// # Errors
    /// [`ErrorKind::SignInFailed`] where it has to begin again, [`ErrorKind::SignInRefused`] for someone who is not let in,
    /// [`ErrorKind::SignInProviderFailed`], [`ErrorKind::RateLimited`], [`ErrorKind::Unauthenticated`] for a session that
    /// has ended.
    pub async fn finish_at_provider(
        &self,
        given: ReturnFromProvider,
    ) -> Result<FinishedAtProvider> {
        sessions::finish_at_provider(&self.0, given).await
    }

    /// Opens a session of the owner "You", who is created where it does not exist, without any proof. Only for requests
    /// that certainly come from this machine, of an environment that is there for development.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn sign_in_on_this_machine(&self) -> Result<StartedSession> {
        sessions::open_on_this_machine(&self.0).await
    }

    /// Sets another password for the member of a session. All of the member's sessions end; the one in the response takes
    /// their place.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a wrong present password and for a new one with less than 12 characters;
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn set_password(
        &self,
        session_id: &str,
        present: SecretString,
        new: SecretString,
    ) -> Result<StartedSession> {
        members::set_password(&self.0, session_id, present, new).await
    }

    /// Makes the secret of a second factor for the member of a session, who has given the password a short time ago. It
    /// counts once [`confirm_second_factor`](Self::confirm_second_factor) has taken a code.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`]; [`ErrorKind::InvalidTransition`] where there is a second factor.
    pub async fn enrol_second_factor(&self, session_id: &str) -> Result<NewSecondFactor> {
        members::enrol(&self.0, session_id).await
    }

    /// Takes a code of the secret that was made last: from now on one is asked for at sign-in.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a wrong code, [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn confirm_second_factor(&self, session_id: &str, code: &str) -> Result<()> {
        members::confirm(&self.0, session_id, code).await
    }

    /// Takes the second factor away from the member of a session, who has given the password a short time ago.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn remove_second_factor(&self, session_id: &str) -> Result<()> {
        members::remove(&self.0, session_id).await
    }
}
