//! A gateway for one test.

use std::net::{SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;
use toolglot_gateway::{Server, ServerBuilder};

use crate::fake_upstream::FakeUpstream;

/// A gateway that stops when it is dropped.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Gateway {
    /// A gateway in front of that upstream.
    pub(crate) fn before(upstream: &FakeUpstream) -> Gateway {
        Gateway::of(Server::builder(upstream.url()))
    }

    pub(crate) fn of(builder: ServerBuilder) -> Gateway {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = builder.build().expect("a server");
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            let stopped = async {
                let _ = stopped.await;
            };
            runtime
                .block_on(server.serve(listener, stopped))
                .expect("it serves");
        });
        Gateway {
            address,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Stops the gateway, and waits until it has stopped.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends without a panic");
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // The thread ends on its own; a failed test does not wait for it.
        self.stop.take();
    }
}
