//! Random inputs of every format that sinew reads, and what is accepted is used. `README.md` explains it.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that reports by itself"
)]

mod arguments;
mod attempt;
mod bvh;
mod character;
mod format;
mod gltf;
mod golden;
mod images;
mod minimize;
mod motion;
mod mutate;
mod packets;
mod plan;
mod random;
mod recording;
mod rig;
mod run;
mod seeds;
mod session;
mod style;
mod suite;
mod take;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use peak_alloc::PeakAlloc;

use attempt::{Outcome, attempt};
use plan::Plan;
use run::{Run, Tally};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Faults that are known and not fixed yet, by the beginning of their kind. They are reported, but the test passes. Take
/// a line out with the fix.
const KNOWN: [&str; 0] = [];

fn main() -> ExitCode {
    let plan = match Plan::read(std::env::args().skip(1)) {
        Ok(Some(plan)) => plan,
        Ok(None) => return ExitCode::SUCCESS,
        Err(line) => {
            println!("{line}");
            return ExitCode::from(2);
        }
    };
    attempt::catch_panics();
    let failed = if plan.inputs.is_empty() { search(plan) } else { again(&plan) };
    format::remove_files();
    ExitCode::from(u8::from(failed))
}

/// Runs made inputs; whether a fault was found that is not known.
fn search(plan: Plan) -> bool {
    let (started, seed) = (Instant::now(), plan.seed);
    let Tally { findings, formats } = Run::all(plan);
    let seconds = started.elapsed().as_secs_f64();
    let all: u64 = formats.values().map(|(all, _)| all).sum();
    let each: Vec<String> =
        formats.iter().map(|(name, (all, taken))| format!("{name} {taken}/{all}")).collect();
    println!(
        "\nfuzz: {all} inputs in {seconds:.1} s, seed {seed}; accepted of each format: {}",
        each.join(", ")
    );
    let mut failed = false;
    for ((format, kind), finding) in &findings {
        let known = KNOWN.iter().any(|known| kind.starts_with(known));
        failed |= !known;
        let (file, details) = (finding.file.display(), &finding.fault.details);
        println!("{format}: {}{details} ({} inputs)", if known { "known: " } else { "" }, finding.count);
        println!("  cargo test --test fuzz -- --format {format} --input {file}");
    }
    failed
}

/// Runs inputs from files; whether one of them fails.
fn again(plan: &Plan) -> bool {
    let mut failed = false;
    for path in &plan.inputs {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let format = match &plan.formats[..] {
            [format] => Ok(*format),
            _ => plan::named(name.split('-').next().unwrap_or_default()),
        };
        let outcome = format.and_then(|format| Ok(attempt(format, &read(path)?)));
        failed |= !matches!(outcome, Ok((Outcome::Accepted | Outcome::Refused, _)));
        println!("{}: {outcome:?}", path.display());
    }
    failed
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}
