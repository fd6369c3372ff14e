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
    /// The one-time link that creates the first owner. `None` if there is a member already, or if passwords aren't
    /// allowed. It works for 15 minutes, only in this process, and until the next one is made.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn begin_setup(&self) -> Result<Option<SecretString>> {
        members::begin_setup(&self.0).await
    }

    /// Whether this is the token of a valid link for the first owner.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn is_setup(&self, token: &str) -> Result<bool> {
        members::is_setup(&self.0, token).await
    }

    /// Creates the first owner with the token of the link, and starts a session.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that isn't valid, [`ErrorKind::InvalidRequest`].
    pub async fn set_up(
        &self,
        token: &str,
        email: &str,
        name: &str,
        password: SecretString,
    ) -> Result<StartedSession> {
        members::set_up(&self.0, token, (email, name), password).await
    }

    /// The member to whom an invitation or a password reset was sent, by the token of its link.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that isn't valid.
    pub async fn invited_member(&self, token: &str) -> Result<Member> {
        members::of_link(&self.0, token).await
    }

    /// Sets the password of a member who has such a link, which uses up the link, and starts a session. A name replaces
    /// the member's current one.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a link that isn't valid, [`ErrorKind::InvalidRequest`].
    pub async fn accept_invitation(
        &self,
        token: &str,
        name: Option<String>,
        password: SecretString,
    ) -> Result<StartedSession> {
        members::accept(&self.0, token, name, password).await
    }

    /// Signs a member in. Attempts are limited: within 15 minutes, 10 for one account from one source, and 30 from one
    /// source. After 10 attempts for one account from anywhere, there is a growing pause between two of them, a minute
    /// at most. A [known browser](Self::known_browser) has 10 attempts of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`], [`ErrorKind::Overloaded`]. An unknown address and a
    /// wrong password give the same error after the same time.
    pub async fn sign_in(&self, given: SignIn) -> Result<StartedSession> {
        sessions::sign_in(&self.0, given).await
    }

    /// Accepts the one-time code that a session waits for. The signed-in session has a different ID.
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

    /// A token for the browser of a session to keep, for [`SignIn::device`]. It marks the browser as known when its
    /// member signs in again, for 180 days. It grants no access.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn known_browser(&self, session_id: &str) -> Result<SecretString> {
        sessions::device_of(&self.0, session_id).await
    }

    /// The member who is signed in with a session. A session ends after 30 minutes without a use, and after 12 hours in
    /// any case.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn signed_in(&self, session_id: &str) -> Result<SignedInMember> {
        sessions::authenticate(&self.0, session_id).await
    }

    /// Checks that a session hasn't ended. Unlike [`signed_in`](Self::signed_in), this doesn't count as a use.
    /// Long-lived responses use it, so that they don't keep the session open.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`] if it has ended.
    pub async fn check_session(&self, session_id: &str) -> Result<()> {
        sessions::check(&self.0, session_id).await
    }

    /// Ends a session immediately, in every process.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn sign_out(&self, session_id: &str) -> Result<()> {
        sessions::sign_out(&self.0, session_id).await
    }

    /// Confirms who the member is, with the password and, if there's a second factor, a one-time code. For the next ten
    /// minutes, Stead doesn't ask again before it grants rights or does something that can't be undone. Each session
    /// has 10 attempts in 15 minutes.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn step_up(&self, session_id: &str, given: StepUp) -> Result<()> {
        sessions::step_up(&self.0, session_id, given).await
    }

    /// The display name of the provider at which members sign in, if there is one.
    pub fn sign_in_provider(&self) -> Option<&str> {
        let provider = self.0.issuers.sign_in.as_ref();
        provider.map(|provider| provider.options.name.as_str())
    }

    /// Whether members can sign in with a password. [`SignInProvider::only`](super::SignInProvider::only) turns that
    /// off.
    pub fn takes_passwords(&self) -> bool {
        self.0.takes_passwords()
    }

    /// Sends a browser to the sign-in provider, which sends it back to `/dashboard/sign-in/callback` of the public URL.
    /// With a session's ID, its member signs in there again. That replaces the password before something that can't be
    /// undone. `next` is kept for [`FinishedAtProvider::next`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is no provider, [`ErrorKind::SignInProviderFailed`],
    /// [`ErrorKind::Unauthenticated`] for a session that has ended.
    pub async fn begin_at_provider(
        &self,
        next: &str,
        session_id: Option<&str>,
    ) -> Result<StartedAtProvider> {
        sessions::begin_at_provider(&self.0, next, session_id).await
    }

    /// Handles a browser's return from the provider. Starts a session for the member with the email address that the
    /// provider names, and creates the member if needed. If a member signed in again, records that in the session.
    /// Attempts are limited to 30 in 15 minutes from one source.
    ///
    /// # Errors
    /// [`ErrorKind::SignInFailed`] if the member must start over, [`ErrorKind::SignInRefused`] for someone who isn't
    /// allowed to sign in, [`ErrorKind::SignInProviderFailed`], [`ErrorKind::RateLimited`],
    /// [`ErrorKind::Unauthenticated`] for a session that has ended.
    pub async fn finish_at_provider(
        &self,
        given: ReturnFromProvider,
    ) -> Result<FinishedAtProvider> {
        sessions::finish_at_provider(&self.0, given).await
    }

    /// Starts a session of the owner "You" without any credentials, and creates that owner if necessary. Use it only in
    /// a development environment, for requests that certainly come from this machine.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn sign_in_on_this_machine(&self) -> Result<StartedSession> {
        sessions::open_on_this_machine(&self.0).await
    }

    /// Changes the password of a session's member. All of the member's sessions end. The session in the response
    /// replaces them.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the present password is wrong, or the new one has less than 12 characters.
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn set_password(
        &self,
        session_id: &str,
        present: SecretString,
        new: SecretString,
    ) -> Result<StartedSession> {
        members::set_password(&self.0, session_id, present, new).await
    }

    /// Creates the secret of a second factor for a session's member, who must have entered the password shortly before.
    /// It takes effect when [`confirm_second_factor`](Self::confirm_second_factor) accepts a code.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`]; [`ErrorKind::InvalidTransition`] if there is a second factor already.
    pub async fn enrol_second_factor(&self, session_id: &str) -> Result<NewSecondFactor> {
        members::enrol(&self.0, session_id).await
    }

    /// Confirms the newest secret with a code. From now on, each sign-in requires a code.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a wrong code, [`ErrorKind::Unauthenticated`], [`ErrorKind::RateLimited`].
    pub async fn confirm_second_factor(&self, session_id: &str, code: &str) -> Result<()> {
        members::confirm(&self.0, session_id, code).await
    }

    /// Removes the second factor of a session's member, who must have entered the password shortly before.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn remove_second_factor(&self, session_id: &str) -> Result<()> {
        members::remove(&self.0, session_id).await
    }
}
