//! One thread for a subcommand that waits for several things at once.
use anyhow::Context;

/// Runs `future` to its end on this thread. What it left on blocking threads (a read of standard input that cannot be interrupted, a look
/// at a dead mount) goes on without anybody who waits for it, so that it cannot keep the process.
///
/// # Errors
/// When the system gives no event queue.
pub fn block_on<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime cannot be started")?;
    let done = executor.block_on(future);
    executor.shutdown_background();
    Ok(done)
}
