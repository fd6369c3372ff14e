//! The tools, one per file.

stead_core::tools! {
    create_draft::CreateDraft,
    fetch_mails::FetchMails,
    get_attachment_by_id::GetAttachmentById,
    get_contacts::GetContacts,
    get_message_by_id::GetMessageById,
    get_thread_by_id::GetThreadById,
    list_drafts::ListDrafts,
    list_threads::ListThreads,
    modify_message_labels::ModifyMessageLabels,
    reply_to_message::ReplyToMessage,
    search_people::SearchPeople,
    send_message::SendMessage,
}
