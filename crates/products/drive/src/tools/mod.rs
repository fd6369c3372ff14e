//! The tools, one per file.

mod get_file_metadata;
mod search_content;
mod search_files;

mod list;
mod order;

pub use get_file_metadata::GetFileMetadata;
pub use search_content::SearchContent;
pub use search_files::SearchFiles;
