//! The table of all rules for tool files.
//!
//! `R01` to `R11` are the validation rules of the tool format in its order, `B01` to `B19` its best practices. `F..`
//! are faults that make a file unreadable, or that hide a part of what its author meant.
//! A breach by an example in the format's own document is a warning; the rule's `says` names the example.

use crate::Severity;

/// A rule about tool files.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// A stable code.
    pub code: &'static str,
    /// A stable name.
    pub name: &'static str,
    /// How bad a breach is, unless an example of the format commits it.
    pub severity: Severity,
    /// The requirement.
    pub says: &'static str,
}

macro_rules! rules {
    ($($ident:ident = $code:literal $name:literal $severity:ident $says:literal;)*) => {
        $(pub(crate) const $ident: &Rule = &Rule {
            code: $code,
            name: $name,
            severity: Severity::$severity,
            says: $says,
        };)*
        /// Every rule, in the order of the codes.
        pub const RULES: &[&Rule] = &[$($ident),*];
    };
}

rules! {
    SYNTAX = "F01" "syntax" Error "the file can be read as what its extension says";
    COMPUTED = "F02" "computed-value" Error "metadata and schemas are literals: a tool file is read without running it";
    FIELD_TYPE = "F03" "field-type" Error "a field has the type that the format gives it";
    UNKNOWN_FIELD = "F04" "unknown-field" Warning "a field is one that the format has, and a key of `config` one that its executor reads";
    UNKNOWN_TYPE = "F05" "unknown-tool-type" Warning "`tool_type` is one of the format's table (its own TypeScript example says `javascript`)";
    BAD_SCHEMA = "F06" "schema" Error "the schema of the parameters can be compiled";
    TWO_SCHEMAS = "F07" "two-schemas" Warning "parameters are declared once; `input_schema` wins over `parameters`";
    RUNNABLE = "F08" "runnable" Error "the executor exists, knows the language, and has all that it runs. A configuration that does not say what to run, send or ask is a warning, for `subprocess` an error";
    VARIABLES = "R01" "variables" Error "a program has `__version__`, `__tool_type__`, `__executor_id__`, `__category__` and `__tool_description__`. A runtime or library without a description is a warning. A module, which names no executor and has nothing to call, needs no fields";
    FIELDS = "R02" "fields" Error "a configuration has `tool_id`, `category`, `tool_type`, `version`, `description` and `executor_id`. Without `tool_id` the file's path is the id, with a warning. Data, a configuration of another type that names no executor, needs no fields";
    TOOL_ID = "R03" "tool-id" Error "`tool_id` is kebab-case (a path of lower-case names is a warning, as the format's own `category/tool_name` is one)";
    CATEGORY = "R04" "category" Error "`category` is the directory of the file, relative to `tools/`";
    VERSION = "R05" "version" Error "`version` is X.Y.Z";
    EXECUTOR = "R06" "executor" Error "`executor_id` is null only for primitives, runtimes, libraries, MCP servers and data";
    PARAMETER_TYPE = "R07" "parameter-type" Error "the type of a parameter is one of JSON Schema";
    REQUIRES = "R08" "requires" Error "capabilities have dots between their parts: `fs.write`";
    PATTERN = "R09" "pattern" Error "a `pattern` is a regular expression";
    ENUM = "R10" "enum" Error "an `enum` has at least one value";
    RETURNS = "R11" "returns" Error "`execute()` returns a map with `success`, a boolean";
    KEBAB = "B01" "kebab-case" Warning "a tool is named in kebab-case: `deploy-service`, not `DeployService`";
    SPECIFIC = "B02" "specific-name" Warning "a name says what is done to what: `resize-pool`, not `resize`";
    SNAKE = "B03" "snake-case" Warning "parameters of Python tools are named in snake_case, those of shells and configured programs as variables may be";
    SIGNATURE_LINE = "B04" "signature-line" Warning "the signature is line 1, put there by signing, never by hand";
    RESULT_KEYS = "B05" "result-keys" Warning "a success gives `output` or `data`";
    ABSOLUTE_PATH = "B06" "absolute-path" Warning "paths are relative to the project, never absolute in the code";
    PATH_CHECK = "B07" "path-check" Warning "a path from the parameters is checked with `is_relative_to(project)`";
    MAIN_BLOCK = "B08" "main-block" Warning "a Python tool can be started by itself: `if __name__ == \"__main__\"`";
    DESCRIPTION = "B09" "described-parameters" Warning "every parameter has a description";
    REQUIRED = "B10" "required-status" Warning "every parameter says whether it is required";
    CONSTRAINTS = "B11" "constraints" Warning "numbers have a `minimum` or a `maximum`";
    OPTIONS = "B12" "options" Warning "a parameter with listed options has an `enum`";
    DEFAULTS = "B13" "defaults" Warning "an optional parameter has a default";
    ERRORS = "B14" "errors" Warning "a tool that can fail says how: it returns an error somewhere";
    RETRY = "B15" "retry-policy" Warning "a tool that talks to the network has a `retry_policy`, and that says `max_attempts`";
    TIMEOUT = "B16" "timeout" Warning "a configured tool says its timeout";
    STRUCTURED_ERROR = "B17" "structured-error" Warning "a failure is `{\"success\": false, \"error\": \"..\"}`";
}

/// The rule with this code or name.
pub fn rule(word: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .copied()
        .find(|rule| rule.code.eq_ignore_ascii_case(word) || rule.name == word)
}
