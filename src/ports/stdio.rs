//! Our own standard input and output, without a thread per read wherever the kind of descriptor allows.
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// A reader of any kind.
pub type Reader = Pin<Box<dyn AsyncRead + Send>>;
/// A writer of any kind.
pub type Writer = Pin<Box<dyn AsyncWrite + Send>>;

/// Opens both. Pipes are what most clients give; Node gives socket pairs; everything else (terminals, files) goes by way of
/// blocking threads.
pub fn open() -> (Reader, Writer) {
    #[cfg(unix)]
    if let Some((reader, writer)) = sockets() {
        return (reader, writer);
    }
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    (Box::pin(reader), Box::pin(writer))
}

/// Whether the client has closed its end of standard input, whatever is still in it unread.
#[cfg(unix)]
pub fn client_has_left() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = rustix::stdio::stdin();
    let mut end = PollFd::new(&stdin, PollFlags::empty());
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(std::slice::from_mut(&mut end), Some(&at_once)).is_ok() && end.revents().contains(PollFlags::HUP)
}

/// Whether the client has closed its end; seen only by reading here.
#[cfg(windows)]
pub const fn client_has_left() -> bool {
    false
}

#[cfg(unix)]
fn sockets() -> Option<(Reader, Writer)> {
    let reader = socket(&rustix::stdio::stdin())?;
    let writer = socket(&rustix::stdio::stdout())?;
    Some((Box::pin(reader), Box::pin(writer)))
}

/// A duplicate shares the open socket, so this also makes the original non-blocking; nothing else of this process uses it, and
/// children never inherit it.
#[cfg(unix)]
fn socket(descriptor: &std::os::fd::BorrowedFd<'_>) -> Option<tokio::net::UnixStream> {
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(descriptor).ok()?.st_mode);
    if kind != rustix::fs::FileType::Socket {
        return None;
    }
    let stream = std::os::unix::net::UnixStream::from(rustix::io::dup(descriptor).ok()?);
    stream.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(stream).ok()
}
