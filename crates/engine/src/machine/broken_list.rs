//! Lists of Python calls that are not what they should be, where nothing but names tells that they hold calls.
//!
//! ```text
//!   [no_tool(a=1), read_file(path="a")]      a call of no tool goes by: text, and known calls behind it are read
//!   [read_file(path="a")], ping()]           the list goes on behind its bracket
//!   def run():
//!       read_file(path="a")                  code that runs elsewhere, or not at all
//! ```
//!
//! Such calls are `recovered`.

use alloc::string::String;

use super::Parser;
use super::log::{Act, Log};
use super::spoken::Doubt;
use super::thread::Thread;
use super::view::View;
use crate::program::{NodeId, Program};
use crate::{Code, End, Sink, Span};

impl Parser {
    /// The call that begins at `at` is the first of its list that is known: what stands before it is text.
    pub(super) fn begin_behind_unknown(&mut self, body: Thread, at: u64) -> Thread {
        let mut acts = core::mem::take(&mut self.spare_acts);
        self.log.acts(Log::ROOT, body.log, &mut acts);
        self.log.clear();
        let enters = acts.iter().filter(|(act, _)| matches!(act, Act::Enter(_)));
        let log = enters.fold(Log::ROOT, |log, &(act, _)| self.log.push(log, act, at));
        self.spare_acts = acts;
        (self.fallback, self.over) = (None, None);
        self.fallback_bodies.clear();
        (self.candidate, self.safe) = (at, at);
        self.hints.doubt = Some(Doubt::Broken);
        Thread { log, ..body }
    }

    /// The open call may not be meant as one: it is told so, and is `recovered`.
    pub(super) fn doubt_call(&mut self, name_at: Span, sink: &mut dyn Sink) {
        const NESTED: &str = "the call is in a block of code that may not run, or in a long string";
        match self.hints.doubt {
            None => {}
            Some(Doubt::Nested) => self.speak_of(name_at, NESTED, sink),
            Some(Doubt::Broken) => self.recover_call(),
        }
    }

    fn recover_call(&mut self) {
        if let Some(call) = &mut self.teller.call {
            call.worsen(End::Recovered);
        }
    }

    /// Whether the list of calls that ended at `at` goes on: a comma stands behind its bracket, and the call of a known tool
    /// behind that, at `next`. Nothing, if that is not known yet.
    pub(super) fn list_goes_on(
        program: &Program,
        (at, next): (u64, u64),
        view: View<'_>,
        eof: bool,
    ) -> Option<bool> {
        let is_list = at > view.base && view.byte(at - 1) == Some(b']');
        if !is_list || view.slice(at, next).matches(',').count() != 1 {
            return Some(false);
        }
        let said = view.from(next);
        let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
        let length = said.iter().take_while(in_name).count();
        if length == said.len() && !eof && length <= program.limits.capture {
            return None;
        }
        let name = view.slice(next, next + length as u64);
        Some(said.get(length) == Some(&b'(') && program.tools.meant(name).is_some())
    }

    /// The bracket before `Parser::pos`, which ended a list of calls, is one too many: the list goes on.
    pub(super) fn reopen_list(
        &mut self,
        program: &Program,
        node: NodeId,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let at = self.pos;
        self.teller.markup(view, at, sink);
        let message = "the list continues after its bracket, which was left out";
        let bracket = Span::new(at - 1, at);
        self.teller.note(
            Code::MismatchedBracket,
            bracket,
            String::from(message),
            None,
            sink,
        );
        self.recover_call();
        self.hints.doubt = Some(Doubt::Broken);
        self.go_on_behind(program, view, node, sink);
    }
}
