//! Standard output, standard error and the progress bar: nothing else in the command touches them.
//!
//! Results go to standard output, everything else to standard error.
//! Colour and drawing characters are for terminals only, and never where `NO_COLOR` is set.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::status::Status;

/// Work that is over sooner shows no progress bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// The width of text that goes to a file or a pipe.
const WIDTH: usize = 120;

/// How text on a stream may look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Whether somebody is watching: drawing characters beyond ASCII.
    pub(crate) terminal: bool,
    /// Whether there may be colour.
    pub(crate) color: bool,
    /// Columns.
    pub(crate) width: usize,
}

impl Look {
    fn of(terminal: bool, size: Option<(u16, u16)>) -> Look {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let width = size.map_or(WIDTH, |(_, columns)| usize::from(columns).clamp(40, 160));
        Look { terminal: terminal && !dumb, color: terminal && !dumb && !set("NO_COLOR"), width }
    }
}

/// Nobody reads standard output any more, or it can't be written.
#[derive(Debug, thiserror::Error)]
#[error("could not write the results: {0}")]
pub(crate) struct Closed(#[from] io::Error);

/// Where results, errors and progress go.
pub(crate) struct Console {
    out: BufWriter<Stdout>,
    /// How results may look.
    pub(crate) results: Look,
    /// How errors may look.
    pub(crate) errors: Look,
    progress: Progress,
}

impl Console {
    pub(crate) fn new() -> Console {
        let (out, err) = (console::Term::stdout(), console::Term::stderr());
        let results = Look::of(io::stdout().is_terminal(), out.size_checked());
        let errors = Look::of(io::stderr().is_terminal(), err.size_checked());
        let progress = Progress { watched: errors.terminal, color: errors.color, title: "", bar: None };
        Console { out: BufWriter::new(io::stdout()), results, errors, progress }
    }

    /// Prints a result, at once.
    pub(crate) fn result(&mut self, text: &str) -> Result<(), Closed> {
        let Console { out, progress, .. } = self;
        progress.aside(|| -> io::Result<()> {
            out.write_all(text.as_bytes())?;
            if !text.ends_with('\n') {
                out.write_all(b"\n")?;
            }
            out.flush()
        })?;
        Ok(())
    }

    /// Prints an error. If nobody listens there is nobody to tell.
    pub(crate) fn error(&mut self, text: &str) {
        self.progress.aside(|| {
            let mut err = io::stderr().lock();
            let _ = err.write_all(text.as_bytes());
            if !text.ends_with('\n') {
                let _ = err.write_all(b"\n");
            }
        });
    }

    /// Whose work it is that begins next.
    pub(crate) fn title(&mut self, title: &'static str) {
        self.progress.title = title;
    }
    /// Long work begins, of so many steps if that is known.
    pub(crate) fn begin(&mut self, steps: Option<usize>) {
        self.progress.begin(steps);
    }
    /// What the work is at.
    pub(crate) fn at(&mut self, what: &str) {
        self.progress.at(what);
    }
    /// Time passes.
    pub(crate) fn tick(&mut self) {
        self.progress.tick();
    }
    /// One step is done.
    pub(crate) fn advance(&mut self) {
        self.progress.advance();
    }
    /// The work is over.
    pub(crate) fn end(&mut self) {
        self.progress.end();
    }

    /// Everything was said.
    pub(crate) fn finish(&mut self) -> Result<(), Closed> {
        self.end();
        Ok(self.out.flush()?)
    }

    /// Standard output is gone: quietly if its reader has simply left. Not all was said, so nothing is claimed.
    pub(crate) fn closed(&mut self, closed: &Closed) -> Status {
        self.end();
        if closed.0.kind() != io::ErrorKind::BrokenPipe {
            self.error(&format!("error: {closed}"));
        }
        Status::CouldNotRun
    }
}

/// A bar on standard error, if that is a terminal and the work takes longer than [`PATIENCE`].
struct Progress {
    watched: bool,
    color: bool,
    /// Stands before the bar.
    title: &'static str,
    bar: Option<(ProgressBar, Instant)>,
}

impl Progress {
    fn begin(&mut self, steps: Option<usize>) {
        self.end();
        if !self.watched {
            return;
        }
        let bar = ProgressBar::with_draw_target(steps.map(|n| n as u64), ProgressDrawTarget::hidden());
        let template = match (steps.is_some(), self.color) {
            (true, true) => "{prefix}{bar:30.cyan} {pos}/{len} {wide_msg}",
            (true, false) => "{prefix}{bar:30} {pos}/{len} {wide_msg}",
            (false, _) => "{prefix}{spinner} {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if !self.title.is_empty() {
            bar.set_prefix(format!("{:<15} ", self.title));
        }
        self.bar = Some((bar, Instant::now()));
    }

    fn at(&mut self, what: &str) {
        if let Some((bar, _)) = &self.bar {
            bar.set_message(what.to_owned());
        }
        self.tick();
    }

    fn tick(&mut self) {
        if let Some((bar, since)) = &self.bar {
            if bar.is_hidden() && since.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.tick();
        }
    }

    fn advance(&mut self) {
        if let Some((bar, _)) = &self.bar {
            bar.inc(1);
        }
        self.tick();
    }

    fn end(&mut self) {
        if let Some((bar, _)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Does something to the terminal with the bar out of the way.
    fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some((bar, _)) => bar.suspend(print),
            None => print(),
        }
    }
}
