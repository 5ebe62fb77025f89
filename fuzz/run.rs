//! Generates and checks inputs on all cores, and stores the failing inputs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::ALLOCATOR;
use crate::attempt::{Failure, Outcome, attempt};
use crate::format::Format;
use crate::minimize::minimize;
use crate::plan::Plan;
use crate::random::Random;

/// Maximum time for one input.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Time after which an input counts as hanging and the program exits.
const HANG_TIME: Duration = Duration::from_secs(60);
/// Maximum memory of the process in bytes while one input runs.
const MAX_MEMORY: usize = 256 << 20;

/// All failures of one kind that occurred with inputs of one format.
pub(crate) struct Finding {
    pub(crate) failure: Failure,
    pub(crate) file: PathBuf,
    pub(crate) count: usize,
}

/// The results of a run.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) findings: BTreeMap<(&'static str, String), Finding>,
    /// For each format, the number of inputs and the number of accepted inputs.
    pub(crate) formats: BTreeMap<&'static str, (u64, u64)>,
}

/// The input that a thread is checking, and when it started.
type Running = Option<(Instant, &'static Format, Vec<u8>)>;

/// A run of the fuzzer.
pub(crate) struct FuzzRun {
    plan: Plan,
    started: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
    /// Locked for writing while the memory of one input is measured, so that no other thread checks an input meanwhile.
    alone: RwLock<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FuzzRun {
    /// Runs until the plan is complete, and returns the results.
    pub(crate) fn run(plan: Plan) -> Tally {
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

    /// Returns the format of the input with the given number and its index in that format, or `None` after the last input.
    fn input_at(&self, number: u64) -> Option<(&'static Format, u64)> {
        let round: u64 = self.plan.formats.iter().map(|f| f.inputs_per_round).sum();
        match self.plan.time {
            Some(time) if self.started.elapsed() >= time => return None,
            None if number >= round => return None,
            _ => {}
        }
        let mut rest = number % round;
        let format = self.plan.formats.iter().find(|f| {
            let is_in = rest < f.inputs_per_round;
            rest -= if is_in { 0 } else { f.inputs_per_round };
            is_in
        })?;
        Some((format, number / round * format.inputs_per_round + rest))
    }

    fn work(&self, slot: &Mutex<Running>) {
        while let Some((format, index)) = self.input_at(self.next.fetch_add(1, Ordering::Relaxed)) {
            let shared = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            let input = (format.make)(&mut Random::new(self.plan.seed, format.name, index));
            *lock(slot) = Some((Instant::now(), format, input.clone()));
            let (outcome, duration) = attempt(format.check, &input);
            *lock(slot) = None;
            let count = |tally: &mut Tally| {
                let (all, accepted) = tally.formats.entry(format.name).or_default();
                *all += 1;
                *accepted += u64::from(outcome == Outcome::Accepted);
            };
            count(&mut lock(&self.tally));
            if let Outcome::Failed(failure) = outcome {
                self.record(format, failure, &input, true);
            } else if duration > MAX_TIME && attempt(format.check, &input).1 > MAX_TIME {
                let failure = Failure { kind: "slow".into(), details: format!("slow: {duration:.1?}") };
                self.record(format, failure, &input, false);
            }
            drop(shared);
            if ALLOCATOR.peak_usage() > MAX_MEMORY {
                self.measure_memory(format, &input);
            }
        }
    }

    /// Measures the peak memory of an input while no other input runs.
    fn measure_memory(&self, format: &'static Format, input: &[u8]) {
        let alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
        ALLOCATOR.reset_peak_usage();
        attempt(format.check, input);
        let peak = ALLOCATOR.peak_usage();
        ALLOCATOR.reset_peak_usage();
        drop(alone);
        if peak > MAX_MEMORY {
            let details = format!("memory: {} MB for {} bytes", peak >> 20, input.len());
            self.record(format, Failure { kind: "memory".into(), details }, input, false);
        }
    }

    /// Counts a failure. If it is the first of its kind, its input is written to a file. If `can_minimize` is set, the
    /// input is first reduced to a smaller one.
    fn record(&self, format: &'static Format, failure: Failure, input: &[u8], can_minimize: bool) {
        let key = (format.name, failure.kind.clone());
        if let Some(known) = lock(&self.tally).findings.get_mut(&key) {
            known.count += 1;
            return;
        }
        let fails = |bytes: &[u8]| matches!(attempt(format.check, bytes).0, Outcome::Failed(f) if f.kind == failure.kind);
        let smallest = if can_minimize { minimize(input, &fails) } else { input.to_vec() };
        let file = self.write(format, &failure, &smallest);
        let failure = match attempt(format.check, &smallest).0 {
            Outcome::Failed(smallest) if can_minimize => smallest,
            _ => failure,
        };
        let finding = Finding { failure, file, count: 1 };
        lock(&self.tally).findings.entry(key).or_insert(finding);
    }

    /// Writes an input to the plan's folder.
    fn write(&self, format: &Format, failure: &Failure, input: &[u8]) -> PathBuf {
        let name: String = failure.kind.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let path = self.plan.keep.join(format!("{}-{}", format.name, name.trim_matches('-')));
        let written = std::fs::create_dir_all(&self.plan.keep).and_then(|()| std::fs::write(&path, input));
        match written {
            Ok(()) => path,
            Err(cause) => PathBuf::from(format!("{}: {cause}", path.display())),
        }
    }

    /// Exits the program if an input hangs, because a thread cannot be stopped.
    fn watch(&self, slot: &Mutex<Running>) {
        let hanging = lock(slot)
            .as_ref()
            .filter(|(since, ..)| since.elapsed() > HANG_TIME)
            .map(|(_, f, i)| (*f, i.clone()));
        if let Some((format, input)) = hanging {
            let file = self.write(format, &Failure { kind: "hangs".into(), details: String::new() }, &input);
            println!("{}: an input ran for more than 60 s\n  {}", format.name, file.display());
            std::process::exit(1);
        }
    }
}
