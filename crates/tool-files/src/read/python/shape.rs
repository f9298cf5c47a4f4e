//! The shape of a Python file's code: `execute` and what it returns.

use tree_sitter::Node;

use super::super::code::{Entry, Gives, Return, WorksOn};
use super::super::flow::{Flow, Opens, names};
use super::super::return_paths::Ends;
use super::super::shape::Syntax;
use super::super::tree::{children, text};
use super::{Module, string};

pub(super) const SYNTAX: Syntax = Syntax {
    string: "string",
    decode: string::decode,
    flow: Flow {
        binds: &[
            ("assignment", "left", "right"),
            ("augmented_assignment", "left", "right"),
            ("named_expression", "name", "value"),
            ("for_statement", "left", "right"),
            ("for_in_clause", "left", "right"),
        ],
        member: ("attribute", "object", "attribute"),
        call: "call",
        inner: &["function_definition", "lambda"],
        opens,
        methods: &[
            "read_text",
            "read_bytes",
            "write_text",
            "write_bytes",
            "open",
            "unlink",
            "mkdir",
            "rmdir",
            "touch",
            "iterdir",
            "rglob",
            "rename",
            "symlink_to",
            "hardlink_to",
            "chmod",
        ],
        passes: &[
            "str",
            "sorted",
            "list",
            "tuple",
            "enumerate",
            "zip",
            "map",
            "filter",
        ],
        clean: &["name", "stem", "suffix", "basename"],
        compares: &["is_relative_to", "relative_to", "commonpath"],
    },
    imports: &["import_statement", "import_from_statement"],
    works_on,
    leaves: &["raise_statement", "while_statement", "assert_statement"],
    inner: &["function_definition", "class_definition", "lambda"],
    literals: &[
        ("none", "`None`"),
        ("true", "a boolean"),
        ("false", "a boolean"),
        ("integer", "a number"),
        ("float", "a number"),
        ("string", "a string"),
        ("concatenated_string", "a string"),
        ("list", "a list"),
        ("list_comprehension", "a list"),
        ("tuple", "a tuple"),
        ("expression_list", "a tuple"),
        ("set", "a set"),
        ("set_comprehension", "a set"),
    ],
    no_booleans: &[
        "none",
        "integer",
        "float",
        "string",
        "list",
        "dictionary",
        "tuple",
    ],
};

/// Which arguments of a function are paths.
fn opens(function: &str) -> Opens {
    match function {
        "Path" | "PurePath" | "pathlib.Path" | "os.path.join" => Opens::Joins,
        "os.listdir" | "os.scandir" | "os.walk" | "os.remove" | "os.unlink" | "os.mkdir"
        | "os.makedirs" | "os.rmdir" | "os.chmod" | "shutil.rmtree" | "glob.glob"
        | "glob.iglob" | "zipfile.ZipFile" | "ZipFile" | "rmtree" => Opens::One,
        "os.rename" | "os.replace" | "os.link" | "os.symlink" | "shutil.copy" | "shutil.copy2"
        | "shutil.copyfile" | "shutil.copytree" | "shutil.move" | "copyfile" | "copytree" => {
            Opens::Two
        }
        "webbrowser.open" => Opens::Nothing,
        // `io.open`, `gzip.open`, `tarfile.open`, `aiofiles.open`, ..
        _ if function.rsplit('.').next() == Some("open") => Opens::One,
        _ => Opens::Nothing,
    }
}

/// The resource that a module or a function works on.
fn works_on(name: &str) -> Option<WorksOn> {
    const NETWORK: &[&str] = &[
        "requests",
        "httpx",
        "aiohttp",
        "urllib3",
        "urllib.request",
        "http.client",
        "socket",
        "websocket",
        "websockets",
        "smtplib",
        "ftplib",
        "imaplib",
        "poplib",
        "xmlrpc.client",
        "paramiko",
        "boto3",
        "grpc",
        "urlopen()",
    ];
    const PROGRAMS: &[&str] = &["subprocess", "os.system()", "os.popen()", "pexpect"];
    let is = |known: &&str| {
        let rest = name.strip_prefix(*known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if NETWORK.iter().any(is) {
        Some(WorksOn::Network)
    } else {
        PROGRAMS.iter().any(is).then_some(WorksOn::Programs)
    }
}

impl Module<'_> {
    pub(super) fn function(&mut self, function: Node<'_>) {
        let Some(name) = function.child_by_field_name("name") else {
            return;
        };
        if text(name, self.context.source) != super::ENTRY {
            return;
        }
        let parameters = function.child_by_field_name("parameters");
        let end = parameters.map_or(name.end_byte(), |parameters| parameters.end_byte());
        if let Some(first) = parameters.and_then(|all| children(all).first().copied()) {
            self.given(first);
        }
        self.reading.code.is_async = text(function, self.context.source).starts_with("async");
        let body = function.child_by_field_name("body");
        let ends = Ends::of(&SYNTAX, function, self.context.source, |value| {
            self.gives(value)
        });
        let returns = body.map(|body| ends.returns(body)).unwrap_or_default();
        // Other ends matter only for a function that returns nothing.
        let leaves = |body| returns.is_empty() && SYNTAX.may_leave(body, self.context.source);
        let entry = Entry {
            span: name.start_byte()..end,
            may_leave: body.is_some_and(leaves),
            returns,
            takes_two: parameters.is_none_or(|parameters| self.takes_two(parameters)),
            falls: body.and_then(|body| ends.falls(body)),
        };
        self.reading.code.entry = Some(entry);
    }

    /// `execute = ..`: the value of a lambda is known, any other value only at run time.
    pub(super) fn bound(&mut self, name: Node<'_>, value: Option<Node<'_>>) {
        let lambda = value.filter(|value| value.kind() == "lambda");
        let body = lambda.and_then(|lambda| lambda.child_by_field_name("body"));
        let parameters = lambda.and_then(|lambda| lambda.child_by_field_name("parameters"));
        if let Some(first) = parameters.and_then(|all| children(all).first().copied()) {
            self.given(first);
        }
        let mut returns = Vec::new();
        match body {
            Some(body) => {
                let ends = Ends::of(&SYNTAX, body, self.context.source, |value| {
                    self.gives(value)
                });
                ends.value(body, &body.byte_range(), 0, &mut returns);
            }
            None => returns.push(Return {
                span: name.byte_range(),
                gives: Gives::Unknown,
            }),
        }
        self.reading.code.entry = Some(Entry {
            span: name.byte_range(),
            returns,
            takes_two: parameters.is_none_or(|parameters| self.takes_two(parameters)),
            may_leave: false,
            falls: None,
        });
    }

    fn given(&mut self, parameter: Node<'_>) {
        let names = names(parameter, self.context.source);
        self.reading.code.given = names.into_iter().map(str::to_owned).collect();
    }

    /// Whether a function with these parameters can be called with two arguments by position.
    fn takes_two(&self, parameters: Node<'_>) -> bool {
        let (mut needed, mut taken, mut is_keyword) = (0, 0, false);
        for parameter in children(parameters) {
            let written = text(parameter, self.context.source);
            let has_default = parameter.kind().contains("default");
            if written.starts_with("**") || written == "/" {
            } else if written.starts_with('*') {
                if written != "*" {
                    taken = usize::MAX / 2;
                }
                is_keyword = true;
            } else if is_keyword {
                // The runtime passes no keyword-only argument.
                if !has_default {
                    return false;
                }
            } else {
                taken += 1;
                needed += usize::from(!has_default);
            }
        }
        needed <= 2 && taken >= 2
    }

    fn gives(&self, value: Node<'_>) -> Gives {
        match value.kind() {
            "dictionary" => SYNTAX.map(children(value).into_iter().map(|entry| {
                let key = entry
                    .child_by_field_name("key")
                    .filter(|key| key.kind() == "string")?;
                let key = string::decode(text(key, self.context.source)).ok()?;
                Some((key, entry.child_by_field_name("value")?.kind()))
            })),
            // `dict(success=True, output=..)`.
            "call"
                if value
                    .child_by_field_name("function")
                    .is_some_and(|name| text(name, self.context.source) == "dict") =>
            {
                let arguments = value.child_by_field_name("arguments");
                let arguments = arguments.map(children).unwrap_or_default();
                SYNTAX.map(arguments.into_iter().map(|one| {
                    let key = one.child_by_field_name("name")?;
                    let value = one.child_by_field_name("value")?;
                    let is_named = one.kind() == "keyword_argument";
                    is_named.then(|| (text(key, self.context.source).to_owned(), value.kind()))
                }))
            }
            kind => SYNTAX.other(kind),
        }
    }
}
