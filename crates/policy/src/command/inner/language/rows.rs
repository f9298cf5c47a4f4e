//! The languages, by the programs that run them.

use super::{Language, Operands, awk, editors, sed, unread};

/// What most rows have.
const NONE: Language = Language {
    names: &[],
    operands: Operands::Script,
    texts: &[],
    files: &[],
    values: &[],
    attached: "",
    last: &["--version", "--help"],
    read: unread,
};

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["sed", "gsed"],
        operands: Operands::Text,
        texts: &["-e", "--expression"],
        files: &["-f", "--file"],
        values: &["-l", "--line-length"],
        attached: "i",
        last: &["--version", "--help", "--sandbox"],
        read: sed::read,
    },
    Language {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk"],
        operands: Operands::TextOnce,
        texts: &["-e", "--source"],
        files: &[
            "-f",
            "--file",
            "-E",
            "--exec",
            "-i",
            "--include",
            "-l",
            "--load",
            "-W",
        ],
        values: &["-F", "--field-separator", "-v", "--assign"],
        attached: "dDLop",
        last: &["--version", "--help", "-S", "--sandbox"],
        read: awk::read,
    },
    Language {
        names: &["python", "pypy", "pythonw"],
        texts: &["-c"],
        values: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
        last: &["-m", "-V", "--version", "-h", "--help", "--help-all"],
        ..NONE
    },
    Language {
        names: &["ipython", "bpython", "ptpython", "ipython3"],
        texts: &["-c"],
        values: &["--profile"],
        last: &["-m", "--version", "--help"],
        ..NONE
    },
    Language {
        names: &["manage.py", "django-admin"],
        operands: Operands::Data,
        texts: &["-c", "--command"],
        ..NONE
    },
    Language {
        names: &["perl"],
        texts: &["-e", "-E"],
        values: &["-I"],
        attached: "MmiFxCDV",
        last: &["-v", "--version", "--help"],
        ..NONE
    },
    Language {
        names: &["ruby", "jruby"],
        texts: &["-e"],
        values: &["-I", "-r", "-C", "-E"],
        attached: "iFKTWx",
        last: &["-v", "--version", "--help", "--copyright"],
        ..NONE
    },
    Language {
        names: &["node", "nodejs"],
        texts: &["-e", "--eval", "-p", "--print"],
        values: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "-C",
            "--conditions",
        ],
        last: &[
            "--test",
            "--run",
            "-v",
            "--version",
            "-h",
            "--help",
            "--v8-options",
        ],
        ..NONE
    },
    Language {
        names: &["bun", "deno", "tsx", "ts-node"],
        texts: &["-e", "--eval", "-p", "--print", "eval"],
        files: &["repl"],
        values: &["-r", "--require", "--preload", "--cwd", "--project", "-P"],
        last: &["-v", "--version", "-h", "--help", "upgrade"],
        ..NONE
    },
    Language {
        names: &["php"],
        texts: &["-r", "-B", "-R", "-E"],
        files: &["-F"],
        values: &["-d", "-c", "-z", "-t"],
        last: &[
            "-f",
            "-i",
            "-l",
            "-m",
            "-S",
            "-v",
            "-h",
            "--ini",
            "--version",
            "--help",
        ],
        ..NONE
    },
    Language {
        names: &["lua", "luajit", "texlua"],
        texts: &["-e"],
        values: &["-l"],
        last: &["-v"],
        ..NONE
    },
    Language {
        names: &["expect", "autoexpect"],
        texts: &["-c"],
        last: &["-v", "-f"],
        ..NONE
    },
    Language {
        names: &["Rscript", "R", "littler"],
        texts: &["-e"],
        last: &["CMD", "--version", "--help"],
        ..NONE
    },
    Language {
        names: &["julia"],
        texts: &["-e", "-E", "--eval", "--print"],
        values: &["-C", "-H", "-J", "-L", "-O", "-p", "-t"],
        last: &["-v", "--version", "-h", "--help"],
        ..NONE
    },
    Language {
        names: &["mix", "rake", "iex"],
        operands: Operands::Data,
        texts: &["-e", "--eval", "--execute"],
        ..NONE
    },
    Language {
        names: &["rails"],
        operands: Operands::Data,
        texts: &["runner", "r"],
        ..NONE
    },
    Language {
        names: &["erl", "clisp", "ecl", "sbcl", "maxima"],
        operands: Operands::DataOrInput,
        texts: &["-eval", "--eval", "-x", "--batch-string"],
        files: &["--load", "-load", "-run"],
        last: &["--script", "-noshell", "--version", "-version", "--help"],
        ..NONE
    },
    Language {
        names: &[
            "bb",
            "clojure",
            "clj",
            "crystal",
            "csi",
            "elixir",
            "gforth",
            "ghc",
            "gnuplot",
            "groovy",
            "gsi",
            "guile",
            "irb",
            "jshell",
            "kotlin",
            "nim",
            "ocaml",
            "octave",
            "osascript",
            "pry",
            "racket",
            "raku",
            "root",
            "runghc",
            "scala",
            "swift",
            "tclsh",
            "wish",
        ],
        texts: &["-e", "--eval", "-c", "eval"],
        last: &["-v", "-version", "--version", "-h", "--help", "-s"],
        ..NONE
    },
    Language {
        names: &["emacs", "emacsclient"],
        operands: Operands::Data,
        texts: &["--eval", "-eval", "--execute", "-execute"],
        files: &[
            "-l",
            "-load",
            "--load",
            "--script",
            "-script",
            "-f",
            "-funcall",
            "--funcall",
        ],
        ..NONE
    },
    Language {
        names: &["ex", "vi", "view", "vim", "nvim", "gvim", "rvim", "vimdiff"],
        operands: Operands::DataAndInput,
        texts: &["-c", "--cmd", "+"],
        files: &["-S", "-s", "-u", "-U"],
        values: &["-r", "-t", "-T", "-w", "-W", "-i"],
        attached: "eE",
        read: editors::vi,
        ..NONE
    },
    Language {
        names: &["ed", "red"],
        operands: Operands::DataAndInput,
        values: &["-p", "--prompt"],
        read: editors::ed,
        ..NONE
    },
    Language {
        names: &["gdb", "cgdb", "ddd"],
        operands: Operands::DataAndInput,
        texts: &[
            "-ex",
            "--ex",
            "-iex",
            "--iex",
            "-eval-command",
            "--eval-command",
            "-init-eval-command",
            "--init-eval-command",
        ],
        files: &[
            "-x",
            "-command",
            "--command",
            "-ix",
            "-init-command",
            "--init-command",
        ],
        values: &["-p", "-c", "-d", "-cd", "-pid", "-core", "-directory"],
        last: &["--args", "-args", "--version", "--help"],
        read: editors::debugger,
        ..NONE
    },
    Language {
        names: &["lldb"],
        operands: Operands::DataAndInput,
        texts: &["-o", "-O", "-k", "--one-line", "--one-line-before-file"],
        files: &["-s", "-S", "-K", "--source", "--source-before-file"],
        values: &["-c", "-f", "-n", "-p", "--core", "--file", "--attach-pid"],
        last: &["--", "--version", "--help"],
        read: editors::debugger,
        ..NONE
    },
    Language {
        names: &["sqlite", "duckdb"],
        operands: Operands::DataThenTexts,
        texts: &["-cmd", "--cmd", "-c"],
        files: &["-init", "--init"],
        values: &[
            "-separator",
            "-newline",
            "-nullvalue",
            "-vfs",
            "--separator",
            "--newline",
            "--nullvalue",
        ],
        last: &["-version", "--version", "-help", "--help"],
        read: editors::sqlite,
        ..NONE
    },
    Language {
        names: &["psql"],
        operands: Operands::DataOrInput,
        texts: &["-c", "--command"],
        files: &["-f", "--file"],
        values: &[
            "-d",
            "-F",
            "-h",
            "-L",
            "-o",
            "-p",
            "-P",
            "-R",
            "-T",
            "-U",
            "-v",
            "--dbname",
            "--host",
            "--port",
            "--username",
            "--set",
            "--variable",
            "--output",
            "--pset",
        ],
        last: &["-l", "--list", "-V", "--version", "-?", "--help"],
        read: editors::psql,
        ..NONE
    },
    Language {
        names: &["mysql", "mariadb"],
        operands: Operands::DataOrInput,
        texts: &["-e", "--execute"],
        values: &[
            "-h",
            "-P",
            "-u",
            "-S",
            "-D",
            "--host",
            "--port",
            "--user",
            "--socket",
            "--database",
        ],
        attached: "p",
        last: &["-V", "--version", "-?", "--help"],
        read: editors::mysql,
        ..NONE
    },
    Language {
        names: &["dc"],
        operands: Operands::DataOrInput,
        texts: &["-e", "--expression"],
        files: &["-f", "--file"],
        last: &["-V", "--version", "-h", "--help"],
        read: editors::dc,
        ..NONE
    },
    Language {
        names: &["m4", "gm4"],
        operands: Operands::DataAndInput,
        texts: &["-D", "--define"],
        values: &["-I", "-U", "--include", "--undefine"],
        read: editors::m4,
        ..NONE
    },
    Language {
        names: &["ftp", "lftp", "sftp", "smbclient", "telnet", "tnftp"],
        operands: Operands::DataAndInput,
        texts: &["-c", "-e", "--command"],
        files: &["-b", "-f"],
        values: &["-o", "-P", "-p", "-u", "-U", "-i", "-F", "-S", "-s"],
        read: editors::bang,
        ..NONE
    },
];
