//! Time limits for reading from a client.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection with a read deadline, however slowly its bytes come.
#[derive(Debug)]
pub(crate) struct Patient<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl<'a> Patient<'a> {
    /// The deadline is `time` from now.
    pub(crate) fn new(stream: &'a TcpStream, time: Duration) -> Patient<'a> {
        let until = Instant::now() + time;
        Patient { stream, until }
    }

    /// Sets the deadline to `time` from now.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.until = Instant::now() + time;
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        (&mut &*self.stream).read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_comes_too_late_is_not_read() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client =
            TcpStream::connect(listener.local_addr().expect("it has one")).expect("it listens");
        let (stream, _) = listener.accept().expect("it connects");
        client.write_all(b"a head").expect("it is written");
        let mut late = Patient::new(&stream, Duration::ZERO);
        let mut byte = [0];
        let error = late.read(&mut byte).expect_err("its time is up");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        late.wait(Duration::from_secs(60));
        assert_eq!(late.read(&mut byte).expect("there is time"), 1);
        // A silent client has the same deadline as a slow one.
        late.read_exact(&mut [0; 5]).expect("it is there");
        late.wait(Duration::from_millis(1));
        assert!(late.read(&mut byte).is_err());
    }
}
