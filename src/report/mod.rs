//! Sinks of verdicts.
pub mod audit;

use crate::gate::Verdict;

/// Where verdicts go. All that writes them down, or reports them, reads the same [`Verdict`].
pub trait Sink {
    /// Takes verdicts in the order they were made, before any of them is acted on.
    ///
    /// # Errors
    /// When not all of them could be taken; then none of them is acted on.
    fn record(&mut self, verdicts: &[&Verdict]) -> anyhow::Result<()>;
}

/// The sinks of a session, one after the other; the first that fails ends it. The audit is the first of all, so that nothing is reported
/// that is not on record.
#[derive(Default)]
pub struct Sinks(Vec<Box<dyn Sink>>);

impl Sinks {
    /// Sinks that begin with the audit.
    pub fn with_audit(audit: audit::Audit) -> Self {
        Self(vec![Box::new(audit)])
    }

    /// Adds one behind the others.
    pub fn push(&mut self, sink: impl Sink + 'static) {
        self.0.push(Box::new(sink));
    }
}

impl Sink for Sinks {
    fn record(&mut self, verdicts: &[&Verdict]) -> anyhow::Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.record(verdicts))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::{Sink, Sinks};
    use crate::gate::Verdict;

    /// Notes that it was called, and takes nothing if it is broken.
    struct Noting(&'static str, bool, Rc<RefCell<Vec<&'static str>>>);

    impl Sink for Noting {
        fn record(&mut self, _: &[&Verdict]) -> anyhow::Result<()> {
            self.2.borrow_mut().push(self.0);
            anyhow::ensure!(!self.1, "broken");
            Ok(())
        }
    }

    #[test]
    fn what_the_first_sink_does_not_take_reaches_no_other() {
        for (broken, reached) in [(false, vec!["audit", "report"]), (true, vec!["audit"])] {
            let called = Rc::default();
            let mut sinks = Sinks::default();
            sinks.push(Noting("audit", broken, Rc::clone(&called)));
            sinks.push(Noting("report", false, Rc::clone(&called)));
            assert_eq!(sinks.record(&[]).is_err(), broken);
            assert_eq!(*called.borrow(), reached);
        }
    }
}
