//! Rows of a batch, each as `toolglot corpus check` reads it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_json::LineDelimitedWriter;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use toolglot_corpus::{Batch, Check, Tally, Task};

use crate::report::Reports;

/// Reads batches.
pub(crate) struct TableReader {
    pub(crate) check: Check,
    /// What the names of the new columns start with.
    pub(crate) prefix: String,
}

impl TableReader {
    /// The columns of a table with those that are added.
    pub(crate) fn schema(&self, schema: &SchemaRef) -> Result<SchemaRef, String> {
        let columns = self.check.columns();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| &**field.name())
            .collect();
        if columns.chosen(|name| names.contains(&name)).is_none() {
            return Err(format!(
                "no column {}; the table has {}",
                quoted(columns.wanted(), " or "),
                quoted(names, ", ")
            ));
        }
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        for mut field in Reports::fields() {
            field.set_name(format!("{}{}", self.prefix, field.name()));
            if names.contains(&&**field.name()) {
                return Err(format!(
                    "the table has a column `{}` already; give another `prefix`",
                    field.name()
                ));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(
            fields,
            schema.metadata().clone(),
        )))
    }

    /// A batch with the columns that are added. The others are the same arrays.
    pub(crate) fn read(
        &self,
        batch: &RecordBatch,
        schema: &SchemaRef,
    ) -> Result<RecordBatch, ArrowError> {
        let mut reports = Reports::default();
        let rows = self.rows(batch)?;
        let lines = rows.split(|&byte| byte == b'\n');
        for line in lines.take(batch.num_rows()) {
            let mut row = Batch::new(0);
            row.push(line);
            let output = self.check.run(&row);
            reports.add(&output.data, output.tally.is_faulty())?;
        }
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        columns.extend(reports.finish());
        RecordBatch::try_new(Arc::clone(schema), columns)
    }

    /// The columns that are read, a line of JSON for each row.
    fn rows(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let needed = self.check.columns().needed();
        let schema = batch.schema();
        let fields = schema.fields().iter().enumerate();
        let needed = fields.filter(|(_, field)| needed.contains(field.name()));
        let indices: Vec<usize> = needed.map(|(index, _)| index).collect();
        let mut rows = Vec::new();
        let mut writer = LineDelimitedWriter::new(&mut rows);
        writer.write(&batch.project(&indices)?)?;
        writer.finish()?;
        Ok(rows)
    }
}

fn quoted<N: AsRef<str>>(names: impl IntoIterator<Item = N>, gap: &str) -> String {
    let names = names.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(gap)
}
