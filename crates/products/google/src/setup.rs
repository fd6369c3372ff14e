//! The set-up at Google, which is the same for all of its products but for the API that is enabled.

/// The set-up for people, in Markdown, as a literal; `$apis` are the names of the APIs to enable.
#[macro_export]
macro_rules! setup {
    ($apis:literal) => {
        concat!(
            "
# Set-up

At Google, once, in the [Google Cloud console](https://console.cloud.google.com/):

1. Create a project, or choose one. Give Stead its own project: a revocation at Google ends a user's grants for every
   client of the same project.
2. *APIs & Services, Library*: enable the ",
            $apis,
            ".
3. *Google Auth Platform, Branding*: name of the application, support address, your domain.
4. *Audience*: **Internal** if all users belong to your Google Workspace organization; then nothing below about test
   users applies. Otherwise **External**.
5. *Data access*: add the scopes that are listed above.
6. *Clients*: create an OAuth client of the type **Web application**, and list the redirect URI that Stead shows for the
   connection under *Authorized redirect URIs*, letter by letter.
7. Enter the client id and the client secret into the connection in Stead.

**The trap of seven days.** An *External* application whose publishing status is *Testing* can be authorized only by
listed test users (*Audience, Test users*, at most 100), and every refresh token dies after seven days: accounts then
need a new authorization each week. Set the status to *In production* to end that; until Google has verified the
application, its users see a warning page and there can be 100 of them in all.
"
        )
    };
}
