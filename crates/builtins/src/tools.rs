//! The names of the builtin tools.

/// The builtin tools.
pub const TOOLS: &[&str] = &[
    "read_file",
    "write_file",
    "append_file",
    "list_files",
    "search_files",
    "create_directory",
    "edit_file",
    "delete_file",
    "move_file",
    "git_status",
    "git_commit",
    "workspace_summary",
    "http_request",
    "execute_command",
];
