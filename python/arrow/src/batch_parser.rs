//! `BatchParser`: what is known of tables before they come.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};
use toolglot_chat::{ChatError, DialectChoice, LineReader, Reader, dialect_named};
use toolglot_corpus::{Check, Columns, ReportedRows, RowReader};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;

use crate::raised;
use crate::reader::TableReader;

/// Reads tables with one set of options. Threads may share it.
#[pyclass(frozen, module = "toolglot_arrow")]
pub(crate) struct BatchParser {
    reader: Arc<TableReader>,
}

#[pymethods]
impl BatchParser {
    /// `tools` is JSON text, or the name of a builtin set.
    #[new]
    fn new(
        py: Python<'_>,
        dialect: &str,
        tools: Option<&str>,
        column: Option<String>,
        tools_column: String,
        prefix: String,
    ) -> PyResult<BatchParser> {
        let toolbox = tools.map(|tools| toolbox(py, tools)).transpose()?;
        let find = |name: &str| Ok::<_, ChatError>(vec![dialect_named(name)?.clone()]);
        let reader = Reader::new(toolglot_dialects::auto().clone());
        let lines = DialectChoice::new(dialect, find)
            .and_then(|dialects| LineReader::new(reader, dialects, toolbox))
            .map_err(|error| raised(py, "DialectError", error.to_string(), None))?;
        let columns = Columns {
            content: column,
            tools: tools_column,
        };
        let check = Check {
            reader: RowReader::new(lines, columns),
            rows: ReportedRows::All,
            is_strict: false,
            settings: Value::Null,
        };
        Ok(BatchParser {
            reader: Arc::new(TableReader { check, prefix }),
        })
    }

    /// A batch with more columns: a batch for a batch, a stream of batches for a stream.
    fn parse<'py>(&self, py: Python<'py>, table: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        let schema = table.schema()?;
        let schema = self
            .reader
            .schema(&schema)
            .map_err(|error| raised(py, "Error", error, None))?;
        match table {
            AnyRecordBatch::RecordBatch(batch) => {
                let read = py
                    .detach(|| self.reader.read(batch.as_ref(), &schema))
                    .map_err(|error| raised(py, "Error", error.to_string(), None))?;
                Ok(PyRecordBatch::new(read).into_pyobject(py)?.into_any())
            }
            AnyRecordBatch::Stream(stream) => {
                let stream = Stream {
                    batches: stream.into_reader()?,
                    schema,
                    reader: Arc::clone(&self.reader),
                };
                let stream = PyRecordBatchReader::new(Box::new(stream));
                Ok(stream.into_pyobject(py)?.into_any())
            }
        }
    }
}

/// Batches that are read when they are asked for: one is held at a time.
struct Stream {
    batches: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
    reader: Arc<TableReader>,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| self.reader.read(&batch, &self.schema)))
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn toolbox(py: Python<'_>, tools: &str) -> PyResult<Toolbox> {
    let failed = |message, place| raised(py, "ToolsError", message, place);
    if !tools.trim_start().starts_with(['[', '{']) {
        let name = tools.strip_prefix("builtin:").unwrap_or(tools);
        return Toolbox::builtin(name)
            .ok_or_else(|| failed(format!("no builtin tool set is called `{name}`"), None));
    }
    let list: Value = toolglot_value::from_str(tools)
        .map_err(|error| failed(format!("the tool list is not JSON: {error}"), None))?;
    Toolbox::from_json(&list).map_err(|error| failed(error.to_string(), Some(error.pointer(&list))))
}
