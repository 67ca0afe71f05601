//! Suite `hostile`: inputs that ask for much end within their budgets, in a process that has 512 MiB, and none aborts or panics.
//!
//! Inputs are made (`make`) from what exists, statements of the library and random programs, by changes that ask for much, and
//! each goes through the entry points that take data from outside: reading, proving, certifying, differentiating, planning,
//! running, evaluating in doubles and exactly. With a [worker](crate::Worker) the inputs run in a process whose address space is
//! bounded, so that what takes too much memory ends it and is seen here; without one they run in this process.
//! This module must never take an input that ended its process for one that was refused.

mod make;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pullback_kernel::Rational;
use pullback_program::architecture::Architecture;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::interchange::Arrays;
use pullback_program::random::Random;
use pullback_program::{DynProgram, Limits};

use crate::suite::{Event, Options, Outcome, Suite, Worker};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "hostile",
    about: "statements, programs, architectures and arrays that ask for much end within their limits, in 512 MiB",
    draws: true,
    run,
};

/// Inputs at scale 1.
const INPUTS: usize = 350;
/// How long an input may take. Work is what bounds it; this is for what counted too little.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 2 });
/// How long a process may be silent before it is ended.
const PATIENCE: Duration = Duration::from_secs(120);
/// Kilobytes of address space of a process.
const MEMORY: u32 = 512 << 10;
/// Inputs that a process takes.
const BATCH: usize = 1000;

/// A kind of input: what it is, how many of a hundred must be accepted, and what takes it, which says whether it was.
struct Kind {
    name: &'static str,
    accepted: usize,
    enter: fn(&mut Random) -> bool,
}

const KINDS: [Kind; 7] = [
    Kind { name: "statements that ask for much", accepted: 70, enter: |random| prove(&make::statement(random)) },
    Kind {
        name: "changed statements",
        accepted: 4,
        enter: |random| {
            let text = make::library(random);
            prove(&make::changed(text, random))
        },
    },
    Kind {
        name: "changed programs",
        accepted: 4,
        enter: |random| make::program(random).is_some_and(|text| read(&text, random)),
    },
    Kind {
        name: "programs with statements",
        accepted: 4,
        enter: |random| make::own(random).is_some_and(|text| read(&text, random)),
    },
    Kind { name: "long programs", accepted: 20, enter: |random| read(&make::chain(random), random) },
    Kind { name: "architectures", accepted: 4, enter: |random| compile(&make::architecture(random), random) },
    Kind {
        // Most are no JSON any more.
        name: "changed architectures",
        accepted: 0,
        enter: |random| {
            let text = make::architecture(random);
            compile(&make::changed(&text, random), random)
        },
    },
];

fn prove(text: &str) -> bool {
    let (statements, _) = pullback_kernel::load(text);
    statements.iter().for_each(|s| drop(pullback_kernel::prove(s)));
    !statements.is_empty()
}

fn read(text: &str, random: &mut Random) -> bool {
    DynProgram::from_json(text, &Limits::default()).is_ok_and(|program| run_program(&program, random))
}

fn compile(text: &str, random: &mut Random) -> bool {
    let Ok(architecture) = Architecture::from_json(text) else { return false };
    drop(architecture.lower());
    architecture.compile().is_ok_and(|program| {
        run_program(&program, random);
        true
    })
}

/// Everything that may be done with a program; whether it took the arrays.
fn run_program(program: &DynProgram, random: &mut Random) -> bool {
    drop(program.certify());
    if let Ok(reverse) = &program.with_reverse() {
        drop(reverse.to_json());
    }
    let Ok(given) = Arrays::from_json(&make::arrays(program, random)) else { return false };
    let floats = given.for_inputs::<f64>(program).map(|x| {
        if let Ok(mut executable) = Executable::<f64>::new(program, Numerics::default()) {
            let places = |value| program.shape_of(value).elements().min(1 << 20);
            let mut outputs: Vec<Vec<f64>> = program.outputs().iter().map(|o| vec![0.0; places(o.value)]).collect();
            let inputs: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let mut slots: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            drop(executable.run(&inputs, &mut slots));
        }
        drop(program.evaluate(&x));
    });
    let exact = given.for_inputs::<Rational>(program).map(|x| drop(program.evaluate(&x)));
    floats.is_ok() || exact.is_ok()
}

/// What an input came to.
struct Told {
    input: usize,
    milliseconds: u64,
    accepted: bool,
}

/// The kind of an input, and its own numbers.
fn drawn(seed: u64, input: usize) -> (&'static Kind, Random) {
    let mut random = Random(seed ^ (input as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
    (&KINDS[input % KINDS.len()], Random(random.next_u64()))
}

/// One input through its entry points.
fn enter(seed: u64, input: usize) -> Told {
    let (kind, mut random) = drawn(seed, input);
    let since = Instant::now();
    let accepted = (kind.enter)(&mut random);
    Told { input, milliseconds: since.elapsed().as_millis() as u64, accepted }
}

/// What a worker does: each input from one to before another, told when it begins and when it ended.
///
/// The first line says `limited` where its starter could bound the memory.
pub fn work(seed: u64, from: usize, to: usize, tell: &mut dyn FnMut(String)) {
    for input in from..to {
        tell(format!("at {input}"));
        let Told { milliseconds, accepted, .. } = enter(seed, input);
        tell(format!("did {milliseconds} {accepted}"));
    }
}

/// What is heard of a worker.
enum Heard {
    Limited,
    At(usize),
    Did { milliseconds: u64, accepted: bool },
}

fn parsed(line: &str) -> Option<Heard> {
    let mut words = line.split(' ');
    Some(match (words.next()?, words.next(), words.next()) {
        ("limited", None, None) => Heard::Limited,
        ("at", Some(input), None) => Heard::At(input.parse().ok()?),
        ("did", Some(milliseconds), Some(accepted)) => {
            Heard::Did { milliseconds: milliseconds.parse().ok()?, accepted: accepted.parse().ok()? }
        }
        _ => return None,
    })
}

/// What a process printed, by lines, and its last words.
struct Process {
    child: Child,
    lines: Receiver<String>,
    words: Receiver<String>,
}

/// Starts a process for some inputs, with as much memory as is allowed where the system can say so.
fn start(worker: Worker, seed: u64, from: usize, to: usize) -> std::io::Result<Process> {
    let own = worker()?;
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MEMORY} 2>/dev/null && echo limited; exec \"$0\" \"$@\"")]);
        shell.arg(own.get_program()).args(own.get_args());
        // Each arena of glibc's reserves addresses that nothing uses.
        shell.env("MALLOC_ARENA_MAX", "1");
        shell
    } else {
        own
    };
    command.args([seed.to_string(), from.to_string(), to.to_string()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (tell, lines) = channel();
    let (say, words) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
    }
    if let Some(err) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // Its beginning says why it ended; the rest is read so that it is not held up.
            let mut err = err;
            let _ = (&mut err).take(400).read_to_end(&mut text);
            let _ = say.send(String::from_utf8_lossy(&text).into_owned());
            let _ = std::io::copy(&mut err, &mut std::io::sink());
        });
    }
    Ok(Process { child, lines, words })
}

/// Inputs in processes of their own; what each came to, and what ended a process.
struct Workers<'a> {
    worker: Worker,
    seed: u64,
    limited: usize,
    ended: Vec<(usize, String)>,
    told: &'a mut dyn FnMut(Told),
}

impl Workers<'_> {
    /// The inputs from one to before another; after one that ends its process the rest, in a new one.
    fn run(&mut self, mut from: usize, to: usize) -> std::io::Result<()> {
        while from < to {
            let mut process = start(self.worker, self.seed, from, to)?;
            let (mut at, mut done, mut limited) = (from, from, false);
            let silent = loop {
                match process.lines.recv_timeout(PATIENCE) {
                    Ok(line) => match parsed(&line) {
                        Some(Heard::Limited) => limited = true,
                        Some(Heard::At(input)) => at = input,
                        Some(Heard::Did { milliseconds, accepted }) => {
                            done = at + 1;
                            self.limited += usize::from(limited);
                            (self.told)(Told { input: at, milliseconds, accepted });
                        }
                        None => {}
                    },
                    Err(RecvTimeoutError::Disconnected) => break false,
                    Err(RecvTimeoutError::Timeout) => break true,
                }
            };
            if silent {
                process.child.kill()?;
            }
            let status = process.child.wait()?;
            if !silent && status.success() && done >= to {
                break;
            }
            let words = process.words.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
            let why = if silent { "it was silent for too long".to_owned() } else { format!("{status}") };
            self.ended.push((at, format!("it ended its process: {why}\n{words}")));
            from = from.max(at) + 1;
        }
        Ok(())
    }
}

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let (seed, total) = (options.seed, INPUTS * options.scale);
    watch(Event::Steps(total));
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let (mut slow, mut slowest, mut all) = (Vec::new(), 0, 0);
    let mut told = |told: Told| {
        let count = counts.entry(drawn(seed, told.input).0.name).or_default();
        *count = (count.0 + 1, count.1 + usize::from(told.accepted));
        all += 1;
        let mut least = told.milliseconds;
        // What the machine did beside it is none of it.
        for _ in 0..2 {
            if u128::from(least) > LIMIT.as_millis() {
                least = least.min(enter(seed, told.input).milliseconds);
            }
        }
        if u128::from(least) > LIMIT.as_millis() {
            slow.push((told.input, least));
        }
        slowest = slowest.max(least);
        watch(Event::Step);
    };
    let mut under = None;
    match options.worker {
        None => (0..total).for_each(|input| told(enter(seed, input))),
        Some(worker) => {
            let mut workers = Workers { worker, seed, limited: 0, ended: Vec::new(), told: &mut told };
            for from in (0..total).step_by(BATCH) {
                if let Err(error) = workers.run(from, (from + BATCH).min(total)) {
                    outcome.fail("a worker", error);
                }
            }
            under = Some(workers.limited);
            for (input, how) in workers.ended {
                outcome.fail(format!("input {input}, {}", drawn(seed, input).0.name), how);
            }
        }
    }
    for (input, milliseconds) in slow {
        outcome.fail(format!("input {input}, {}", drawn(seed, input).0.name), format!("it took {milliseconds} ms"));
    }
    outcome.count("inputs", all, total);
    if let Some(under) = under {
        outcome.count("under 512 MiB", under, cfg!(target_os = "linux").then_some(total));
    }
    for Kind { name, accepted, .. } in &KINDS {
        let (tried, taken) = counts.get(name).copied().unwrap_or_default();
        outcome.count(name, taken, None);
        if taken * 100 < accepted * tried || tried == 0 {
            outcome.fail(name, format!("{taken} of {tried} are accepted, where {accepted} in a hundred are recorded"));
        }
    }
    outcome.measure("milliseconds", slowest as f64, LIMIT.as_millis() as f64);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_tells_is_heard() {
        let mut lines = Vec::new();
        work(7, 3, 5, &mut |line| lines.push(line));
        let heard: Vec<Heard> = lines.iter().filter_map(|line| parsed(line)).collect();
        assert!(matches!(heard[..], [Heard::At(3), Heard::Did { .. }, Heard::At(4), Heard::Did { .. }]), "{lines:?}");
    }

    /// A process that takes more memory than it may.
    #[cfg(unix)]
    #[test]
    fn an_input_that_ends_its_process_is_a_failure_and_the_rest_are_tried() {
        let greedy: Worker = || {
            let mut command = Command::new("sh");
            // Inputs 0 and 2 are told, 1 doubles a text until there is no memory for it.
            command.args([
                "-c",
                "i=$2; while [ $i -lt $3 ]; do echo at $i; [ $i = 1 ] && { x=aaaaaaaa; while :; do x=$x$x; done; }; echo did 1 true; i=$((i+1)); done",
                "worker",
            ]);
            Ok(command)
        };
        let mut told = Vec::new();
        let mut workers =
            Workers { worker: greedy, seed: 1, limited: 0, ended: Vec::new(), told: &mut |t| told.push(t.input) };
        assert!(workers.run(0, 4).is_ok());
        let ended: Vec<usize> = workers.ended.iter().map(|e| e.0).collect();
        assert_eq!(ended, [1], "{:?}", workers.ended);
        assert_eq!(told, [0, 2, 3]);
    }
}
