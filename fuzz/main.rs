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
mod draco;
#[allow(dead_code, unreachable_pub, reason = "the module is shared with other test binaries")]
#[path = "../tests/support/draco.rs"]
mod encode;
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
use plan::Plan;
use run::{FuzzRun, Tally};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Known failures, each given by the beginning of its kind. Such failures are reported, but the test passes. Remove a
/// line when its failure is fixed.
const KNOWN: [&str; 0] = [];

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
    let failed = if plan.inputs.is_empty() { search(plan) } else { rerun(&plan) };
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

/// Checks inputs from files. Returns whether one of them failed.
fn rerun(plan: &Plan) -> bool {
    let mut failed = false;
    for path in &plan.inputs {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let format = match &plan.formats[..] {
            [format] => Ok(*format),
            _ => plan::named(name.split('-').next().unwrap_or_default()),
        };
        let outcome = format.and_then(|format| Ok(attempt(format, &read(path)?)));
        failed |= !matches!(outcome, Ok((Outcome::Accepted | Outcome::Rejected, _)));
        println!("{}: {outcome:?}", path.display());
    }
    failed
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| e.to_string())
}
