//! Makes and checks inputs on all cores, and keeps what fails.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::ALLOCATOR;
use crate::attempt::{Fault, Outcome, attempt};
use crate::format::Format;
use crate::minimize::minimize;
use crate::plan::Plan;
use crate::random::Random;

/// Maximum time for one input, alone on a core.
const SLOW: Duration = Duration::from_secs(5);
/// After this time an input counts as hanging, and the program ends.
const HANG: Duration = Duration::from_secs(60);
/// Maximum memory of the process while one input runs, bytes.
const MEMORY: usize = 256 << 20;

/// What is known of one kind of fault of a format.
pub(crate) struct Finding {
    pub(crate) fault: Fault,
    pub(crate) file: PathBuf,
    pub(crate) count: usize,
}

/// What has been done so far.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) findings: BTreeMap<(&'static str, String), Finding>,
    /// Of each format: inputs, and how many of them were accepted.
    pub(crate) formats: BTreeMap<&'static str, (u64, u64)>,
}

/// An input that is being checked, and since when.
type Running = Option<(Instant, &'static Format, Vec<u8>)>;

pub(crate) struct Run {
    plan: Plan,
    started: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
    /// Held for writing by what must be alone to measure memory.
    alone: RwLock<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// Runs until the plan is done.
    pub(crate) fn all(plan: Plan) -> Tally {
        let slots: Vec<Mutex<Running>> = (0..plan.threads).map(|_| Mutex::new(None)).collect();
        let run = Self {
            plan,
            started: Instant::now(),
            next: AtomicU64::new(0),
            tally: Mutex::default(),
            alone: RwLock::new(()),
        };
        thread::scope(|scope| {
            let workers: Vec<_> = slots.iter().map(|slot| scope.spawn(|| run.work(slot))).collect();
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                slots.iter().for_each(|slot| run.watch(slot));
                thread::sleep(Duration::from_millis(20));
            }
        });
        run.tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The format and the place of the input of a number. `None` after the last.
    fn turn(&self, number: u64) -> Option<(&'static Format, u64)> {
        let round: u64 = self.plan.formats.iter().map(|f| f.share).sum();
        match self.plan.time {
            Some(time) if self.started.elapsed() >= time => return None,
            None if number >= round => return None,
            _ => {}
        }
        let mut rest = number % round;
        let format = self.plan.formats.iter().find(|f| {
            let is_it = rest < f.share;
            rest -= if is_it { 0 } else { f.share };
            is_it
        })?;
        Some((format, number / round * format.share + rest))
    }

    fn work(&self, slot: &Mutex<Running>) {
        while let Some((format, place)) = self.turn(self.next.fetch_add(1, Ordering::Relaxed)) {
            let shared = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            let input = (format.make)(&mut Random::new(self.plan.seed, format.name, place));
            *lock(slot) = Some((Instant::now(), format, input.clone()));
            let (outcome, taken) = attempt(format, &input);
            *lock(slot) = None;
            let count = |tally: &mut Tally| {
                let (all, accepted) = tally.formats.entry(format.name).or_default();
                *all += 1;
                *accepted += u64::from(outcome == Outcome::Accepted);
            };
            count(&mut lock(&self.tally));
            if let Outcome::Failed(fault) = outcome {
                self.keep(format, fault, &input, true);
            } else if taken > SLOW && attempt(format, &input).1 > SLOW {
                let fault = Fault { kind: "slow".into(), details: format!("slow: {taken:.1?}") };
                self.keep(format, fault, &input, false);
            }
            drop(shared);
            if ALLOCATOR.peak_usage() > MEMORY {
                self.weigh(format, &input);
            }
        }
    }

    /// Measures how much memory an input takes, alone.
    fn weigh(&self, format: &'static Format, input: &[u8]) {
        let alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
        ALLOCATOR.reset_peak_usage();
        attempt(format, input);
        let peak = ALLOCATOR.peak_usage();
        ALLOCATOR.reset_peak_usage();
        drop(alone);
        if peak > MEMORY {
            let details = format!("memory: {} MB for {} bytes", peak >> 20, input.len());
            self.keep(format, Fault { kind: "memory".into(), details }, input, false);
        }
    }

    /// Counts a fault. The first of its kind is cut down, if that is possible, and written to a file.
    fn keep(&self, format: &'static Format, fault: Fault, input: &[u8], cut: bool) {
        let key = (format.name, fault.kind.clone());
        if let Some(known) = lock(&self.tally).findings.get_mut(&key) {
            known.count += 1;
            return;
        }
        let fails =
            |bytes: &[u8]| matches!(attempt(format, bytes).0, Outcome::Failed(f) if f.kind == fault.kind);
        let least = if cut { minimize(input, &fails) } else { input.to_vec() };
        let file = self.write(format, &fault, &least);
        let fault = match attempt(format, &least).0 {
            Outcome::Failed(least) if cut => least,
            _ => fault,
        };
        let finding = Finding { fault, file, count: 1 };
        lock(&self.tally).findings.entry(key).or_insert(finding);
    }

    /// Writes an input to the folder of the plan.
    fn write(&self, format: &Format, fault: &Fault, input: &[u8]) -> PathBuf {
        let word: String = fault.kind.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let path = self.plan.keep.join(format!("{}-{}", format.name, word.trim_matches('-')));
        let written = std::fs::create_dir_all(&self.plan.keep).and_then(|()| std::fs::write(&path, input));
        match written {
            Ok(()) => path,
            Err(cause) => PathBuf::from(format!("{}: {cause}", path.display())),
        }
    }

    /// Ends the program where an input hangs: a thread cannot be stopped.
    fn watch(&self, slot: &Mutex<Running>) {
        let hanging =
            lock(slot).as_ref().filter(|(since, ..)| since.elapsed() > HANG).map(|(_, f, i)| (*f, i.clone()));
        if let Some((format, input)) = hanging {
            let file = self.write(format, &Fault { kind: "hangs".into(), details: String::new() }, &input);
            println!("{}: an input hangs\n  {}", format.name, file.display());
            std::process::exit(1);
        }
    }
}
