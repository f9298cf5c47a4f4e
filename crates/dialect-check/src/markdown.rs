//! The subset of Markdown that cases need: headings, prose and fenced blocks, with their positions.

use std::ops::Range;

/// A block of a document.
#[derive(Debug)]
pub enum Block<'a> {
    /// `# Title`, of any level.
    Heading {
        /// The number of `#`.
        level: usize,
        /// The text after the `#`.
        title: &'a str,
    },
    /// Any other nonblank line.
    Prose,
    /// A fenced block.
    Fence(Fence<'a>),
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Fence<'a> {
    /// The text after the opening backticks.
    pub info: &'a str,
    /// The lines between the fences, without the last line break.
    pub text: &'a str,
    /// The byte range of those lines in the document, the last line break included.
    pub body: Range<usize>,
    /// The end of the block: after the line of the closing fence.
    pub end: usize,
    /// The line of the opening fence, counted from 1.
    pub line: usize,
}

/// The blocks of a document, in order. Without a closing fence, a fenced block extends to the end.
pub fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Fence<'_>)> = None;
    let mut at = 0;
    for (index, line) in document.split_inclusive('\n').enumerate() {
        let (start, end) = (at, at + line.len());
        at = end;
        let line = line.trim_end();
        let n_ticks = line.bytes().take_while(|&byte| byte == b'`').count();
        let info = line[n_ticks..].trim();
        match open.take() {
            Some((n_open, mut fence)) if n_ticks >= n_open && info.is_empty() => {
                fence.body.end = start;
                fence.end = end;
                fence.text = &document[fence.body.clone()];
                fence.text = fence.text.strip_suffix('\n').unwrap_or(fence.text);
                blocks.push(Block::Fence(fence));
            }
            Some(fence) => open = Some(fence),
            None if n_ticks >= 3 => {
                let body = end..document.len();
                let text = &document[body.clone()];
                let line = index + 1;
                open = Some((
                    n_ticks,
                    Fence {
                        info,
                        text,
                        body,
                        end: document.len(),
                        line,
                    },
                ));
            }
            None if line.starts_with('#') => {
                let level = line.bytes().take_while(|&byte| byte == b'#').count();
                let title = line[level..].trim();
                blocks.push(Block::Heading { level, title });
            }
            None if line.is_empty() => {}
            None => blocks.push(Block::Prose),
        }
    }
    blocks.extend(open.map(|(_, fence)| Block::Fence(fence)));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        let document = "# T\n\n````input a=b\n```bash\nls\n```\n````\n";
        let blocks = blocks(document);
        let [
            Block::Heading {
                level: 1,
                title: "T",
            },
            Block::Fence(fence),
        ] = &*blocks
        else {
            panic!("{blocks:?}")
        };
        assert_eq!((fence.info, fence.line), ("input a=b", 3));
        assert_eq!(fence.text, "```bash\nls\n```");
        assert_eq!(&document[fence.body.clone()], "```bash\nls\n```\n");
    }
}
