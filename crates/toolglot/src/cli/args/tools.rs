//! `toolglot tools`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::human::Color;

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List the tools of the project, the user and the system
    List {
        /// Words that name, tags, description or text hold
        #[arg(long, value_name = "Q")]
        search: Option<String>,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Show what a tool says about itself, and its schema
    Show {
        /// Its id, as in rye/file-system/write
        id: String,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Check tools against the rules of the format
    Check {
        /// Ids, patterns of ids or files; without any, all tools of the project
        #[arg(value_name = "ID|FILE")]
        tools: Vec<String>,
        /// When to use colour
        #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
        color: Color,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Write a tool to start from
    New {
        /// Its id: the directory below .ai/tools, and its name
        id: String,
        /// python, javascript, typescript, bash, yaml, toml, or an extension
        #[arg(long, short, value_name = "L", default_value = "python")]
        language: String,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Sign tools with your key; what breaks a rule is not signed
    Sign {
        /// Ids or patterns of ids, as in notes/*
        #[arg(value_name = "ID|PATTERN", required = true)]
        tools: Vec<String>,
        /// Write the line that covers id, version and time too, which Rye does not read
        #[arg(long)]
        v2: bool,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Say which tools may run, and why the others may not
    Verify {
        /// Ids or patterns of ids; without any, all tools of the project
        #[arg(value_name = "ID|PATTERN")]
        tools: Vec<String>,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Trust a tool as it is now, after showing what changed since it was trusted last
    Trust {
        /// Ids or patterns of ids
        #[arg(value_name = "ID|PATTERN", required = true)]
        tools: Vec<String>,
        /// Show it and trust nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// List, create, trust and revoke the keys of signatures
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the keys, trusted or not
    List {
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Make your key
    New {
        /// Your name, for those who see it
        #[arg(long, default_value = "local")]
        owner: String,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Trust a key that you were given, in every project; compare its fingerprint with the person who gave it
    Trust {
        /// A file with the public key: PEM, or `ed25519:<base64>`; - is standard input
        file: PathBuf,
        /// Whose it is, for those who see it
        #[arg(long)]
        owner: String,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Trust a key no longer: what it signed does not run any more
    Revoke {
        /// Its fingerprint
        key: String,
        #[command(flatten)]
        common: ToolsProject,
    },
    /// Trust a key that this project brings, for this project
    Pin {
        /// Its fingerprint
        key: String,
        #[command(flatten)]
        common: ToolsProject,
    },
}

/// What every subcommand takes.
#[derive(Debug, Args)]
pub(crate) struct ToolsProject {
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ToolsFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFormat {
    /// For people
    #[default]
    Human,
    /// One JSON document
    Json,
}
