//! `read_file`: a file, or some lines of it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use toolglot_value::json;

use crate::encoding::{Encoding, latin1};
use crate::place::OpenError;
use crate::shown::{counted, plain, shown};
use crate::{Failure, Limits, Outcome, Root};

/// A file is binary if its first bytes contain a zero byte, as in git.
pub(crate) const SNIFFED: usize = 8 << 10;

/// A range of lines: from 1, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    first: u64,
    last: Option<u64>,
}

impl Lines {
    pub(crate) fn new(start: Option<u64>, end: Option<u64>) -> Result<Lines, Failure> {
        let first = start.unwrap_or(1);
        match end {
            Some(last) if first == 0 || last < first => Err(Failure::NoRange {
                start: first,
                end: last,
            }),
            None if first == 0 => Err(Failure::NoRange {
                start: first,
                end: first,
            }),
            last => Ok(Lines { first, last }),
        }
    }

    fn hold(self, line: u64) -> bool {
        line >= self.first && self.last.is_none_or(|last| line <= last)
    }
}

pub(crate) fn read(root: &Root, path: &Path, lines: Lines) -> Result<Outcome, Failure> {
    let (file, metadata) = root.file(path)?;
    let size = metadata.len();
    let fail = |error| root.explain("read", path, OpenError::Io(error));
    let binary = || Failure::Binary {
        path: shown(path),
        size,
    };
    let mut reader = BufReader::with_capacity(64 << 10, file.take(root.limits.scan_bytes));
    let head = reader.fill_buf().map_err(fail)?;
    let encoding = Encoding::of_head(&head[..head.len().min(SNIFFED)]);
    let picked = match encoding {
        Some(Encoding::Utf16 { .. }) => {
            // Its line breaks have two bytes, so the whole file is converted to UTF-8 first, if it is small enough to
            // edit.
            if size > root.limits.file_bytes {
                return Err(binary());
            }
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map_err(fail)?;
            let (_, text) = Encoding::read(&bytes).ok_or_else(binary)?;
            Picked::read(text.as_bytes(), lines, &root.limits)
        }
        Some(Encoding::Utf8Mark) => {
            reader.consume(3);
            Picked::read(reader, lines, &root.limits)
        }
        _ => Picked::read(reader, lines, &root.limits),
    };
    let picked = picked.map_err(fail)?.ok_or_else(binary)?;
    let is_whole = picked.scanned < root.limits.scan_bytes;
    let n_lines = picked.n_lines;
    if lines.first > n_lines.max(1) && is_whole {
        return Err(Failure::BehindEnd {
            path: shown(path),
            start: lines.first,
            lines: n_lines,
        });
    }
    Ok(answer(path, size, lines, &picked, (is_whole, encoding)))
}

fn answer(
    path: &Path,
    size: u64,
    lines: Lines,
    picked: &Picked,
    (is_whole, encoding): (bool, Option<Encoding>),
) -> Outcome {
    let content = String::from_utf8_lossy(&picked.kept);
    let is_foreign = matches!(content, std::borrow::Cow::Owned(_));
    let as_latin1 = is_foreign.then(|| latin1(&picked.kept)).flatten();
    let is_lossy = is_foreign && as_latin1.is_none();
    let encoding = if as_latin1.is_some() {
        Encoding::Latin1
    } else {
        encoding.unwrap_or(Encoding::Utf8)
    };
    let content = as_latin1.map_or(content, std::borrow::Cow::Owned);
    let end = lines.first + picked.n_kept - 1;
    let output = json!({
        "path": plain(path),
        "content": content,
        "size": size,
        "start_line": lines.first,
        "end_line": end,
        "total_lines": is_whole.then_some(picked.n_lines),
        "truncated": picked.is_cut,
        "lossy": is_lossy,
        "encoding": encoding.name(),
    });
    let mut text = content.into_owned();
    let mut remark = |remark: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&remark);
        text.push('\n');
    };
    if size == 0 && picked.n_lines == 0 {
        remark("[the file is empty]".to_owned());
    }
    if picked.is_cut {
        let of = if is_whole {
            counted(picked.n_lines, "line")
        } else {
            "more lines".to_owned()
        };
        remark(match picked.next {
            Some(next) => format!("[cut after line {end} of {of}: read on with start_line {next}]"),
            None => {
                format!("[cut inside line {end} of {of}, which is longer than what can be shown]")
            }
        });
    } else if !is_whole {
        remark(format!(
            "[only the first {} of the file's {size} were looked at]",
            counted(picked.scanned, "byte")
        ));
    }
    if !is_lossy && encoding != Encoding::Utf8 {
        let name = encoding.name();
        remark(format!(
            "[the file is {name}: `edit_file` keeps that, `write_file` makes it utf-8]"
        ));
    }
    if is_lossy {
        remark(
            "[some bytes are not UTF-8 and are shown as \u{fffd}: do not write this text back]"
                .to_owned(),
        );
    }
    Outcome::success(output, text)
}

/// The lines read from a file.
#[derive(Debug, Default)]
struct Picked {
    kept: Vec<u8>,
    /// How many lines are in `kept`, in part or whole.
    n_kept: u64,
    /// Lines read.
    n_lines: u64,
    /// Bytes read.
    scanned: u64,
    /// Whether `kept` was cut at the limit.
    is_cut: bool,
    /// The first line after the cut, if whole lines are kept.
    next: Option<u64>,
}

impl Picked {
    /// Reads to the end, so that the lines can be counted; `None` if the file is binary.
    fn read(mut reader: impl BufRead, lines: Lines, limits: &Limits) -> io::Result<Option<Picked>> {
        let mut picked = Picked::default();
        let mut is_open = false;
        loop {
            let chunk = reader.fill_buf()?;
            let n_bytes = chunk.len();
            if n_bytes == 0 {
                break;
            }
            if picked.scanned == 0 && chunk[..n_bytes.min(SNIFFED)].contains(&0) {
                return Ok(None);
            }
            for piece in chunk.split_inclusive(|&byte| byte == b'\n') {
                picked.n_lines += u64::from(!is_open);
                is_open = !piece.ends_with(b"\n");
                if lines.hold(picked.n_lines) {
                    picked.keep(piece, limits.output_bytes);
                }
            }
            reader.consume(n_bytes);
            picked.scanned += n_bytes as u64;
        }
        picked.tidy(lines.first);
        Ok(Some(picked))
    }

    fn keep(&mut self, piece: &[u8], limit: usize) {
        if self.is_cut {
            return;
        }
        let room = limit - self.kept.len();
        self.is_cut = piece.len() > room;
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// After a cut, keeps whole lines; of a single line that is too long, whole characters.
    fn tidy(&mut self, first: u64) {
        if self.is_cut {
            if let Some(end) = self.kept.iter().rposition(|&byte| byte == b'\n') {
                self.kept.truncate(end + 1);
            } else {
                let whole = self
                    .kept
                    .utf8_chunks()
                    .last()
                    .map_or(0, |chunk| chunk.invalid().len());
                // Drops at most three bytes: the start of a character that the cut divides.
                self.kept.truncate(self.kept.len() - whole.min(3));
            }
        }
        let breaks = self.kept.split(|&byte| byte == b'\n').count() as u64 - 1;
        let is_open = !self.kept.is_empty() && !self.kept.ends_with(b"\n");
        self.n_kept = breaks + u64::from(is_open);
        if self.is_cut && breaks > 0 {
            self.next = Some(first + breaks);
        }
    }
}
