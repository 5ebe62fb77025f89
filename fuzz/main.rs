//! Generates random inputs of every format that sinew reads, and uses the inputs that are accepted. See `README.md`.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "this test prints its own report"
)]

mod arguments;
mod attempt;
mod bvh;
mod character;
mod decoders;
mod draco;
#[allow(dead_code, unreachable_pub, reason = "the module is shared with other test binaries")]
mod fbx;
mod format;
mod gltf;
mod golden;
mod images;
mod minimize;
mod motion;
mod mutate;
mod packets;
mod plan;
mod project;
mod random;
mod recording;
mod rig;
mod run;
mod seeds;
mod session;
mod style;
mod suite;
mod take;
mod urdf;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use peak_alloc::PeakAlloc;

use attempt::{Outcome, attempt};
use decoders::Decoder;
use decoders::trial::{Extent, Trial};
use plan::Plan;
use run::{FuzzRun, Tally};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Known failures, each identified by the start of its kind. Such failures are reported, but the test passes. Remove a line when its
/// failure is fixed.
const KNOWN: [&str; 0] = [];

/// Maximum number of truncations of a seed. Shorter seeds are truncated after each of their bytes.
const TRUNCATIONS: usize = 2000;
/// Number of truncations per seed, and number of mutations per decoder, in the test of all formats.
const FEW_TRUNCATIONS: usize = 100;
const FEW_RUNS: u64 = 300;

fn main() -> ExitCode {
    let plan = match Plan::read(std::env::args().skip(1)) {
        Ok(Some(plan)) => plan,
        Ok(None) => return ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            return ExitCode::from(2);
        }
    };
    attempt::catch_panics();
    let failed = match (plan.inputs.is_empty(), plan.targets.is_empty()) {
        (false, _) => rerun(&plan),
        (true, false) => decode(&plan, &plan.targets),
        (true, true) => {
            // A run with a time limit or selected formats tests only whole files.
            let is_short = plan.time.is_none() && plan.formats.len() == format::ALL.len();
            let failed = is_short && decode(&plan, &decoders::ALL.iter().collect::<Vec<_>>());
            search(plan) || failed
        }
    };
    format::remove_files();
    ExitCode::from(u8::from(failed))
}

/// Checks generated inputs. Returns whether an unknown failure was found.
fn search(plan: Plan) -> bool {
    let (started, seed) = (Instant::now(), plan.seed);
    let Tally { findings, formats } = FuzzRun::run(plan);
    let seconds = started.elapsed().as_secs_f64();
    let all: u64 = formats.values().map(|(all, _)| all).sum();
    let each: Vec<String> =
        formats.iter().map(|(name, (all, accepted))| format!("{name} {accepted}/{all}")).collect();
    println!("\nfuzz: {all} inputs in {seconds:.1} s, seed {seed}; accepted per format: {}", each.join(", "));
    let mut failed = false;
    for ((format, kind), finding) in &findings {
        let is_known = KNOWN.iter().any(|known| kind.starts_with(known));
        failed |= !is_known;
        let (file, details) = (finding.file.display(), &finding.failure.details);
        println!("{format}: {}{details} ({} inputs)", if is_known { "known: " } else { "" }, finding.count);
        println!("  cargo test --test fuzz -- --format {format} --input {file}");
    }
    failed
}

/// Tests decoders alone. Returns whether a failure was found.
fn decode(plan: &Plan, targets: &[&'static Decoder]) -> bool {
    let is_full = plan.runs.is_some() || plan.time.is_some();
    let extent = Extent {
        runs: plan.runs.unwrap_or(if is_full { u64::MAX } else { FEW_RUNS }),
        truncations: if is_full { TRUNCATIONS } else { FEW_TRUNCATIONS },
        time: plan.time,
        seed: plan.seed,
    };
    let mut failures = Vec::new();
    println!("\n{}", Trial::HEAD);
    for decoder in targets {
        let trial = Trial::run(decoder, extent, &plan.keep);
        println!("{}", trial.row(decoder));
        failures.extend(trial.failures(decoder));
        if is_full {
            trial.keep_slowest(decoder, &plan.keep);
        }
    }
    failures.iter().for_each(|line| println!("{line}"));
    !failures.is_empty()
}

/// Checks inputs from files. Returns whether one of them failed.
fn rerun(plan: &Plan) -> bool {
    let mut failed = false;
    for path in &plan.inputs {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let check = match (&plan.targets[..], &plan.formats[..]) {
            ([decoder], _) => Ok(decoder.decode),
            (_, [format]) => Ok(format.check),
            _ => plan::named(name.split('-').next().unwrap_or_default()).map(|format| format.check),
        };
        let outcome = check.and_then(|check| Ok(attempt(check, &read(path)?)));
        failed |= !matches!(outcome, Ok((Outcome::Accepted | Outcome::Rejected, _)));
        println!("{}: {outcome:?}", path.display());
    }
    failed
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}
