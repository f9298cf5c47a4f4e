//! Consecutive rows of one input.

/// Consecutive rows of one input, each the text of one JSON value.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The number of the first row in its input, from 0.
    first_row: u64,
    text: Vec<u8>,
    /// The end of each row in `text`; a row starts at the end of the previous row.
    rows: Vec<RowEnd>,
}

#[derive(Clone, Copy, Debug)]
struct RowEnd {
    end: usize,
    /// The length of a row whose text was too long to store.
    overlong: Option<u64>,
}

/// One row of a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRow<'b> {
    /// Its number in the input, from 0.
    pub(crate) number: u64,
    /// Its text; empty if the row is overlong.
    pub(crate) text: &'b [u8],
    /// Its length, if the length exceeds the limit.
    pub(crate) overlong: Option<u64>,
}

impl Batch {
    /// A batch without rows; its first row will have this number in its input.
    pub fn new(first_row: u64) -> Batch {
        Batch {
            first_row,
            ..Batch::default()
        }
    }

    /// Adds a row: the text of one JSON value.
    pub fn push(&mut self, row: &[u8]) {
        self.text.extend_from_slice(row);
        self.end_row(None);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of bytes of its rows.
    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// The text of the current row, and of all rows before it.
    pub(crate) fn text_mut(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// The start of the current row.
    pub(crate) fn row_start(&self) -> usize {
        self.rows.last().map_or(0, |row| row.end)
    }

    /// Ends the current row.
    pub(crate) fn end_row(&mut self, overlong: Option<u64>) {
        if overlong.is_some() {
            self.drop_row();
        }
        self.rows.push(RowEnd {
            end: self.text.len(),
            overlong,
        });
    }

    /// Drops the current row.
    pub(crate) fn drop_row(&mut self) {
        let start = self.row_start();
        self.text.truncate(start);
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = RawRow<'_>> {
        let mut start = 0;
        (self.first_row..)
            .zip(&self.rows)
            .map(move |(number, row)| {
                let text = &self.text[start..row.end];
                start = row.end;
                RawRow {
                    number,
                    text,
                    overlong: row.overlong,
                }
            })
    }
}
