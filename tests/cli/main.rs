//! Runs the program as users do, and checks its output, its files and its exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod arguments;
mod axes;
mod bake;
mod bvh;
mod camera;
mod capture;
mod check;
mod clips;
mod crowd;
mod default_image;
mod face;
mod fbx;
mod files;
mod inspect;
mod options;
mod oracle;
mod own_suite;
mod pose;
mod printable;
mod project;
mod references;
mod render;
mod replay;
mod rig;
mod skipped;
mod style;
mod suite;
mod trace;
mod trajectory;
mod turntable;
mod urdf;
mod variants;

use std::path::Path;
use std::process::{Command, Output};

use glam::DVec3;
use serde_json::Value;
use sinew_testkit::folder;

/// The built-in character as a file.
const MANNEQUIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn command<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.args(arguments);
    command
}

fn sinew<const N: usize>(arguments: [&str; N]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs the program, asserts success and returns its stdout.
fn stdout<const N: usize>(arguments: [&str; N]) -> String {
    let output = sinew(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json<const N: usize>(arguments: [&str; N]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// Runs the program, asserts exit code 2, and returns its only line on stderr without `error: `.
fn refusal<const N: usize>(arguments: [&str; N]) -> String {
    refusal_of(command(arguments))
}

/// Runs a command, asserts exit code 2, and returns its only line on stderr without `error: `.
fn refusal_of(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{command:?}");
    assert!(output.stdout.is_empty(), "{command:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let [line] = lines[..] else { panic!("{command:?} prints {lines:?}") };
    line.strip_prefix("error: ").unwrap_or_else(|| panic!("{line}")).to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the numbers in a JSON array.
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Returns a node of a pose.
fn node<'a>(pose: &'a Value, name: &str) -> &'a Value {
    pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap()
}

/// Returns the world position of a node of a pose.
fn place(pose: &Value, name: &str) -> DVec3 {
    DVec3::from_slice(&numbers(&node(pose, name)["world"])[12..])
}
