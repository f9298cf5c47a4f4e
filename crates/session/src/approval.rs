//! Approval requests: what exactly a call would do, and whether it may run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use toolglot_builtins::audit::hex;
use toolglot_builtins::{Root, change};
use toolglot_engine::{Call, Note};
use toolglot_policy::{Decision, Verdict};
use toolglot_value::{Map, Value};

use crate::hash_writer::HashWriter;

/// Approves or rejects the calls for which a policy says `ask`.
///
/// What is approved is what runs: the session compares the call, and the file that the call would change, before the
/// request and after the answer. An approver that panics has not approved.
pub trait Approver: Send + Sync {
    /// Whether the call may run.
    fn ask(&self, request: &ApprovalRequest<'_>) -> Approval;

    /// Whether anybody can answer. If nobody can, a shell block with a line that needs approval runs no line.
    fn is_present(&self) -> bool {
        true
    }
}

/// An approver without a person: every call that needs approval is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask(&self, _: &ApprovalRequest<'_>) -> Approval {
        Approval::Nobody
    }

    fn is_present(&self) -> bool {
        false
    }
}

/// The answer of an approver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The call may run, once, as it was shown.
    Yes,
    /// The call may not run.
    No,
    /// Nobody was there to answer.
    Nobody,
}

/// A request to approve a call.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequest<'a> {
    call: CallSummary<'a>,
    verdict: &'a Verdict,
    context: Context<'a>,
}

/// What an approver should know about a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context<'a> {
    pub(crate) notes: &'a [&'a Note],
    pub(crate) message: Option<MessageText<'a>>,
}

/// The message that contains a call.
#[derive(Clone, Copy, Debug)]
pub struct MessageText<'a> {
    /// The text, into which spans point.
    pub text: &'a str,
    /// All calls in the text.
    pub calls: &'a [Call],
}

impl<'a> ApprovalRequest<'a> {
    /// The call.
    pub fn call(&self) -> &CallSummary<'a> {
        &self.call
    }

    /// The policy's verdict: which rule asks, and why.
    pub fn verdict(&self) -> &'a Verdict {
        self.verdict
    }

    /// The notes about the call, to be read before the decision. With several requests for one call, only the first has
    /// the notes.
    pub fn notes(&self) -> &'a [&'a Note] {
        self.context.notes
    }

    /// The message that contains the call, if there is one.
    pub fn message(&self) -> Option<MessageText<'a>> {
        self.context.message
    }
}

/// A call as it is shown, approved and logged.
#[derive(Clone, Copy, Debug)]
pub struct CallSummary<'a> {
    pub(crate) root: &'a Root,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
}

impl<'a> CallSummary<'a> {
    /// A call of `tool` in `root`.
    pub fn new(root: &'a Root, tool: &'a str, arguments: &'a Map<String, Value>) -> Self {
        CallSummary {
            root,
            tool,
            arguments,
        }
    }

    /// The directory that no call can leave.
    pub fn root(&self) -> &'a Path {
        self.root.path()
    }

    /// The tool.
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// The arguments of the call, with defaults filled in.
    pub fn arguments(&self) -> &'a Map<String, Value> {
        self.arguments
    }

    /// The call as JSON, keys in order.
    pub fn canonical(&self) -> String {
        let mut text = Vec::new();
        // Writing into memory never fails, and the JSON is UTF-8.
        let _ = self.write_canonical(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Writes the call as JSON, keys in order.
    fn write_canonical(&self, out: &mut impl io::Write) -> io::Result<()> {
        let sorted: BTreeMap<&String, &Value> = self.arguments.iter().collect();
        out.write_all(b"{\"tool\":")?;
        serde_json::to_writer(&mut *out, self.tool)?;
        out.write_all(b",\"arguments\":")?;
        serde_json::to_writer(&mut *out, &sorted)?;
        out.write_all(b",\"root\":")?;
        serde_json::to_writer(&mut *out, &self.root.path().to_string_lossy())?;
        out.write_all(b"}")
    }

    /// The SHA-256 of the call as JSON, keys in order, in hexadecimal.
    pub(crate) fn canonical_digest(&self) -> String {
        let mut hash = HashWriter::default();
        // Writing into a hash never fails.
        let _ = self.write_canonical(&mut hash);
        hex(&hash.hash())
    }

    /// What an edit would change, as a diff.
    pub fn diff(&self) -> Option<String> {
        change(self.root, self.tool, self.arguments).map(|change| change.diff())
    }

    /// The SHA-256 of the call and of the file that it would change, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = HashWriter::default();
        // Writing into a hash never fails.
        let _ = hash
            .write_all(b"toolglot-approval-v1\0")
            .and_then(|()| self.write_canonical(&mut hash))
            .and_then(|()| hash.write_all(&[0]));
        if let Some(change) = change(self.root, self.tool, self.arguments) {
            let _ = hash.write_all(change.old.unwrap_or_default().as_bytes());
        }
        hex(&hash.hash())
    }
}

/// Whether this verdict is the answer of an approver.
pub fn is_answer(verdict: &Verdict) -> bool {
    const RULES: &[&str] = &[
        "approved",
        "not-approved",
        "approver-failed",
        "changed-since-approval",
    ];
    RULES.contains(&&*verdict.rule)
}

/// The approver, and what it should know about the calls.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) approver: &'a dyn Approver,
    pub(crate) context: Context<'a>,
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").finish_non_exhaustive()
    }
}

impl Question<'_> {
    /// Whether anybody can answer. An approver that panics counts as absent.
    pub(crate) fn is_answerable(self) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.approver.is_present())).unwrap_or(false)
    }

    /// Requests approval for all of `calls`, which run together, and returns the final verdict. The first call without
    /// approval ends the requests. After the last answer all calls are compared once more.
    pub(crate) fn ask(self, calls: &[CallSummary<'_>], mut verdict: Verdict) -> Verdict {
        let before: Vec<String> = calls.iter().map(CallSummary::digest).collect();
        let mut context = self.context;
        for call in calls {
            let request = ApprovalRequest {
                call: *call,
                verdict: &verdict,
                context,
            };
            context.notes = &[];
            // The approver is foreign code: whatever it does, nothing runs that was not approved.
            let answer = catch_unwind(AssertUnwindSafe(|| self.approver.ask(&request)));
            match answer {
                Ok(Approval::Yes) => {}
                Ok(Approval::No) => {
                    return verdict_of(
                        Decision::Deny,
                        "not-approved",
                        "the user did not approve it",
                    );
                }
                Ok(Approval::Nobody) => {
                    verdict.because.push_str(" (nobody can be asked)");
                    return verdict;
                }
                Err(_) => {
                    return verdict_of(
                        Decision::Deny,
                        "approver-failed",
                        "the approver failed, and nothing was approved",
                    );
                }
            }
        }
        if !calls.iter().map(CallSummary::digest).eq(before) {
            return verdict_of(
                Decision::Deny,
                "changed-since-approval",
                "the file changed while the user was looking at it, so the approval is for something else",
            );
        }
        verdict_of(Decision::Allow, "approved", "the user approved it")
    }
}

fn verdict_of(decision: Decision, rule: &'static str, because: &str) -> Verdict {
    Verdict {
        decision,
        rule: rule.into(),
        because: because.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot_value::json;

    /// Writes to a file, then approves.
    struct Sly(std::path::PathBuf);

    impl Approver for Sly {
        fn ask(&self, _: &ApprovalRequest<'_>) -> Approval {
            std::fs::write(&self.0, "other").expect("written");
            Approval::Yes
        }
    }

    struct Panicking;

    impl Approver for Panicking {
        fn ask(&self, _: &ApprovalRequest<'_>) -> Approval {
            panic!("on purpose")
        }
    }

    /// The rule after an approval request.
    fn rule_after(approver: &dyn Approver, root: &Path) -> (Decision, String) {
        let root = Root::open(root).expect("opened");
        let arguments = json!({"path": "a", "content": "new"});
        let arguments = arguments.as_object().expect("an object");
        let call = CallSummary::new(&root, "write_file", arguments);
        let asked = verdict_of(Decision::Ask, "write-needs-grant", "it writes");
        let question = Question {
            approver,
            context: Context::default(),
        };
        let verdict = question.ask(&[call], asked);
        assert_eq!(is_answer(&verdict), approver.is_present(), "{verdict:?}");
        (verdict.decision, verdict.rule.into_owned())
    }

    #[test]
    fn a_file_that_changes_under_the_question_is_not_approved() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a");
        std::fs::write(&file, "old").expect("written");
        let (decision, rule) = rule_after(&Sly(file), directory.path());
        assert_eq!(
            (decision, &*rule),
            (Decision::Deny, "changed-since-approval")
        );
    }

    #[test]
    fn the_hash_of_a_call_is_that_of_its_text() {
        use sha2::Digest as _;
        let directory = tempfile::tempdir().expect("a directory");
        let root = Root::open(directory.path()).expect("opened");
        let arguments = json!({"path": "a", "content": "new"});
        let call = CallSummary::new(
            &root,
            "write_file",
            arguments.as_object().expect("an object"),
        );
        let hash = sha2::Sha256::digest(call.canonical());
        assert_eq!(call.canonical_digest(), hex(&hash));
        assert_ne!(call.digest(), call.canonical_digest());
    }

    #[test]
    fn a_panic_approves_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let (decision, rule) = rule_after(&Panicking, directory.path());
        assert_eq!((decision, &*rule), (Decision::Deny, "approver-failed"));
        let (decision, rule) = rule_after(&Nobody, directory.path());
        assert_eq!((decision, &*rule), (Decision::Ask, "write-needs-grant"));
    }
}
