//! Lists that come in pages.

use std::{fmt, future::IntoFuture};

use stead_core::{Result, api::Paging, ports::BoxFuture, resource::Page};

use crate::Operation;
use crate::backend::{Backend, Pending};

/// A list. Await it to read one page; [`List::all`] reads everything.
///
/// ```
/// # async fn example(stead: stead::Stead) -> stead::Result<()> {
/// use stead::resource::AccountState;
///
/// let active = stead.accounts().state(AccountState::Active);
/// for account in active.clone().list().all().await? {
///     println!("{}", account.identifier);
/// }
///
/// // Page by page:
/// let page = active.clone().list().page_size(100).await?;
/// if let Some(token) = page.next_page_token {
///     let next = active.list().page_size(100).page_token(token).await?;
///     println!("{} more", next.items.len());
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a list is read when it is awaited"]
pub struct List<T> {
    read: Box<dyn Fn(Paging) -> Pending<'static, Page<T>> + Send + Sync>,
    paging: Paging,
}

impl<T: Send + 'static> List<T> {
    /// The list that an operation reads.
    pub(crate) fn of<O>(backend: Backend, operation: O) -> Self
    where
        O: Operation<Output = Page<T>> + Clone,
    {
        let mut operation = operation;
        let paging = operation.paging().cloned().unwrap_or_default();
        let read = move |paging| {
            let (backend, mut operation) = (backend.clone(), operation.clone());
            if let Some(page) = operation.paging() {
                *page = paging;
            }
            Box::pin(async move { backend.send(operation).await }) as Pending<'static, Page<T>>
        };
        Self {
            read: Box::new(read),
            paging,
        }
    }

    /// Maximum number of items per page: 1 to 100, 50 by default.
    pub fn page_size(mut self, size: u32) -> Self {
        self.paging.size = size.clamp(1, 100);
        self
    }

    /// Starts at the [`Page::next_page_token`] of the previous page.
    pub fn page_token(mut self, token: impl Into<String>) -> Self {
        self.paging.token = Some(token.into());
        self
    }

    /// Reads this page and all following ones.
    ///
    /// # Errors
    /// As for one page.
    pub async fn all(mut self) -> Result<Vec<T>> {
        let mut all = Vec::new();
        loop {
            let page = (self.read)(self.paging.clone()).await?;
            all.extend(page.items);
            if page.next_page_token.is_none() {
                return Ok(all);
            }
            self.paging.token = page.next_page_token;
        }
    }
}

impl<T: Send + 'static> IntoFuture for List<T> {
    type Output = Result<Page<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        (self.read)(self.paging)
    }
}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List")
            .field("paging", &self.paging)
            .finish_non_exhaustive()
    }
}
