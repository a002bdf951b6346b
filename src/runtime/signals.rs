//! The signals that end the gate, and with it the server.
use std::io;

/// What is listened for.
pub struct Signals {
    #[cfg(unix)]
    all: [(tokio::signal::unix::Signal, u8); 3],
}

impl Signals {
    #[cfg(unix)]
    /// Starts to listen.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind: SignalKind| Ok::<_, io::Error>((signal(kind)?, u8::try_from(128 + kind.as_raw_value()).unwrap_or(u8::MAX)));
        Ok(Self { all: [listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?, listen(SignalKind::hangup())?] })
    }

    #[cfg(unix)]
    /// Waits for one; the exit code that stands for it.
    pub async fn next(&mut self) -> u8 {
        let [(terminate, first), (interrupt, second), (hangup, third)] = &mut self.all;
        tokio::select! {
            _ = terminate.recv() => *first,
            _ = interrupt.recv() => *second,
            _ = hangup.recv() => *third,
        }
    }

    #[cfg(windows)]
    /// Starts to listen.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(windows)]
    /// Waits for one; the exit code that stands for it.
    pub async fn next(&mut self) -> u8 {
        let _ = tokio::signal::ctrl_c().await;
        130
    }
}
