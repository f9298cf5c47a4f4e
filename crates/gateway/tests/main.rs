//! The gateway as its clients see it, over sockets of this machine. The upstream is scripted: see `fake_upstream`.

mod admission;
mod calls;
mod client;
mod constrain;
mod execute;
mod fake_upstream;
mod gateway;
mod limits;
mod modes;
mod passthrough;
mod reasoning;
mod recorded;
mod report;
