//! What a question may cost: work and bytes, counted before they are spent.
//!
//! A unit of work is about a nanosecond of one core, and is counted, never measured: a verdict depends on the question and on the
//! budget, and never on the clock or on what else a machine does.
//! Bytes are those of what is held: tables, arrays, numbers that grow. Each stage of a run counts its own, so that a whole process may take
//! up to four times as much.
//!
//! | limit | default | on the command |
//! | --- | --- | --- |
//! | [`Budget::work`] | 2³⁰, about a second | `--work` |
//! | [`Budget::bytes`] | 128 MiB | `--memory` |
//!
//! Whoever spends asks a [`Meter`] first; what it refuses was not begun, so that a run that ends with [`Exceeded`] took no more than its budget.
//! This module must never look at a clock.

use std::cell::Cell;
use std::fmt;

/// What one question may cost. See the module docs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Budget {
    /// Units of work, each about a nanosecond.
    pub work: u64,
    /// Bytes held at one time.
    pub bytes: u64,
}

impl Budget {
    /// No bound: for questions that whoever asks has bounded.
    pub const UNLIMITED: Budget = Budget { work: u64::MAX, bytes: u64::MAX };

    /// The same with another bound on work.
    #[must_use]
    pub fn with_work(self, work: u64) -> Budget {
        Budget { work, ..self }
    }

    /// The same with another bound on bytes.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> Budget {
        Budget { bytes, ..self }
    }

    /// So many quarters of the work, and all bytes.
    pub(crate) fn quarters(self, quarters: u64) -> Budget {
        self.with_work(if self.work == u64::MAX { u64::MAX } else { self.work / 4 * quarters })
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget { work: 1 << 30, bytes: 128 << 20 }
    }
}

/// What there was not enough of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// [`Budget::work`].
    Work,
    /// [`Budget::bytes`].
    Memory,
    /// A number of things that is limited for everybody, in [`limits`](crate::limits).
    Count,
}

/// Something that was not done because it is past a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exceeded {
    /// What there was not enough of.
    pub resource: Resource,
    /// How much there may be.
    pub limit: u64,
    /// How much there would have been at least, what was spent before included.
    pub asked: u64,
    /// What asked for it.
    pub what: &'static str,
}

impl Exceeded {
    /// More of something than everybody may have.
    pub(crate) fn count(what: &'static str, limit: u64) -> Exceeded {
        Exceeded { resource: Resource::Count, limit, asked: limit.saturating_add(1), what }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exceeded { resource, limit, asked, what } = self;
        match resource {
            Resource::Count => write!(f, "more than {limit} {what}"),
            Resource::Work => write!(f, "{what} takes {asked} units of work or more, and {limit} are allowed"),
            Resource::Memory => {
                write!(f, "{what} takes {} of memory or more, and {} are allowed", Bytes(*asked), Bytes(*limit))
            }
        }
    }
}

impl std::error::Error for Exceeded {}

/// A number of bytes for people.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let power = (self.0.max(1).ilog2() / 10) as usize;
        let whole = 1u64 << (10 * power);
        // A tenth where there is one, never rounded up past what it is.
        let tenths = (self.0 % whole) as u128 * 10 / whole as u128;
        write!(f, "{}", self.0 / whole)?;
        if tenths > 0 {
            write!(f, ".{tenths}")?;
        }
        write!(f, " {}", UNITS[power])
    }
}

/// What was spent of a budget.
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    spent: Cell<u64>,
    held: Cell<u64>,
}

impl Meter {
    /// Nothing spent yet.
    pub fn new(budget: Budget) -> Meter {
        Meter { budget, spent: Cell::new(0), held: Cell::new(0) }
    }

    /// A meter that only counts.
    pub fn unlimited() -> Meter {
        Meter::new(Budget::UNLIMITED)
    }

    /// The work that was spent.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// The bytes that are held.
    pub fn held(&self) -> u64 {
        self.held.get()
    }

    /// The work that is left.
    pub fn left(&self) -> u64 {
        self.budget.work.saturating_sub(self.spent.get())
    }

    /// Asks for work, before it is done.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] where too little is left: then nothing more is, whoever asks.
    #[inline]
    pub fn spend(&self, what: &'static str, work: u64) -> Result<(), Exceeded> {
        let asked = self.spent.get().saturating_add(work);
        self.spent.set(asked);
        if asked > self.budget.work {
            return Err(Exceeded { resource: Resource::Work, limit: self.budget.work, asked, what });
        }
        Ok(())
    }

    /// Asks for bytes, before they are taken; [`release`](Meter::release) gives them back.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] where there would be more than the budget has; they are not held then.
    #[inline]
    pub fn hold(&self, what: &'static str, bytes: u64) -> Result<(), Exceeded> {
        let asked = self.held.get().saturating_add(bytes);
        if asked > self.budget.bytes {
            return Err(Exceeded { resource: Resource::Memory, limit: self.budget.bytes, asked, what });
        }
        self.held.set(asked);
        Ok(())
    }

    /// Gives bytes back.
    pub fn release(&self, bytes: u64) {
        self.held.set(self.held.get().saturating_sub(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_a_budget_is_refused_before_it_is_done() {
        let meter = Meter::new(Budget { work: 10, bytes: 1000 });
        assert_eq!(meter.spend("a step", 10), Ok(()));
        let refused = meter.spend("a step", 1).map_err(|e| e.to_string());
        assert_eq!(refused, Err("a step takes 11 units of work or more, and 10 are allowed".to_owned()));
        assert_eq!(meter.hold("a table", 600), Ok(()));
        let refused = meter.hold("a table", 64 << 30).map_err(|e| e.to_string());
        assert_eq!(refused, Err("a table takes 64 GiB of memory or more, and 1000 bytes are allowed".to_owned()));
        meter.release(600);
        assert_eq!(meter.hold("a table", 1000), Ok(()));
        // No sum passes the largest number.
        assert!(Meter::new(Budget::default()).hold("a table", u64::MAX).is_err());
        assert!(meter.spend("a step", u64::MAX).is_err());
        assert_eq!(meter.left(), 0);
    }

    #[test]
    fn bytes_are_said_in_units_that_people_read() {
        let shown = [0, 1, 1023, 1024, 1536, 512 << 20, u64::MAX].map(|n| Bytes(n).to_string());
        assert_eq!(shown, ["0 bytes", "1 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "512 MiB", "15.9 EiB"]);
    }
}
