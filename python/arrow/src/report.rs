//! Reports of rows as columns.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, LargeStringBuilder, ListBuilder, StructBuilder, UInt32Builder,
};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use serde::Deserialize;
use serde_json::value::RawValue;

/// How a report starts. The number of its row is not a part of the document here: a batch does not know where it stands.
const START: &[u8] = br#"{"row":0,"#;

/// The columns that are made of reports.
pub(crate) struct Reports {
    documents: LargeStringBuilder,
    calls: ListBuilder<StructBuilder>,
    is_faulty: BooleanBuilder,
    errors: LargeStringBuilder,
}

/// What of a report becomes columns.
#[derive(Deserialize)]
struct Report<'r> {
    #[serde(borrow, default)]
    calls: Vec<Call<'r>>,
    #[serde(borrow, default)]
    messages: Vec<Message<'r>>,
    #[serde(borrow, default)]
    error: Option<Cow<'r, str>>,
}

#[derive(Deserialize)]
struct Message<'r> {
    message: u32,
    #[serde(borrow, default)]
    calls: Vec<Call<'r>>,
}

#[derive(Deserialize)]
struct Call<'r> {
    #[serde(borrow)]
    name: Cow<'r, str>,
    #[serde(borrow)]
    arguments: Option<&'r RawValue>,
    #[serde(borrow)]
    end: Cow<'r, str>,
    #[serde(borrow)]
    dialect: Cow<'r, str>,
}

impl Default for Reports {
    fn default() -> Reports {
        let call = StructBuilder::from_fields(call_fields(), 0);
        Reports {
            documents: LargeStringBuilder::new(),
            calls: ListBuilder::new(call).with_field(call_field()),
            is_faulty: BooleanBuilder::new(),
            errors: LargeStringBuilder::new(),
        }
    }
}

impl Reports {
    /// The columns, in order.
    pub(crate) fn fields() -> [Field; 4] {
        [
            Field::new("document", DataType::LargeUtf8, false),
            Field::new("calls", DataType::List(call_field()), false),
            Field::new("faulty", DataType::Boolean, false),
            Field::new("error", DataType::LargeUtf8, true),
        ]
    }

    /// Adds the report of a row: one line.
    pub(crate) fn add(&mut self, line: &[u8], is_faulty: bool) -> Result<(), ArrowError> {
        let failed = |what: String| ArrowError::ExternalError(what.into());
        let rest = line.strip_prefix(START).unwrap_or(line).trim_ascii_end();
        let rest = std::str::from_utf8(rest).map_err(|error| failed(error.to_string()))?;
        let document = format!("{{{rest}");
        let report: Report<'_> =
            serde_json::from_str(&document).map_err(|error| failed(error.to_string()))?;
        self.documents.append_value(&document);
        for call in &report.calls {
            add_call(self.calls.values(), None, call);
        }
        for message in &report.messages {
            for call in &message.calls {
                add_call(self.calls.values(), Some(message.message), call);
            }
        }
        self.calls.append(true);
        self.is_faulty.append_value(is_faulty);
        self.errors.append_option(report.error);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> [ArrayRef; 4] {
        [
            Arc::new(self.documents.finish()),
            Arc::new(self.calls.finish()),
            Arc::new(self.is_faulty.finish()),
            Arc::new(self.errors.finish()),
        ]
    }
}

fn call_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(call_fields()), false))
}

fn call_fields() -> Fields {
    Fields::from(vec![
        Field::new("message", DataType::UInt32, true),
        Field::new("name", DataType::LargeUtf8, false),
        Field::new("arguments", DataType::LargeUtf8, true),
        Field::new("end", DataType::LargeUtf8, false),
        Field::new("dialect", DataType::LargeUtf8, false),
    ])
}

fn add_call(calls: &mut StructBuilder, message: Option<u32>, call: &Call<'_>) {
    if let Some(messages) = calls.field_builder::<UInt32Builder>(0) {
        messages.append_option(message);
    }
    let texts = [
        Some(&*call.name),
        call.arguments.map(RawValue::get),
        Some(&*call.end),
        Some(&*call.dialect),
    ];
    for (index, text) in (1..).zip(texts) {
        if let Some(column) = calls.field_builder::<LargeStringBuilder>(index) {
            column.append_option(text);
        }
    }
    calls.append(true);
}
