//! Embeds every `dialects/NAME/dialect` of the package, and `dialects/NAME/system` if it exists, in order of name.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("dialects");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut names: Vec<String> = fs::read_dir(&root)
        .expect("the package has a folder `dialects`")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| root.join(name).join("dialect").is_file())
        .collect();
    names.sort();
    let lists = [
        (
            "/// Name and text of every embedded dialect file, in order of name.\npub const FILES",
            "dialect",
        ),
        (
            "/// Name and text of every file about the system of a dialect, in order of name.\npub(crate) const SYSTEMS",
            "system",
        ),
    ];
    let mut code = String::new();
    for (head, kind) in lists {
        writeln!(code, "{head}: &[(&str, &str)] = &[").expect("writing to a string");
        for name in &names {
            let file = root.join(name).join(kind);
            if !file.is_file() {
                continue;
            }
            let file = file.canonicalize().expect("it is there");
            println!("cargo::rerun-if-changed={}", file.display());
            writeln!(
                code,
                "    ({name:?}, include_str!({:?})),",
                file.display().to_string()
            )
            .expect("writing to a string");
        }
        code.push_str("];\n");
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("files.rs");
    fs::write(out, code).expect("the output folder is writable");
}
