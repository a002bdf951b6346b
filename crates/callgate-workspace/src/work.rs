//! Work that blocks: off the session's thread, within a time, stopped when the call is cancelled.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::outcome::Payload;

/// Tells long work that its result is no longer wanted; it looks between steps.
#[derive(Debug, Clone)]
pub struct Stop {
    cancelled: Arc<AtomicBool>,
    deadline: Instant,
}

impl Stop {
    /// Work that may take this long.
    pub fn after(limit: Duration) -> Self {
        Self { cancelled: Arc::new(AtomicBool::new(false)), deadline: Instant::now() + limit }
    }

    /// Raises the flag when what is returned is dropped, as it is when a call is cancelled.
    pub fn raised_on_drop(&self) -> impl Drop + use<> {
        Raise(Arc::clone(&self.cancelled))
    }

    /// Whether to stop now.
    pub fn now(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

/// Raises the flag when the waiting side goes away, whatever the reason.
struct Raise(Arc<AtomicBool>);

impl Drop for Raise {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How much longer than its limit work is waited for, since it stops only between steps.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `work` on a thread that may block.
pub async fn blocking<T, F>(context: &RequestContext<RoleServer>, limit: Duration, work: F) -> T
where
    T: Payload + Send + 'static,
    F: FnOnce(&Stop) -> T + Send + 'static,
{
    let stop = Stop::after(limit);
    let _raise = stop.raised_on_drop();
    let task = tokio::task::spawn_blocking(move || work(&stop));
    tokio::select! {
        done = task => done.unwrap_or_else(|_| T::failed("the tool met a fault in itself and stopped; the call had no answer")),
        () = context.ct.cancelled() => T::failed("the call was cancelled"),
        () = tokio::time::sleep(limit + GRACE) => T::failed(format!("no answer within {} seconds; narrow the call", limit.as_secs())),
    }
}

/// Runs work that waits, until the call is cancelled.
pub async fn unless_cancelled<T: Payload>(context: &RequestContext<RoleServer>, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = work => done,
        () = context.ct.cancelled() => T::failed("the call was cancelled"),
    }
}
