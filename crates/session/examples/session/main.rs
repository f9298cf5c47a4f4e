//! A session with its own approver, tool and log: `cargo run -p toolglot-session --example session`
#![expect(clippy::print_stdout, reason = "an example prints")]

use toolglot_session::{
    Approval, ApprovalRequest, Approver, AuditLog, CallSummary, Cancel, Effect, PathFact, Policies,
    Session, Tool, Verdict,
};
use toolglot_value::{Map, Value, json};

/// Approves a call only when its path is this file.
struct OneFile(&'static str);
impl Approver for OneFile {
    fn ask(&self, request: &ApprovalRequest<'_>) -> Approval {
        let path = request.call().arguments().get("path");
        let is_it = path.is_some_and(|path| path == self.0);
        if is_it { Approval::Yes } else { Approval::No }
    }
}

struct Temperature;
impl Tool for Temperature {
    fn name(&self) -> &'static str {
        "temperature"
    }
    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
    }
    fn effect(&self, _: &Map<String, Value>) -> Effect {
        Effect::Read
    }
    fn call(&self, arguments: &Map<String, Value>, _: &Cancel) -> Result<Value, String> {
        Ok(json!(format!("18 degrees in {}", arguments["city"])))
    }
}

struct Print;
impl AuditLog for Print {
    fn before(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        _: &[PathFact],
    ) -> std::io::Result<()> {
        println!("{} will run: {}", call.tool(), verdict.because);
        Ok(())
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = tempfile::tempdir()?;
    let builder = Session::builder(root.path(), Policies::usual(root.path())).without_journal();
    let builder = builder.approver(OneFile("note")).audit(Print);
    let session = builder.function(Temperature).build()?;
    let run = session.run(include_str!("message.txt"))?;
    println!("{}", run.answer);
    assert!(run.is_fine() && root.path().join("note").is_file());
    Ok(())
}
