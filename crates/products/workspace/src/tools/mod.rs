//! The tools, one per file.

stead_core::tools! {
    append_blocks::AppendBlocks,
    create_comment::CreateComment,
    create_database::CreateDatabase,
    create_page::CreatePage,
    fetch_database::FetchDatabase,
    get_comment::GetComment,
    insert_database_row::InsertDatabaseRow,
    list_comments::ListComments,
    query_data_source::QueryDataSource,
    query_database::QueryDatabase,
    query_database_properties::QueryDatabaseProperties,
    search::Search,
}

pub use append_blocks::{AppendedBlocks, BlockPosition};
pub use create_comment::Comment;
pub use query_data_source::EntryType;
