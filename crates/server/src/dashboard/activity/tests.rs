//! The pages of what happens.
