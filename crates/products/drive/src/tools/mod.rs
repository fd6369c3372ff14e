//! The tools, one per file.

stead_core::tools! {
    get_file_metadata::GetFileMetadata,
    search_content::SearchContent,
    search_files::SearchFiles,
    upload_file::UploadFile,
}
