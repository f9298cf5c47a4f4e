//! The name of a server, by the id of the file that defines it.

/// The directory of servers, in ids.
pub const SERVERS: &str = "mcp/servers";

/// The name of a server by the id of its file: the last part.
pub fn server_name(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// The name of a server in approvals: its name, or the id of a file outside the directory of servers.
pub fn approved_as(id: &str) -> &str {
    let name = id
        .strip_prefix(SERVERS)
        .and_then(|rest| rest.strip_prefix('/'));
    name.filter(|name| !name.contains('/')).unwrap_or(id)
}
