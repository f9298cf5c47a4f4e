//! Embeds every `dialects/NAME/dialect` of the package, in order of name.

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
    let mut list = String::from(
        "/// Name and text of every embedded dialect file, in order of name.\npub const FILES: &[(&str, &str)] = &[\n",
    );
    for name in &names {
        let file = root
            .join(name)
            .join("dialect")
            .canonicalize()
            .expect("it was listed");
        println!("cargo::rerun-if-changed={}", file.display());
        writeln!(
            list,
            "    ({name:?}, include_str!({:?})),",
            file.display().to_string()
        )
        .expect("writing to a string");
    }
    list.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("files.rs");
    fs::write(out, list).expect("the output folder is writable");
}
