//! Judges how the whole body follows a pulled joint, and prints which checks fail.
//!
//! ```text
//! cargo run -p sinew-tools --bin body_checks -- [OPTIONS] [FILE|FOLDER]…
//! ```
//!
//! Without a path, it uses the built-in character. For a folder, it uses all .glb, .gltf and .vrm files under it. Files without a
//! recognised person are listed and skipped. `scripts/body-checks.sh` builds and runs it.
//!
//! | option | meaning |
//! |---|---|
//! | `-v` | prints each failure with its numbers |
//! | `--only CHECKS` | runs kinds of checks or single checks, such as `e` or `a,e:12` |
//! | `--part K/N` | runs every N-th check, starting at the K-th |
//! | `--seed NUMBER` | uses other targets [default: 1] |
//!
//! The checks for a person who is 1.75 m tall. The lengths are scaled to the character.
//!
//! | letter | what | at most |
//! |---|---|---|
//! | a | 8 lines of targets, each solved from rest: changes of the error, of a joint's position and of its rotation when the target moves by 1 cm | 2 cm, 10 cm, 35°, and one larger change beyond 0.4 m out of reach |
//! | b | 9 drags of 5 mm per frame: distance between joints after the drag and after one solve from rest | 20 mm |
//! | c | the same drags at 2, 10 and 16 mm per frame: distance between joints at different speeds | 10 mm |
//! | d | hips pulled down by 0.1 to 0.8 m, and with a pointer in 9 views, at three speeds: rise of the hips, distance between joints at different speeds | 5 mm, 10 mm |
//! | e | 120 drags by 0.7 m and 12 of a hand out of reach, and back: distance of joints from their initial positions, and mean rotation | 10 mm, 3° |
//! | f | in all of the above: slide and rotation of standing feet, depth of hands and feet below the floor | 5 mm, 5°, 10 mm |
//! | g | reports: error and outcome agree with the pose, no reached target is out of reach, a drag ends with the outcome of one solve | 0.1 mm, 0, 0, 0 |
//! | h | 80 hand targets: how many are reached (not judged) | |
//! | i | drags of a hand onto and into the other shoulder, the chest, the belly, the other thigh and the head: depth of the hand and the forearm inside the skin, height above the skin of a hand that is pulled inside | 5 mm, 30 mm |
//!
//! The last lines are a table with the worst and the median value of each kind of check.

#![allow(dead_code, reason = "the tests use more of the checks")]
#![allow(unreachable_pub, reason = "the tests use the checks, too")]
#![allow(clippy::print_stdout, reason = "the program prints its results")]

#[path = "../../tests/body/checks/mod.rs"]
mod checks;

use std::error::Error;
use std::path::{Path, PathBuf};

use checks::runner::collect;
use checks::table::{summary, table};
use checks::{Person, Selection, failure_lines, run};

#[derive(Default)]
struct Arguments {
    verbose: bool,
    selection: Selection,
    paths: Vec<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut files: Vec<Option<PathBuf>> = Vec::new();
    options.paths.iter().for_each(|path| collect(path, &mut files));
    files.sort();
    if options.paths.is_empty() {
        files.push(None);
    }
    let mut all = Vec::new();
    for file in &files {
        let name = file.as_deref().unwrap_or(Path::new("built-in")).display();
        let person = match Person::load(file.as_deref()) {
            Ok(person) => person,
            Err(reason) => {
                println!("{name}: skipped, {reason}");
                continue;
            }
        };
        let results = run(&person, &options.selection);
        println!("{name}: {}", summary(&results));
        failure_lines(&results).iter().filter(|_| options.verbose).for_each(|line| println!("    {line}"));
        all.extend(results);
    }
    let changes: usize = all.iter().map(|r| r.changes).sum();
    println!(
        "\n{changes} changes of the posture beyond 0.4 m out of reach, which are not in the figures of a\n"
    );
    println!("{}", table(&all));
    Ok(())
}

fn options() -> Result<Arguments, Box<dyn Error>> {
    let mut options = Arguments::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "-v" => options.verbose = true,
            "--only" => options.selection.set_only(&value()?)?,
            "--part" => options.selection.set_part(&value()?)?,
            "--seed" => options.selection.seed = value()?.parse()?,
            option if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
            path => options.paths.push(path.into()),
        }
    }
    Ok(options)
}
