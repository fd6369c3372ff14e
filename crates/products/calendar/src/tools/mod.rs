//! The tools, one per file.

stead_core::tools! {
    create_event::CreateEvent,
    delete_event::DeleteEvent,
    get_event_by_id::GetEventById,
    list_calendars::ListCalendars,
    list_events::ListEvents,
    respond_to_event::RespondToEvent,
    update_event::UpdateEvent,
}
