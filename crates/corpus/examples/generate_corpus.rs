//! Writes a corpus of conversations with tool calls, for measurements: `generate_corpus ROWS FILE [--own-tools] [--seed N]`.
//!
//! Rows share a hundred sets of tools, or each has its own. Of a hundred calls one is truncated, one has an unknown
//! tool, one has arguments of a wrong type, and two have repairable errors. The same seed gives the same bytes.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use toolglot_value::{Value, json};

/// The number of shared sets of tools.
const SETS: u64 = 100;

/// The number of tools in a set.
const TOOLS: u64 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "generate_corpus ROWS FILE [--own-tools] [--seed N]";
    let rows: u64 = arguments.next().ok_or(usage)?.parse()?;
    let path = arguments.next().ok_or(usage)?;
    let (mut has_own_tools, mut seed) = (false, 1);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--own-tools" => has_own_tools = true,
            "--seed" => seed = arguments.next().ok_or(usage)?.parse()?,
            _ => return Err(usage.into()),
        }
    }
    let file = File::create(&path)?;
    if Path::new(&path)
        .extension()
        .is_some_and(|ending| ending == "zst")
    {
        let mut out = zstd::stream::write::Encoder::new(file, 1)?;
        write_rows(rows, has_own_tools, seed, &mut out)?;
        out.finish()?;
    } else {
        write_rows(rows, has_own_tools, seed, &mut BufWriter::new(file))?;
    }
    Ok(())
}

fn write_rows(
    rows: u64,
    has_own_tools: bool,
    seed: u64,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut random = Random(seed);
    let sets: Vec<Value> = (0..SETS).map(|set| tools(&format!("s{set}"))).collect();
    for row in 0..rows {
        let set = random.below(SETS);
        let (prefix, tools) = if has_own_tools {
            let prefix = format!("r{row}");
            let tools = tools(&prefix);
            (prefix, tools)
        } else {
            (format!("s{set}"), sets[set as usize].clone())
        };
        let tool = format!("{prefix}_tool_{}", random.below(TOOLS));
        let messages = json!([
            {"role": "user", "content": format!("Question {row}: what is in file {}?", random.below(1000))},
            {"role": "assistant", "content": answer(&tool, &mut random)},
            {"role": "tool", "content": "It has nine lines."},
            {"role": "assistant", "content": "The file has nine lines, and the last one is empty."},
        ]);
        let row = json!({"id": row, "messages": messages, "tools": tools});
        writeln!(out, "{row}")?;
    }
    out.flush()
}

/// Tools with two parameters each.
fn tools(prefix: &str) -> Value {
    let tool = |n: u64| {
        json!({"type": "function", "function": {
            "name": format!("{prefix}_tool_{n}"),
            "description": "Reads a part of a file of the project.",
            "parameters": {"type": "object", "required": ["path"], "properties": {
                "path": {"type": "string", "description": "The file, from the root of the project."},
                "lines": {"type": "integer", "description": "How many lines to read."},
            }},
        }})
    };
    (0..TOOLS).map(tool).collect()
}

/// An answer with one call.
fn answer(tool: &str, random: &mut Random) -> String {
    let path = format!("src/part_{}.rs", random.below(10_000));
    let lines = random.below(500);
    let call = match random.below(100) {
        0 => {
            return format!(
                "I look.\n<tool_call>\n{{\"name\": \"{tool}\", \"arguments\": {{\"path\": \"{path}"
            );
        }
        1 => format!("{{\"name\": \"{tool}_x\", \"arguments\": {{\"path\": \"{path}\"}}}}"),
        2 => format!("{{\"name\": \"{tool}\", \"arguments\": {{\"path\": [\"{path}\"]}}}}"),
        3 => format!("{{'name': '{tool}', 'arguments': {{'path': '{path}'}}}}"),
        4 => format!("{{\"name\": \"{tool}\", \"arguments\": {{\"path\": \"{path}\",}}}}"),
        _ => format!(
            "{{\"name\": \"{tool}\", \"arguments\": {{\"path\": \"{path}\", \"lines\": {lines}}}}}"
        ),
    };
    format!("I look at the file, and then I answer.\n<tool_call>\n{call}\n</tool_call>")
}

/// Pseudorandom numbers: SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}
