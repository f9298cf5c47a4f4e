//! Cases in Markdown: a heading, a sentence, and blocks. `TOOLGLOT_BLESS=1` writes the expected blocks.

use std::fmt::Write;
use std::path::Path;

/// One block of a case.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The words after its fence.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

/// Runs each case of a folder: `expected` gives the text of each block; input blocks are unchanged.
pub(crate) fn check(folder: &str, expected: impl Fn(&[Block]) -> Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/apis")
        .join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry of it").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = String::new();
    for path in paths {
        let old = std::fs::read_to_string(&path).expect("a file of cases");
        let mut new = String::new();
        let parts = old.split("\n## ");
        for (n, part) in parts.enumerate() {
            if n > 0 {
                new.push_str("\n## ");
            }
            let (blocks, gaps) = blocks(part);
            let texts = expected(&blocks);
            for ((gap, block), text) in gaps.iter().zip(&blocks).zip(&texts) {
                let words = block.words.join(" ");
                let fence = fence(text);
                let _ = write!(new, "{gap}{fence}{words}\n{text}{fence}\n");
                if *text != block.text {
                    let name = part.lines().next().unwrap_or_default();
                    let _ = write!(wrong, "{}: {name}: {words}:\n{text}\n", path.display());
                }
            }
            new.push_str(gaps.last().expect("the rest"));
        }
        if std::env::var_os("TOOLGLOT_BLESS").is_some() {
            std::fs::write(&path, new).expect("the file is written");
        }
    }
    assert!(
        wrong.is_empty() || std::env::var_os("TOOLGLOT_BLESS").is_some(),
        "{wrong}"
    );
}

/// The blocks of a part, and the text around them.
pub(crate) fn blocks(part: &str) -> (Vec<Block>, Vec<String>) {
    let (mut blocks, mut gaps) = (Vec::new(), vec![String::new()]);
    let mut open: Option<(String, Block)> = None;
    for line in part.split_inclusive('\n') {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match &mut open {
            Some((fence, block)) if line.trim_end() == *fence => {
                blocks.push(block.clone());
                gaps.push(String::new());
                open = None;
            }
            Some((_, block)) => block.text.push_str(line),
            None if ticks >= 3 => {
                let words = line[ticks..].split_whitespace().map(str::to_owned);
                let block = Block {
                    words: words.collect(),
                    text: String::new(),
                };
                open = Some((line[..ticks].to_owned(), block));
            }
            None => gaps.last_mut().expect("there is one").push_str(line),
        }
    }
    (blocks, gaps)
}

fn fence(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| line.len() - line.trim_start_matches('`').len());
    "`".repeat(longest.max().unwrap_or_default().max(2) + 1)
}
