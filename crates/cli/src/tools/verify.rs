//! `toolglot tools verify`.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Value, json};
use toolglot_toolfiles::Standing;

use super::args::Common;
use super::{House, answer, view};
use crate::Outcome;
use crate::failure::Failure;

pub(super) fn verify(
    words: &[String],
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let house = House::open(&common.root)?;
    let (mut text, mut rows, mut is_faulty) = (String::new(), Vec::new(), false);
    for found in house.named(words)? {
        let version = found.tool().metadata.version.as_deref();
        let standing = house.trust.standing(&found, version);
        match &standing {
            Ok(Standing::Signed(verified)) => {
                let _ = writeln!(
                    text,
                    "{}  signed by {} ({})",
                    found.id, verified.owner, verified.key
                );
            }
            Ok(standing) => {
                let _ = writeln!(text, "{}  {}", found.id, standing.word());
            }
            Err(refusal) => {
                is_faulty = true;
                let _ = writeln!(text, "{}  refused: {refusal}", found.id);
            }
        }
        rows.push(json!({"id": found.id.as_str(), "standing": view::standing_of(&standing)}));
    }
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(is_faulty))
}
