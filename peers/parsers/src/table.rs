//! Cells of Markdown tables.

/// Text for a cell: short, and without characters that end the cell.
pub fn cell(text: &str) -> String {
    let mut short: String = text.chars().take(72).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("``{}``", short.replace('|', "\\|").replace('\n', " "))
}

/// `part of all (percent)`.
pub fn share(part: usize, all: usize) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    format!("{part} ({:.1} %)", 100.0 * part as f64 / all as f64)
}
