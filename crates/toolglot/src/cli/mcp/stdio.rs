//! Serves over standard input and output, one message per line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use toolglot_mcp::message::{Fault, Message, PARSE, REQUEST};
use toolglot_mcp::server::{Out, Session};
use toolglot_sandbox::Cancel;
use toolglot_value::Value;

use super::tool_server::Served;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;

/// A longer line is refused.
const MAX_LINE: u64 = 64 << 20;
/// How often a loop checks whether all work is done.
const TICK: Duration = Duration::from_millis(20);

/// Serves until standard input ends and all requests are answered, until the reader of standard output is gone, or
/// until an interrupt.
pub(super) fn serve(
    served: &Arc<Served>,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let (sender, inbox) = mpsc::channel::<Value>();
    let session = Arc::new(Session::new(
        Arc::clone(served) as Arc<dyn toolglot_mcp::server::Tools>
    ));
    let to_client: Out = {
        let sender = sender.clone();
        Arc::new(move |message: &Message| {
            let _ = sender.send(message.write());
        })
    };
    session.listen(Arc::clone(&to_client));
    let is_done = Arc::new(AtomicBool::new(false));
    let watching = watch(served, &session, &is_done);
    let reading = {
        let session = Arc::clone(&session);
        std::thread::spawn(move || read(&session, &to_client, &sender))
    };
    let mut write = |message: &Value| write_line(out, message).and_then(|()| out.flush());
    let mut written = Ok(());
    let mut is_interrupted = false;
    while written.is_ok() {
        is_interrupted = cancel.is_cancelled();
        if is_interrupted {
            break;
        }
        match inbox.recv_timeout(TICK) {
            Ok(message) => written = write(&message),
            // The reader thread and all its calls are done, so no message can follow.
            Err(_) if reading.is_finished() && Arc::strong_count(&session) == 1 => break,
            Err(_) if is_unread() => written = Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => {}
        }
    }
    // Messages that arrived between the last check and the end.
    while let (Ok(()), Ok(message)) = (&written, inbox.try_recv()) {
        written = write(&message);
    }
    is_done.store(true, Ordering::SeqCst);
    let _ = watching.join();
    if let Err(error) = written {
        return Err(Failure::Output(error));
    }
    if is_interrupted {
        return Ok(Outcome::Interrupted);
    }
    Ok(Outcome::faulty_if(matches!(
        reading.join(),
        Ok(true) | Err(_)
    )))
}

/// Whether the other end of standard output is closed. Then no answer can reach the client.
#[cfg(unix)]
fn is_unread() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = io::stdout();
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec::default()));
    polled.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

/// On this system, a closed output is not known before a write.
#[cfg(not(unix))]
fn is_unread() -> bool {
    false
}

/// Checks every two seconds whether the tools changed, and notifies the client.
fn watch(
    served: &Arc<Served>,
    session: &Arc<Session>,
    is_done: &Arc<AtomicBool>,
) -> std::thread::JoinHandle<()> {
    let (served, session, is_done) = (
        Arc::clone(served),
        Arc::downgrade(session),
        Arc::clone(is_done),
    );
    std::thread::spawn(move || {
        let mut n = 0_u32;
        while !is_done.load(Ordering::SeqCst) {
            std::thread::sleep(TICK);
            n += 1;
            if n.is_multiple_of(100) && served.is_changed() {
                let Some(session) = session.upgrade() else {
                    return;
                };
                session.tools_changed();
            }
        }
    })
}

/// Reads messages until the end of input. Returns whether a line was too long.
fn read(session: &Arc<Session>, out: &Out, sender: &mpsc::Sender<Value>) -> bool {
    let mut input = BufReader::new(std::io::stdin().lock());
    let fault = |code, why: String| {
        let result = Err(Fault::new(code, why));
        let id = Value::Null;
        let _ = sender.send(Message::Response { id, result }.write());
    };
    loop {
        let mut line = Vec::new();
        match (&mut input).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return false,
            Ok(n) if n as u64 == MAX_LINE && !line.ends_with(b"\n") => {
                fault(REQUEST, format!("a line has more than {MAX_LINE} bytes"));
                return true;
            }
            Ok(_) => {}
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let value = match toolglot_mcp::message::read_once(&line) {
            Ok(value) => value,
            Err(error) => {
                fault(PARSE, format!("not JSON: {error}"));
                continue;
            }
        };
        let is_call = value.get("method").and_then(Value::as_str) == Some("tools/call");
        if is_call || value.is_array() {
            // A call may take long, and the client may cancel it meanwhile.
            let noted = session.note(value);
            let (session, out, sender) = (Arc::clone(session), Arc::clone(out), sender.clone());
            std::thread::spawn(move || {
                if let Some(answer) = session.hear_noted(noted, &out) {
                    let _ = sender.send(answer.write());
                }
            });
        } else if let Some(answer) = session.hear(value, out) {
            let _ = sender.send(answer.write());
        }
    }
}
