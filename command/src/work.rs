//! Jobs that may take long, or fail where they must not.
//!
//! A job runs on a thread of its own with a large stack, while the caller keeps the progress bar alive.
//! What it may cost is for the job to count: no clock ends it, so that no result depends on the load of the machine.
//! What panics is a fault of the library, and is reported as an error.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The stack of a job. The kernel bounds its own recursion; this is for what it did not foresee.
const STACK: usize = 64 << 20;
/// How often the caller hears that time passes.
const TICK: Duration = Duration::from_millis(50);
/// The name of the threads, by which [`quiet_panics`] knows them.
const NAME: &str = "pullback-job";

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Why a job gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stopped {
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

/// Runs a job; `watch` hears about it now and then.
pub(crate) fn run<T: Send + 'static>(
    mut watch: impl FnMut(Event),
    job: impl FnOnce(Teller<'_>) -> T + Send + 'static,
) -> Result<T, Stopped> {
    let (sender, receiver) = mpsc::channel();
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
        match receiver.recv_timeout(TICK) {
            Ok(Message::At(what)) => watch(Event::At(what)),
            Ok(Message::Done(result)) => return result.map_err(Stopped::Panicked),
            Err(RecvTimeoutError::Disconnected) => return Err(Stopped::Panicked("a job was lost".into())),
            Err(RecvTimeoutError::Timeout) => watch(Event::Tick),
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
        let result = run(watch, |tell| {
            tell("the question");
            42
        });
        assert!(matches!(result, Ok(42)));
        assert_eq!(heard, ["the question"]);
    }

    #[test]
    fn a_panic_is_an_error() {
        quiet_panics();
        let result = run(|_| {}, |_| if true { panic!("out of cheese") } else { 0 });
        let message = result.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.starts_with("internal error: out of cheese, at "), "{message}");
    }
}
