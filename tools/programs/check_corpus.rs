//! Adds known faults to clean clips, and measures how many of them `check` finds and `mend` repairs.
//!
//! ```text
//! cargo run -p sinew-tools --bin check_corpus -- [OPTIONS] [FILE|FOLDER]…
//! ```
//!
//! Without a path, it uses the built-in character. For a folder, it uses all .glb, .gltf, .vrm, .fbx and .bvh files under it.
//! `scripts/check-corpus.sh` builds and runs it. docs/decisions/checks.md explains the table.
//!
//! | option | meaning |
//! |---|---|
//! | `-v` | prints each missed fault, each false alarm, and each repair that fails |
//! | `--clips N` | number of clean clips to use [default: 100] |
//! | `--seed N` | seed of the random numbers [default: 1] |

#![allow(dead_code, reason = "the tests use more of the corpus")]
#![allow(unreachable_pub, reason = "the tests use the corpus, too")]
#![allow(clippy::print_stdout, reason = "the program prints its results")]

#[path = "../../tests/check/corpus.rs"]
mod corpus;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use corpus::{Corpus, Source};
use sinew::{asset, rig};

const EXTENSIONS: [&str; 5] = ["glb", "gltf", "vrm", "fbx", "bvh"];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut verbose, mut clips, mut seed, mut paths) = (false, 100, 1, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "-v" => verbose = true,
            "--clips" => clips = arguments.next().ok_or("--clips: number is missing")?.parse()?,
            "--seed" => seed = arguments.next().ok_or("--seed: number is missing")?.parse()?,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let mut sources = Vec::new();
    if paths.is_empty() {
        sources.push(Source::new("built-in", asset::mannequin()?, None));
    }
    for path in files(&paths)? {
        let Ok(character) = asset::load(&path) else { continue };
        let rig = rig::load(&character, None)?;
        sources.push(Source::new(&path.display().to_string(), character, Some(rig)));
    }
    let corpus = Corpus::choose(&sources, clips);
    println!("{}", corpus.summary());
    let results = corpus.measure(seed);
    if verbose {
        results.details.iter().for_each(|line| println!("{line}"));
    }
    println!("{}", results.table());
    Ok(())
}

/// Returns the files of the paths, in alphabetical order within each folder.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for path in paths {
        let mut folders = vec![path.clone()];
        let mut of_path = Vec::new();
        while let Some(next) = folders.pop() {
            if next.is_dir() {
                for entry in fs::read_dir(&next)? {
                    folders.push(entry?.path());
                }
            } else if is_model(&next) {
                of_path.push(next);
            }
        }
        of_path.sort();
        found.extend(of_path);
    }
    Ok(found)
}

fn is_model(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e))
}
