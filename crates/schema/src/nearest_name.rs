//! "Did you mean": the known name nearest to a written one.

/// Longer names are not compared: no tool or parameter has such a name.
const MAX_LEN: usize = 64;

/// The name in `known` that `name` probably means, if one is near enough.
///
/// Letter case, `-`, `_` and blanks do not count. An inserted, deleted or replaced letter or a swap of neighbours
/// counts one, and at most a third of the name may differ. Of two equally near names the first is taken. Quadratic in
/// the length of the names, which is capped.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = folded(name)?;
    let allowed = (written.len() / 3).max(1);
    known
        .filter_map(|candidate| Some((distance(&written, &folded(candidate)?), candidate)))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Option<Vec<char>> {
    if name.len() > MAX_LEN {
        return None;
    }
    let letters: Vec<char> = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    if letters.is_empty() {
        None
    } else {
        Some(letters)
    }
}

/// Optimal string alignment: edits and swaps of neighbours, with three rows of the table.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for (i, &x) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["read_file", "write_file", "list_files", "ls"];
        for (written, expected) in [
            ("read_file", Some("read_file")),
            ("readFile", Some("read_file")),
            ("Read-File", Some("read_file")),
            ("raed_file", Some("read_file")),
            ("read_files", Some("read_file")),
            ("list_file", Some("list_files")),
            ("l", Some("ls")),
            ("rm", None),
            ("deploy", None),
            ("", None),
            ("___", None),
        ] {
            assert_eq!(nearest(written, known.into_iter()), expected, "{written}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), known.into_iter()), None);
    }
}
