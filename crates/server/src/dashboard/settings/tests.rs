//! The settings, as members use them in a browser.
