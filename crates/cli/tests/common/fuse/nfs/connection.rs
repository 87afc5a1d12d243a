//! A connection whose reads and writes block, for a limited time.
//!
//! The client's own connections read for ever after the server has closed one.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use nfs3_client::io::{AsyncRead, AsyncWrite};
use rustix::io::Errno;

/// The longest wait for the server.
const LIMIT: Duration = Duration::from_secs(60);

pub(super) struct Connection(TcpStream);

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        Ok(Self(stream))
    }
}

/// The bytes that were moved, or what went wrong.
fn moved(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Ok(0) => Err(Errno::CONNRESET.into()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(Errno::TIMEDOUT.into()),
        other => other,
    }
}

impl AsyncRead for Connection {
    async fn async_read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        moved(self.0.read(buf))
    }
}

impl AsyncWrite for Connection {
    async fn async_write(&mut self, buf: &[u8]) -> io::Result<usize> {
        moved(self.0.write(buf))
    }
}

/// The result of a call. It is there at once, because connections block.
pub(super) fn result<T>(call: impl Future<Output = T>) -> T {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("no connection waits in another way"),
    }
}
