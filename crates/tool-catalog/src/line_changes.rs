//! The difference between two texts, in lines.

/// Above this many cells the middle is reported as replaced whole: the table of lines by lines would be too large.
const MAX_CELLS: usize = 4_000_000;

/// `- 12 old line` and `+ 12 new line`, with the line numbers of each text. Empty if nothing changed.
pub fn line_changes(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let longest = old.len().min(new.len()) - same_start;
    let same_end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(longest)
        .take_while(|(a, b)| a == b)
        .count();
    let old = &old[same_start..old.len() - same_end];
    let new = &new[same_start..new.len() - same_end];
    let mut out = Vec::new();
    let removed = |i: usize, line: &str| format!("- {} {line}", same_start + i + 1);
    let added = |i: usize, line: &str| format!("+ {} {line}", same_start + i + 1);
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        out.extend(old.iter().enumerate().map(|(i, line)| removed(i, line)));
        out.extend(new.iter().enumerate().map(|(i, line)| added(i, line)));
        return out;
    }
    // The longest common subsequence, from the end.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            i += 1;
            j += 1;
        } else if j >= new.len()
            || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]
        {
            out.push(removed(i, old[i]));
            i += 1;
        } else {
            out.push(added(j, new[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::line_changes;

    #[test]
    fn only_what_changed_is_told() {
        assert_eq!(
            line_changes("a\nb\nc", "a\nx\nc\nd"),
            ["- 2 b", "+ 2 x", "+ 4 d"]
        );
        assert_eq!(line_changes("a\nb", "a\nb"), Vec::<String>::new());
        assert_eq!(line_changes("", "a"), ["+ 1 a"]);
        assert_eq!(line_changes("a\na", "a"), ["- 2 a"]);
    }
}
