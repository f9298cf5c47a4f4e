//! Replaces whole lines by others.

/// Present lines, and the lines that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Vec<String>,
    pub(crate) new: Vec<String>,
    /// The line of the file, from 1, where the old lines start according to the model.
    pub(crate) line: Option<usize>,
    /// Whether the last new line ends the file without a line break, if the diff says so.
    pub(crate) ends_open: Option<bool>,
}

/// Makes all replacements, or returns the index of the one that cannot be made and why. Work: hunks times lines.
pub(super) fn apply(hunks: &[Hunk], text: &str) -> Result<String, (usize, String)> {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<&str> = text.split('\n').collect();
    let mut ends_open = true;
    if lines.last() == Some(&"") {
        lines.pop();
        ends_open = false;
    }
    let mut lines: Vec<String> = lines
        .into_iter()
        .map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned())
        .collect();
    // How far the lines after the replacements have moved.
    let mut shift: isize = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let hint = hunk
            .line
            .map(|line| (line.cast_signed() - 1 + shift).max(0).cast_unsigned());
        let at = find(hunk, &lines, hint).map_err(|problem| (index, problem))?;
        let end = at + hunk.old.len();
        let is_at_end = end == lines.len();
        lines.splice(at..end, hunk.new.iter().cloned());
        shift += hunk.new.len().cast_signed() - hunk.old.len().cast_signed();
        if is_at_end {
            ends_open = hunk
                .ends_open
                .unwrap_or(ends_open && !lines.is_empty() && !text.is_empty());
        }
    }
    let mut out = lines.join(ending);
    if !ends_open && !lines.is_empty() {
        out.push_str(ending);
    }
    Ok(out)
}

/// The index of the old lines: at the hint, otherwise at their only occurrence.
fn find(hunk: &Hunk, lines: &[String], hint: Option<usize>) -> Result<usize, String> {
    if hunk.old.is_empty() {
        return match hint {
            Some(at) if at <= lines.len() => Ok(at),
            Some(_) => Err(format!(
                "the file has {} lines, and nothing can be inserted after that",
                lines.len()
            )),
            None if lines.is_empty() => Ok(0),
            None => Err("neither the present text nor a line is given".to_owned()),
        };
    }
    let is_at = |at: usize| {
        lines
            .get(at..at + hunk.old.len())
            .is_some_and(|there| there == hunk.old)
    };
    if let Some(at) = hint.filter(|at| is_at(*at)) {
        return Ok(at);
    }
    let last = lines
        .len()
        .checked_sub(hunk.old.len())
        .map_or(0, |last| last + 1);
    let found: Vec<usize> = (0..last).filter(|at| is_at(*at)).take(11).collect();
    match found.as_slice() {
        [at] => Ok(*at),
        [] => Err(format!(
            "the lines to search for are not in the file{}",
            around(&lines.join("\n"), &hunk.old.join("\n"))
        )),
        several => {
            let numbers: Vec<String> = several
                .iter()
                .take(10)
                .map(|at| (at + 1).to_string())
                .collect();
            Err(format!(
                "the lines to search for appear {} times, starting on the lines {}: search for more of the lines around them, or give the line",
                several.len(),
                numbers.join(", ")
            ))
        }
    }
}

/// Shows the lines around the line that is most like the first line of `search`.
pub(super) fn around(text: &str, search: &str) -> String {
    const SHOWN: usize = 6;
    let Some(wanted) = search.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return String::new();
    };
    let words: Vec<&str> = wanted.split_whitespace().take(32).collect();
    let likeness = |line: &str| words.iter().filter(|word| line.contains(**word)).count();
    let best = text
        .lines()
        .enumerate()
        .max_by_key(|(index, line)| (likeness(line), std::cmp::Reverse(*index)));
    let Some((at, _)) =
        best.filter(|(_, line)| likeness(line) * 2 >= words.len().max(1) && likeness(line) > 0)
    else {
        return String::new();
    };
    let from = at.saturating_sub(1);
    let shown: Vec<String> = text
        .lines()
        .enumerate()
        .skip(from)
        .take(SHOWN)
        .map(|(index, line)| {
            format!(
                "{:5} | {}",
                index + 1,
                line.chars().take(200).collect::<String>()
            )
        })
        .collect();
    format!("; the nearest that is there:\n{}", shown.join("\n"))
}
