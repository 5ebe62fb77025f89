//! Tests one decoder with truncations and mutations of its seeds, one input at a time, so that the memory of each input is
//! known.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::ALLOCATOR;
use crate::attempt::{Failure, Outcome, attempt};
use crate::minimize::minimize;
use crate::random::Random;

use super::Decoder;

/// Maximum time for one input in the `dev` profile, which optimises sinew and its decoders.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Time after which an input counts as hanging and the program exits.
const HANG_TIME: Duration = Duration::from_secs(60);
/// Number of failures after which a decoder is not tested further.
const MAX_FAILURES: usize = 8;

/// How much is tested.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// Number of mutations.
    pub(crate) runs: u64,
    /// Maximum number of truncations of each seed.
    pub(crate) truncations: usize,
    /// Maximum time for each decoder.
    pub(crate) time: Option<Duration>,
    pub(crate) seed: u64,
}

/// Measurements of a decoder.
#[derive(Default)]
pub(crate) struct Trial {
    inputs: u64,
    accepted: u64,
    seconds: f64,
    slowest: Duration,
    peak: usize,
    failures: Vec<(Failure, PathBuf)>,
    /// The input that took longest.
    slowest_input: Vec<u8>,
}

impl Trial {
    /// The columns of [`Self::row`].
    pub(crate) const HEAD: &str = "| decoder | inputs | accepted | seconds | slowest input, ms | peak memory, bytes |\n|---|---|---|---|---|---|";

    /// Tests a decoder in a thread with the default stack size of threads. Failing inputs are written to `keep`.
    pub(crate) fn run(decoder: &'static Decoder, extent: Extent, keep: &Path) -> Self {
        let running = Mutex::new(None);
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let mut trial = Self::default();
                let started = Instant::now();
                trial.test(decoder, extent, keep, &running);
                trial.seconds = started.elapsed().as_secs_f64();
                trial
            });
            while !worker.is_finished() {
                watch(decoder, keep, &running);
                thread::sleep(Duration::from_millis(20));
            }
            worker.join().expect("failures are caught")
        })
    }

    /// Checks truncations of all seeds, and then mutations until the extent is reached.
    fn test(&mut self, decoder: &Decoder, extent: Extent, keep: &Path, running: &Running) {
        let seeds = (decoder.seeds)();
        let started = Instant::now();
        let is_over = |trial: &Self| {
            trial.failures.len() >= MAX_FAILURES || extent.time.is_some_and(|time| started.elapsed() >= time)
        };
        for (number, seed) in seeds.iter().enumerate() {
            let before = self.accepted;
            self.check(decoder, seed, keep, running);
            if self.accepted == before {
                let kind = format!("seed {number} is rejected");
                self.failures.push((Failure { details: kind.clone(), kind }, PathBuf::new()));
            }
            let step = seed.len().div_ceil(extent.truncations).max(1);
            for length in (0..seed.len()).step_by(step) {
                if is_over(self) {
                    return;
                }
                self.check(decoder, &(decoder.truncate)(seed, length), keep, running);
            }
        }
        for index in 0..extent.runs {
            if is_over(self) {
                return;
            }
            let mut random = Random::new(extent.seed, decoder.name, index);
            // Large seeds take longest.
            let is_small = |seed: &Vec<u8>| seed.len() < 16 << 10;
            let mut number = random.below(seeds.len());
            if seeds.get(number).is_none_or(|seed| !is_small(seed)) && !random.once_in(16) {
                number = 0;
            }
            let input = (decoder.mutate)(&seeds[number], &mut random);
            self.check(decoder, &input, keep, running);
        }
    }

    fn check(&mut self, decoder: &Decoder, input: &[u8], keep: &Path, running: &Running) {
        *running.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), input.to_vec()));
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let (outcome, duration) = attempt(decoder.decode, input);
        let peak = ALLOCATOR.peak_usage().saturating_sub(before);
        *running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.inputs += 1;
        self.accepted += u64::from(outcome == Outcome::Accepted);
        self.peak = self.peak.max(peak);
        if duration > self.slowest {
            (self.slowest, self.slowest_input) = (duration, input.to_vec());
        }
        let failure = |kind: &str, details: String| Failure { kind: kind.to_owned(), details };
        if let Outcome::Failed(failure) = outcome {
            self.record(decoder, failure, input, true, keep);
        } else if peak > decoder.memory_limit(input) {
            let details = format!("memory: {peak} bytes for {} bytes", input.len());
            self.record(decoder, failure("memory", details), input, false, keep);
        } else if duration > MAX_TIME && attempt(decoder.decode, input).1 > MAX_TIME {
            self.record(decoder, failure("slow", format!("slow: {duration:.1?}")), input, false, keep);
        }
    }

    /// Adds a failure and writes its input, unless the same kind of failure is known.
    fn record(&mut self, decoder: &Decoder, failure: Failure, input: &[u8], can_minimize: bool, keep: &Path) {
        if self.failures.iter().any(|(known, _)| known.kind == failure.kind) {
            return;
        }
        let fails = |bytes: &[u8]| matches!(attempt(decoder.decode, bytes).0, Outcome::Failed(f) if f.kind == failure.kind);
        let smallest = if can_minimize { minimize(input, &fails) } else { input.to_vec() };
        let path = write(decoder, &failure.kind, &smallest, keep);
        self.failures.push((failure, path));
    }

    /// Returns the measurements as a row of a table.
    pub(crate) fn row(&self, decoder: &Decoder) -> String {
        let Self { inputs, accepted, seconds, slowest, peak, .. } = self;
        let slowest = slowest.as_secs_f64() * 1e3;
        format!("| {} | {inputs} | {accepted} | {seconds:.0} | {slowest:.1} | {peak} |", decoder.name)
    }

    /// Returns a line for each failure, with the command that repeats it.
    pub(crate) fn failures(&self, decoder: &Decoder) -> Vec<String> {
        let line = |(failure, path): &(Failure, PathBuf)| {
            let repeat =
                format!("cargo test --test fuzz -- --target {} --input {}", decoder.name, path.display());
            format!("{}: {}\n  {repeat}", decoder.name, failure.details)
        };
        self.failures.iter().map(line).collect()
    }

    /// Writes the slowest input to a file for profiling.
    pub(crate) fn keep_slowest(&self, decoder: &Decoder, keep: &Path) {
        write(decoder, "slowest", &self.slowest_input, keep);
    }
}

/// The input that is being checked, and when it started.
type Running = Mutex<Option<(Instant, Vec<u8>)>>;

/// Exits the program if an input hangs, because a thread cannot be stopped.
fn watch(decoder: &Decoder, keep: &Path, running: &Running) {
    let running = running.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, input)) = running.as_ref().filter(|(since, _)| since.elapsed() > HANG_TIME) {
        let path = write(decoder, "hangs", input, keep);
        println!("{}: an input ran for more than 60 s\n  {}", decoder.name, path.display());
        std::process::exit(1);
    }
}

fn write(decoder: &Decoder, kind: &str, input: &[u8], keep: &Path) -> PathBuf {
    let name: String = kind.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let path = keep.join(format!("{}-{}", decoder.name, name.trim_matches('-')));
    match std::fs::create_dir_all(keep).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => path,
        Err(cause) => PathBuf::from(format!("{}: {cause}", path.display())),
    }
}
