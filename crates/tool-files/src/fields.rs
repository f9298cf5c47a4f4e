//! The fields of a tool, by their names in the YAML form.

/// Every field that a tool file may have.
pub(crate) const FIELDS: &[&str] = &[
    "tool_id",
    "tool_type",
    "version",
    "description",
    "executor_id",
    "category",
    "requires",
    "parameters",
    "outputs",
    "actions",
    "tags",
    "config",
    "config_schema",
    "env_config",
    "input_schema",
    "output_schema",
    "timeout",
    "retry_policy",
    "cost",
    "documentation",
    "metadata",
    // Fields that files of Rye have and that have no meaning here.
    "name",
    "title",
    "author",
    "created_at",
    "anchor",
    "verify_deps",
];

/// The field of a program's variable: `__version__`, `CONFIG_SCHEMA`.
///
/// `None` if the variable is not a field; [`nearly`] finds a misspelt dunder.
pub(crate) fn of_variable(variable: &str) -> Option<&'static str> {
    let name = match variable {
        "CONFIG_SCHEMA" => "config_schema",
        "INPUT_SCHEMA" => "input_schema",
        "OUTPUT_SCHEMA" => "output_schema",
        "ENV_CONFIG" => "env_config",
        _ => match dunder(variable)? {
            "tool_description" | "description" => "description",
            "name" | "title" | "author" | "anchor" => return None,
            other => other,
        },
    };
    FIELDS.iter().copied().find(|field| *field == name)
}

/// The field that a misspelt dunder means, as in `__verison__`.
pub(crate) fn nearly(variable: &str) -> Option<&'static str> {
    // Dunders of Python itself and of other tools.
    const OTHERS: &[&str] = &[
        "all",
        "author",
        "doc",
        "name",
        "file",
        "copyright",
        "license",
        "email",
        "date",
        "title",
        "credits",
        "maintainer",
        "status",
        "slots",
        "path",
        "package",
        "spec",
        "loader",
        "dict",
        "init",
        "annotations",
    ];
    let name = dunder(variable)?;
    if OTHERS.contains(&name) || of_variable(variable).is_some() {
        return None;
    }
    toolglot_toolset::nearest(name, FIELDS.iter().copied().chain(["tool_description"]))
}

fn dunder(variable: &str) -> Option<&str> {
    variable
        .strip_prefix("__")?
        .strip_suffix("__")
        .filter(|name| !name.is_empty())
}

/// The variable for a field in a program.
pub(crate) fn variable(field: &str) -> String {
    match field {
        "description" => "__tool_description__".to_owned(),
        "config_schema" => "CONFIG_SCHEMA".to_owned(),
        other => format!("__{other}__"),
    }
}
