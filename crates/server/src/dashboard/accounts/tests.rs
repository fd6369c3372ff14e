//! The pages of accounts.
