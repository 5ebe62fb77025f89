//! Performs the gestures of `tests/gestures` on characters, and prints which ones pass.
//!
//! ```text
//! cargo run -p sinew-tools --bin gestures -- [OPTIONS] [FILE|FOLDER]…
//! ```
//!
//! Without a path, it uses the built-in character. For a folder, it uses all .glb, .gltf and .vrm files under it.
//! `scripts/gestures.sh` builds and runs it.
//!
//! | option | meaning |
//! |---|---|
//! | `-v` | prints the reasons of all failures, and the files without a recognised body |
//! | `--right`, `--both` | makes the gestures of one hand or foot on the right or on both sides, instead of on the left |
//! | `--far` | moves the head and the ankle by the whole length along both axes of their diagonal |
//! | `--repeat` | repeats the last position of the pointer while it rests |
//! | `--expect LIST` | a file with a part of a path on each line. A character whose path contains one of them must be recognised. Otherwise, it fails all gestures of people |
//! | `--record FOLDER` | records the sessions of all gestures of a single character |
//!
//! The columns are the number of gestures that passed, a letter for each gesture, the largest rotation of a joint within one frame in
//! radians, and the median and the 99th percentile of the solve times in microseconds. Letters: `.` passed, and `-` skipped because the
//! character has no such joint. Failures: `t` target, `p` posture, `f` feet and pins, `u` under the floor, `j` jump, `l` limit, `h` head,
//! `r` report, `b` back at the beginning, `x` rejected by the solver.

#![allow(dead_code, reason = "the tests use more of the runner")]
#![allow(unreachable_pub, reason = "the tests use the runner, too")]
#![allow(clippy::print_stdout, reason = "the program prints its results")]

#[path = "../../tests/gestures/runner/mod.rs"]
mod runner;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use runner::people::GESTURES as PEOPLE;
use runner::verdict::{GestureResult, Turn};
use runner::{Side, Subject, collect, run_all};

#[derive(Default)]
struct Arguments {
    verbose: bool,
    far: bool,
    repeats: bool,
    sides: Vec<Side>,
    expected: Vec<String>,
    recordings: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

/// How many gestures passed, and how many were counted.
#[derive(Clone, Copy, Default)]
struct Score {
    passed: usize,
    all: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut files: Vec<Option<PathBuf>> = Vec::new();
    options.paths.iter().for_each(|path| collect(path, &mut files));
    files.sort();
    if options.paths.is_empty() {
        files.push(None);
    }
    println!(
        "{:44} {:9} {:>6}  {:16} {:>5} {:>7} {:>7}",
        "character", "body", "score", "gestures", "turn", "median", "p99"
    );
    let (mut total, mut unknown) = (Score::default(), Vec::new());
    let (mut turn, mut solves) = (Turn::default(), Vec::new());
    for file in &files {
        let path = file.as_deref().unwrap_or(Path::new("built-in"));
        let (subject, results) = match results(file.as_deref(), &options) {
            Ok(found) => found,
            Err(reason) => {
                let text = path.to_string_lossy();
                if options.expected.iter().any(|part| text.contains(part.as_str())) {
                    total.all += PEOPLE.len();
                    println!(
                        "{:44} {:9} {:>6}  {reason}",
                        short(path),
                        "none",
                        format!("0/{}", PEOPLE.len())
                    );
                } else {
                    // Errors about a file begin with its path.
                    let is_named = reason.starts_with(&*text);
                    unknown.push(if is_named { reason } else { format!("{text}: {reason}") });
                }
                continue;
            }
        };
        let score = print(path, subject.body.kind.name(), &results, options.verbose);
        let floor = subject.body.floor;
        if options.verbose && floor.abs() > 0.02 {
            println!("    the lowest point at rest is at {floor:.3} m, not on the ground plane");
        }
        (total.passed, total.all) = (total.passed + score.passed, total.all + score.all);
        for result in results {
            solves.extend(result.solves);
            turn = if result.turn.ratio > turn.ratio { result.turn } else { turn };
        }
    }
    let [median, p99] = quantiles(&mut solves);
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let percent = 100.0 * total.passed as f64 / total.all.max(1) as f64;
    println!(
        "{} of {} gestures pass ({percent:.1} %), solves take {median:.0} us, p99 {p99:.0} us",
        total.passed, total.all
    );
    println!("largest turn in a frame: {:.3} rad, {}", turn.radians, turn.joint);
    if !unknown.is_empty() {
        println!(
            "{} files have no body whose gestures are known{}",
            unknown.len(),
            if options.verbose { ":" } else { "" }
        );
    }
    unknown.iter().filter(|_| options.verbose).for_each(|line| println!("  {line}"));
    Ok(())
}

fn options() -> Result<Arguments, Box<dyn Error>> {
    let mut options = Arguments { sides: vec![Side::Left], ..Arguments::default() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-v" => options.verbose = true,
            "--far" => options.far = true,
            "--repeat" => options.repeats = true,
            "--right" => options.sides = vec![Side::Right],
            "--both" => options.sides = vec![Side::Left, Side::Right],
            "--expect" => {
                let list = fs::read_to_string(arguments.next().ok_or("--expect needs a file")?)?;
                options.expected = list.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect();
            }
            "--record" => {
                let folder = PathBuf::from(arguments.next().ok_or("--record needs a folder")?);
                fs::create_dir_all(&folder)?;
                options.recordings = Some(folder);
            }
            option if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
            path => options.paths.push(path.into()),
        }
    }
    Ok(options)
}

fn results(file: Option<&Path>, options: &Arguments) -> Result<(Subject, Vec<GestureResult>), String> {
    let mut subject = Subject::load(file)?;
    subject.recordings.clone_from(&options.recordings);
    (subject.far, subject.repeats) = (options.far, options.repeats);
    let mut all: Vec<GestureResult> = Vec::new();
    for &side in &options.sides {
        subject.side = side;
        let mut results = run_all(&subject);
        if options.sides.len() > 1 {
            let failures = results.iter_mut().flat_map(|r| &mut r.failures.0);
            failures.for_each(|f| f.text = format!("{} side: {}", side.name(), f.text));
        }
        if all.is_empty() {
            all = results;
        } else {
            all.iter_mut().zip(results).for_each(|(result, other)| result.add(other));
        }
    }
    Ok((subject, all))
}

/// Prints the row of a character.
fn print(path: &Path, kind: &str, results: &[GestureResult], verbose: bool) -> Score {
    let counted = || results.iter().filter(|r| r.skipped.is_none());
    let score = Score { passed: counted().filter(|r| r.passed()).count(), all: counted().count() };
    let letters: String = results.iter().map(GestureResult::letter).collect();
    let mut solves: Vec<f64> = results.iter().flat_map(|r| r.solves.iter().copied()).collect();
    let [median, p99] = quantiles(&mut solves);
    let turn =
        results.iter().max_by(|a, b| a.turn.ratio.total_cmp(&b.turn.ratio)).map_or(0.0, |r| r.turn.radians);
    let fraction = format!("{}/{}", score.passed, score.all);
    println!("{:44} {kind:9} {fraction:>6}  {letters:16} {turn:5.2} {median:7.0} {p99:7.0}", short(path));
    for result in results.iter().filter(|_| verbose) {
        let reasons = result.skipped.iter().map(|reason| format!("skipped: {reason}"));
        for line in reasons.chain(result.failures.0.iter().map(|f| f.text.clone())) {
            println!("    {:2} {:20} {line}", result.number, result.name);
        }
    }
    score
}

/// Returns the last part of a path.
fn short(path: &Path) -> String {
    let text = path.to_string_lossy();
    let skipped = text.chars().count().saturating_sub(44);
    text.chars().skip(skipped).collect()
}

/// Returns the median and the 99th percentile of times, in microseconds.
fn quantiles(seconds: &mut [f64]) -> [f64; 2] {
    seconds.sort_by(f64::total_cmp);
    let at =
        |percent: usize| seconds.get((seconds.len() * percent / 100).min(seconds.len().saturating_sub(1)));
    [50, 99].map(|percent| at(percent).map_or(0.0, |s| 1e6 * s))
}
