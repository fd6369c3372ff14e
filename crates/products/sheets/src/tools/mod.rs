//! The tools, one per file.

stead_core::tools! {
    append_values::AppendValues,
    create_spreadsheet::CreateSpreadsheet,
    get_values::GetValues,
    read_spreadsheet::ReadSpreadsheet,
    update_values::UpdateValues,
}
