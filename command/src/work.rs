//! Jobs that may take too long, or fail where they must not.
//!
//! A job runs on a thread of its own with a large stack, while the caller keeps the progress bar alive.
//! One that is not over in time is left behind: a thread can't be stopped from outside, so only a few may be,
//! and after that no job is tried. What panics is a fault of the library, and is reported as an error.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The stack of a job. The kernel bounds its own recursion; this is for what it did not foresee.
const STACK: usize = 256 << 20;
/// How often the caller hears that time passes.
const TICK: Duration = Duration::from_millis(50);
/// How many jobs may be left behind: each goes on using a core and memory until the command ends.
const LEFT_BEHIND: usize = 2;
/// The name of the threads, by which [`quiet_panics`] knows them.
const NAME: &str = "pullback-job";

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Why a job gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stopped {
    /// It was not over in time.
    #[error("the proof was not over after {} s", .0.as_secs_f64())]
    TooLong(Duration),
    /// It was not tried.
    #[error("it was not tried, for {LEFT_BEHIND} others were not over in time and still run")]
    NotTried,
    /// It panicked.
    #[error("internal error: {0}")]
    Panicked(String),
    /// There is no thread for it.
    #[error("no thread could be started: {0}")]
    NoThread(std::io::Error),
}

/// What a job says while it runs.
pub(crate) enum Event {
    /// Time passes.
    Tick,
    /// It is at something.
    At(String),
}

enum Message<T> {
    At(String),
    Done(Result<T, String>),
}

/// Where a job says what it is at.
pub(crate) type Teller<'a> = &'a mut dyn FnMut(&str);

/// Runs jobs, one at a time.
pub(crate) struct Worker {
    limit: Option<Duration>,
    left_behind: usize,
}

impl Worker {
    /// For jobs that must be over within a limit, if there is one.
    pub(crate) fn new(limit: Option<Duration>) -> Worker {
        Worker { limit, left_behind: 0 }
    }

    /// Runs a job; `watch` hears about it now and then.
    pub(crate) fn run<T: Send + 'static>(
        &mut self,
        mut watch: impl FnMut(Event),
        job: impl FnOnce(Teller<'_>) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        if self.left_behind >= LEFT_BEHIND {
            return Err(Stopped::NotTried);
        }
        let (sender, receiver) = mpsc::channel();
        let since = Instant::now();
        let body = move || {
            let mut tell = |what: &str| {
                let _ = sender.send(Message::At(what.to_owned()));
            };
            let result = catch_unwind(AssertUnwindSafe(|| job(&mut tell)));
            let result = result.map_err(|_| panicked());
            // The caller may have given up.
            let _ = sender.send(Message::Done(result));
        };
        thread::Builder::new().name(NAME.into()).stack_size(STACK).spawn(body).map_err(Stopped::NoThread)?;
        loop {
            let left = self.limit.map(|limit| limit.saturating_sub(since.elapsed()));
            match receiver.recv_timeout(left.map_or(TICK, |left| left.min(TICK))) {
                Ok(Message::At(what)) => watch(Event::At(what)),
                Ok(Message::Done(result)) => return result.map_err(Stopped::Panicked),
                Err(RecvTimeoutError::Disconnected) => return Err(Stopped::Panicked("a job was lost".into())),
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => {
                    self.left_behind += 1;
                    return Err(Stopped::TooLong(self.limit.unwrap_or_default()));
                }
                Err(RecvTimeoutError::Timeout) => watch(Event::Tick),
            }
        }
    }
}

/// Runs something on this thread. What panics is an error.
pub(crate) fn guarded<T>(job: impl FnOnce() -> T) -> Result<T, Stopped> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(job));
    GUARDED.set(before);
    result.map_err(|_| Stopped::Panicked(panicked()))
}

/// What the last panic of this thread said.
fn panicked() -> String {
    PANIC.take().unwrap_or_else(|| "a panic".into())
}

/// Lets a job that panics say so through its result and not on standard error.
pub(crate) fn quiet_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if GUARDED.get() || thread::current().name() == Some(NAME) {
            let text = info.payload().downcast_ref::<&str>().copied();
            let text = text.or(info.payload().downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
            let place = info.location().map(|l| format!(", at {}:{}", l.file(), l.line())).unwrap_or_default();
            PANIC.set(Some(format!("{text}{place}")));
        } else {
            loud(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_gives_its_result_and_says_what_it_is_at() {
        let mut heard = Vec::new();
        let watch = |event| {
            if let Event::At(what) = event {
                heard.push(what);
            }
        };
        let result = Worker::new(None).run(watch, |tell| {
            tell("the question");
            42
        });
        assert!(matches!(result, Ok(42)));
        assert_eq!(heard, ["the question"]);
    }

    #[test]
    fn a_panic_is_an_error() {
        quiet_panics();
        let result = Worker::new(None).run(|_| {}, |_| if true { panic!("out of cheese") } else { 0 });
        let message = result.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.starts_with("internal error: out of cheese, at "), "{message}");
    }

    #[test]
    fn what_takes_too_long_is_left_behind_and_only_so_often() {
        let mut worker = Worker::new(Some(Duration::from_millis(20)));
        for _ in 0..LEFT_BEHIND {
            let result = worker.run(|_| {}, |_| thread::sleep(Duration::from_secs(2)));
            assert!(matches!(result, Err(Stopped::TooLong(_))));
        }
        assert!(matches!(worker.run(|_| {}, |_| ()), Err(Stopped::NotTried)));
    }
}
