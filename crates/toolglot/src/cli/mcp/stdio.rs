//! Over standard input and output: a message a line.

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
/// How often it is looked whether all is done.
const TICK: Duration = Duration::from_millis(20);

/// Serves until standard input ends and all that was asked is answered, until nobody reads what is answered, or until it is
/// interrupted.
pub(super) fn serve(
    served: &Arc<Served>,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let (tell, told) = mpsc::channel::<Value>();
    let session = Arc::new(Session::new(
        Arc::clone(served) as Arc<dyn toolglot_mcp::server::Tools>
    ));
    let to_client: Out = {
        let tell = tell.clone();
        Arc::new(move |message: &Message| {
            let _ = tell.send(message.write());
        })
    };
    session.listen(Arc::clone(&to_client));
    let is_over = Arc::new(AtomicBool::new(false));
    let watching = watch(served, &session, &is_over);
    let reading = {
        let session = Arc::clone(&session);
        std::thread::spawn(move || read(&session, &to_client, &tell))
    };
    let mut write = |message: &Value| write_line(out, message).and_then(|()| out.flush());
    let mut written = Ok(());
    let mut is_interrupted = false;
    while written.is_ok() {
        is_interrupted = cancel.is_cancelled();
        if is_interrupted {
            break;
        }
        match told.recv_timeout(TICK) {
            Ok(message) => written = write(&message),
            // The reader and all that it started are done: nobody is left who could tell anything.
            Err(_) if reading.is_finished() && Arc::strong_count(&session) == 1 => break,
            Err(_) if is_unread() => written = Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => {}
        }
    }
    // What was reported between the last look and the end.
    while let (Ok(()), Ok(message)) = (&written, told.try_recv()) {
        written = write(&message);
    }
    is_over.store(true, Ordering::SeqCst);
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

/// Whether nobody has the other end of standard output any more: no answer reaches anybody, and nothing is worth finishing.
#[cfg(unix)]
fn is_unread() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = io::stdout();
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec::default()));
    polled.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

/// Not known here before something is written.
#[cfg(not(unix))]
fn is_unread() -> bool {
    false
}

/// Tells the client when the tools are others, every few seconds.
fn watch(
    served: &Arc<Served>,
    session: &Arc<Session>,
    is_over: &Arc<AtomicBool>,
) -> std::thread::JoinHandle<()> {
    let (served, session, is_over) = (
        Arc::clone(served),
        Arc::downgrade(session),
        Arc::clone(is_over),
    );
    std::thread::spawn(move || {
        let mut n = 0_u32;
        while !is_over.load(Ordering::SeqCst) {
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

/// Reads until the end. Whether a line was refused.
fn read(session: &Arc<Session>, out: &Out, tell: &mpsc::Sender<Value>) -> bool {
    let mut input = BufReader::new(std::io::stdin().lock());
    let fault = |code, why: String| {
        let result = Err(Fault::new(code, why));
        let id = Value::Null;
        let _ = tell.send(Message::Response { id, result }.write());
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
            // A call may take its time, and may be taken back meanwhile.
            let heard = session.note(value);
            let (session, out, tell) = (Arc::clone(session), Arc::clone(out), tell.clone());
            std::thread::spawn(move || {
                if let Some(answer) = session.hear_noted(heard, &out) {
                    let _ = tell.send(answer.write());
                }
            });
        } else if let Some(answer) = session.hear(value, out) {
            let _ = tell.send(answer.write());
        }
    }
}
