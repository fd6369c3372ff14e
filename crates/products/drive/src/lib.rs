//! The drive product of Stead: three tools over Google Drive.
