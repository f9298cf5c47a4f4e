//! The starts and ends of values and containers; they change the current path and shape.

use alloc::string::String;

use super::rules::{Kind, Plan, admits, is_text_or_integer, plan_of};
use super::walk::{Walk, reached};
use super::{Fit, FitKind, Fitted, Job, Level, State, Target};
use crate::pointer::push_index;
use crate::shape::{Fields, Shape};

/// The most characters of a value that a change shows.
const SHOWN: usize = 200;

impl Fit {
    /// The fields of the innermost object.
    pub(super) fn fields<'t>(&self, target: Target<'t>) -> Option<&'t Fields> {
        let level = self.levels.last()?;
        reached(target, &self.walk[..level.walk])?.fields()
    }

    /// Starts the value whose first byte is `byte`, at the root or in a container whose shape is known.
    pub(super) fn start_value(&mut self, byte: u8, job: &mut Job<'_>) {
        let kind = Kind::of(byte);
        self.held.clear();
        self.listed = false;
        let base = self.levels.last().map_or(0, |level| level.walk);
        self.walk.truncate(base);
        let step = match self.levels.last() {
            Some(level) if level.array => Some(Walk::Item),
            _ => self.step,
        };
        self.walk.extend(step);
        let mut plan = if step.is_some() || self.levels.is_empty() {
            self.plan(job.target, kind)
        } else {
            Plan::Pass
        };
        if plan == Plan::List {
            self.pos = self.start;
            self.note(FitKind::Listed, "", "[", job);
            job.out.push('[');
            self.listed = true;
            self.walk.push(Walk::Item);
            plan = self.plan(job.target, kind);
        }
        self.state = match (plan, kind) {
            (Plan::Descend, Kind::Object | Kind::Array) => {
                self.open(kind == Kind::Array, false);
                if kind == Kind::Array {
                    State::Value
                } else {
                    State::Key
                }
            }
            (_, Kind::Object | Kind::Array) => State::FREE,
            (plan, Kind::String) => State::String {
                held: plan == Plan::Hold,
                escaped: false,
            },
            (plan, _) => State::Word {
                held: plan == Plan::Hold,
            },
        };
    }

    /// The action for a value of this kind whose shape is at the end of `walk`. A choice in a union adds a step.
    fn plan(&mut self, target: Target<'_>, kind: Kind) -> Plan {
        let Some(reached) = reached(target, &self.walk) else {
            return Plan::Pass;
        };
        let shape = match reached {
            Target::Fields(_) if kind == Kind::Object => return Plan::Descend,
            Target::Fields(_) => return Plan::Pass,
            Target::Shape(shape) => shape,
        };
        let Shape::OneOf(shapes) = shape else {
            return plan_of(shape, kind);
        };
        if kind == Kind::Number && is_text_or_integer(shapes) {
            return Plan::Hold;
        }
        let first = |wanted: &dyn Fn(&Shape) -> bool| shapes.iter().position(wanted);
        if let Some(choice) = first(&|shape| admits(shape, kind)) {
            self.walk.push(Walk::Choice(choice));
            return plan_of(&shapes[choice], kind);
        }
        if first(&|shape| plan_of(shape, kind) == Plan::Hold).is_some() {
            return Plan::Hold;
        }
        match first(&|shape| plan_of(shape, kind) == Plan::List) {
            Some(choice) => {
                self.walk.push(Walk::Choice(choice));
                Plan::List
            }
            None => Plan::Pass,
        }
    }

    pub(super) fn open(&mut self, array: bool, unwrapped: bool) {
        if self.listed || self.levels.last().is_some_and(|level| level.array) {
            let pointer = self.pointer();
            self.path = pointer;
        }
        self.levels.push(Level {
            walk: self.walk.len(),
            path: self.path.len(),
            index: 0,
            array,
            listed: core::mem::take(&mut self.listed),
            unwrapped,
            present: self.present.len(),
            start: self.start,
            renamable: None,
        });
    }

    /// Ends the innermost container with `closer`.
    pub(super) fn close(&mut self, closer: &str, job: &mut Job<'_>) {
        let Some(level) = self.levels.pop() else {
            job.out.push_str(closer);
            return;
        };
        if level.unwrapped {
            // The properties of an unwrapped object belong to its parent.
            for present in &mut self.present[level.present..] {
                present.moved = true;
            }
            self.state = State::After;
            return;
        }
        self.present.truncate(level.present);
        job.out.push_str(closer);
        self.listed = level.listed;
        self.end_value(job);
    }

    pub(super) fn end_value(&mut self, job: &mut Job<'_>) {
        if core::mem::take(&mut self.listed) {
            job.out.push(']');
        }
        self.held.clear();
        self.state = if self.levels.is_empty() {
            State::Done
        } else {
            State::After
        };
    }

    /// The pointer to the current value.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = match self.levels.last() {
            Some(level) if level.array => {
                let mut pointer = String::from(&self.path[..level.path]);
                push_index(&mut pointer, level.index);
                pointer
            }
            _ => self.path.clone(),
        };
        if self.listed {
            push_index(&mut pointer, 0);
        }
        pointer
    }

    /// Records a change of the input from `start` to `pos`. The caller emits the new text afterwards.
    #[cold]
    pub(super) fn note(&mut self, change: FitKind, before: &str, after: &str, job: &Job<'_>) {
        self.changes.push(Fitted {
            change,
            path: self.pointer(),
            start: self.start,
            end: self.pos,
            at: self.emitted + job.out.len() - job.from,
            before: before.chars().take(SHOWN).collect(),
            after: after.chars().take(SHOWN).collect(),
        });
    }
}
