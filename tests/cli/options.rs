//! Solver options given by key: on the command line, in rigs and in suites.

use std::fs;

use serde_json::Value;
use sinew::ik::SolverOption;

use crate::{folder, json, refusal, stdout};

const REACH: [&str; 3] = ["pose", "--reach", "leftHand=0.35,1.3,0.4"];

/// Poses the built-in character with a goal for its left hand and four more arguments.
fn posed(more: [&str; 4]) -> Value {
    let ([a, b, c], [d, e, f, g]) = (REACH, more);
    json([a, b, c, d, e, f, g])
}

fn refused(more: [&str; 4]) -> String {
    let ([a, b, c], [d, e, f, g]) = (REACH, more);
    refusal([a, b, c, d, e, f, g])
}

/// The angle of the largest rotation of a node between two poses, in degrees.
fn largest_turn(a: &Value, b: &Value) -> f64 {
    let dot = |a: &Value, b: &Value| {
        let numbers = |v: &Value| v["rotation"].as_array().unwrap().clone();
        let pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.map(|(x, y)| x.as_f64().unwrap() * y.as_f64().unwrap()).sum::<f64>()
    };
    let nodes = |pose: &Value| pose["nodes"].as_array().unwrap().clone();
    let turns = nodes(a).into_iter().zip(nodes(b)).map(|(a, b)| 2.0 * dot(&a, &b).abs().min(1.0).acos());
    turns.fold(0.0, f64::max).to_degrees()
}

#[test]
fn all_options_are_listed_without_other_arguments() {
    let list = stdout(["render", "--option", "help", "all"]);
    for option in SolverOption::all() {
        let is_listed = list.contains(&format!("  {}={}\n", option.key, option.print(&option.default())));
        assert_eq!(is_listed, option.refusal.is_none(), "{}: {list}", option.key);
        assert!(!is_listed || list.contains(option.help) && list.contains(&option.values()));
    }
    assert_eq!(list, stdout(["bake", "--option=help", "all"]));
    let first = stdout(["pose", "--option", "help"]);
    assert_eq!(first.lines().filter(|line| line.starts_with("  ") && line.contains('=')).count(), 20);
    let accepted = SolverOption::all().iter().filter(|option| option.refusal.is_none()).count();
    assert!(first.ends_with(&format!("\n--option help all lists all {accepted}.\n")), "{first}");
    assert!(stdout(["pose", "-h"]).contains("--option help lists them"));
}

#[test]
fn an_option_by_its_key_is_the_same_as_by_its_name() {
    let named = posed(["--method", "ccd", "--iterations", "3"]);
    assert_eq!(named["nodes"], posed(["--option", "method=ccd", "--option", "iterations=3"])["nodes"]);
    // If a key is repeated, the last value applies, and giving the same value twice is not a contradiction.
    let last =
        posed(["--option=iterations=9", "--option=method=ccd", "--option=iterations=3", "--method=ccd"]);
    assert_eq!(named["nodes"], last["nodes"]);
    assert_ne!(named["nodes"], posed(["--method", "ccd", "--iterations", "4"])["nodes"]);
}

#[test]
fn the_maximum_step_of_ccd_is_respected() {
    // The first iteration only bends the straight arm.
    let turn = |step| {
        let [before, after] =
            ["1", "2"].map(|n| posed(["--method=ccd", &format!("--iterations={n}"), "--option", step]));
        largest_turn(&before, &after)
    };
    let [free, limited] = ["ccd.step=none", "ccd.step=0.5deg"].map(turn);
    assert!(free > 1.0 && (0.4..0.501).contains(&limited), "{free} and {limited} degrees");
}

#[test]
fn invalid_options_are_one_line_errors() {
    for (option, cause) in [
        ("ccd.stp=5deg", "unknown solver option \"ccd.stp\"; did you mean ccd.step? (see --help)"),
        ("ccd.step=5", "5rad must be more than 0deg, at most 180deg, or none (see --help)"),
        ("ccd.step=5mm", "unit \"mm\" of \"5mm\" does not fit; use deg or rad (see --help)"),
        ("ccd.step", "\"ccd.step\" must be KEY=VALUE, for example ccd.step=5deg (see --help)"),
        ("root_motion=true", "the root of a character moves unless a base is given; use a base (see --help)"),
    ] {
        let line = refusal(["pose", "--option", option]);
        assert!(line.starts_with("invalid value '") && line.contains("--option <KEY=VALUE>"), "{line}");
        assert!(line.ends_with(cause), "{line}");
    }
    for (more, cause) in [
        (
            ["--method", "dls", "--option", "method=ccd"],
            "--method and --option method=ccd contradict each other; remove one",
        ),
        (
            ["--tolerance", "0.002", "--option", "tolerance=3mm"],
            "--tolerance and --option tolerance=3mm contradict each other; remove one",
        ),
        (
            ["-q", "--no-limits", "--option", "limits=true"],
            "--no-limits and --option limits=true contradict each other; remove one",
        ),
        (
            ["--iterations", "3", "--option", "method=style"],
            "--method style needs a pose prior; add --style FILE",
        ),
    ] {
        let line = refused(more);
        assert!(line.ends_with(cause), "{line}");
    }
}

#[test]
fn options_of_a_rig_are_defaults_for_the_command_line() {
    let path = folder("options-rig").join("figure.rig.toml");
    let rig = path.to_str().unwrap();
    stdout(["inspect", "--write-rig", rig]);
    let found = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        format!("{found}\n[options] # slow\nmethod = \"ccd\"\niterations = 3\nccd.step = \"5deg\"\n"),
    )
    .unwrap();
    let report = |more: [&str; 2]| posed(["--rig", rig, more[0], more[1]])["reports"][0].clone();
    let plain = report(["-q", "-v"]);
    assert_eq!((&plain["method"], &plain["iterations"]), (&"ccd".into(), &3.into()));
    let named = posed(["--method=ccd", "--iterations=3", "--option", "ccd.step=5deg"])["reports"][0].clone();
    assert_eq!(plain["position_error"], named["position_error"]);
    // The command line overrides each option of the rig.
    assert_eq!(report(["--method", "dls"])["method"], "dls");
    assert_eq!(report(["--option", "iterations=2"])["iterations"], 2);
    assert_ne!(report(["--option", "ccd.step=none"])["position_error"], plain["position_error"]);
    // Writing the rig again keeps the options.
    let written = folder("options-rig-again").join("again.rig.toml");
    stdout(["inspect", "--rig", rig, "--write-rig", written.to_str().unwrap()]);
    let text = fs::read_to_string(&written).unwrap();
    assert!(text.contains("[options]") && text.contains("ccd.step = \"5deg\""), "{text}");
    stdout(["inspect", "--rig", rig, "--write-rig", rig]);
    assert!(fs::read_to_string(&path).unwrap().contains("[options] # slow\nmethod = \"ccd\""));
    let mistake = fs::read_to_string(&path).unwrap().replace("ccd.step", "ccd.stp");
    fs::write(&path, &mistake).unwrap();
    let line = 1 + mistake.lines().position(|l| l.starts_with("ccd.stp")).unwrap();
    let expected = format!("line {line}: unknown solver option \"ccd.stp\"; did you mean ccd.step?");
    assert!(refusal(["inspect", "--rig", rig]).ends_with(&expected));
}

#[test]
fn a_suite_sets_options_as_a_list_or_as_a_table() {
    let suite = folder("options-suite").join("suite.toml");
    let path = suite.to_str().unwrap();
    let case = "compare = [\"report\"]\nreach = [\"leftHand=0.35,1.3,0.4\"]\noutcome = \"iteration-limit\"\n";
    for options in [
        "option = [\"method=ccd\", \"iterations=1\", \"ccd.step=5deg\"]\n",
        "option = { method = \"ccd\", iterations = 1, ccd.step = \"5deg\" }\n",
        "option.method = \"ccd\"\noption.iterations = 1\noption.ccd.step = \"5deg\"\n",
        "[case.option]\nmethod = \"ccd\"\niterations = 1\nccd.step = \"5deg\"\nccd.growing = false\n",
    ] {
        fs::write(&suite, format!("version = 1\n[[case]]\nname = \"a\"\n{case}{options}")).unwrap();
        stdout(["test", path]);
        // The options of the suite's defaults apply too.
        fs::write(&suite, format!("version = 1\n[[case]]\nname = \"a\"\n{case}")).unwrap();
        let output = crate::sinew(["test", path]);
        assert_eq!(output.status.code(), Some(1), "the goal is reached without the options");
    }
    fs::write(&suite, format!("version = 1\n[defaults.option]\nmethod = \"ccd\"\niterations = 1\nccd.step = 0.1\n[[case]]\nname = \"a\"\n{case}")).unwrap();
    stdout(["test", path]);
    fs::write(&suite, format!("version = 1\n[[case]]\nname = \"a\"\n{case}option.ccd = [1]\n")).unwrap();
    let output = String::from_utf8(crate::sinew(["test", path]).stdout).unwrap();
    assert!(output.contains("broken  a") && output.contains("unknown solver option \"ccd\""), "{output}");
}

#[test]
fn the_bench_applies_options_and_refuses_those_that_it_would_ignore() {
    let run = |option| {
        let bench =
            ["bench", "--json", "--methods=ccd", "--joints=3", "--cases=20", "--limits=off", "--option"];
        let [a, b, c, d, e, f, g] = bench;
        json([a, b, c, d, e, f, g, option])["rows"][0]["iterations"].as_f64().unwrap()
    };
    assert!(run("ccd.step=1deg") > 2.0 * run("ccd.step=none"));
    for (option, own) in
        [("method=dls", "--methods"), ("tolerance=1mm", "--tolerance"), ("limits=off", "--limits")]
    {
        assert!(refusal(["bench", "--option", option]).contains(&format!("use {own} instead")));
    }
    let line = refusal(["bench", "--table", "paper", "--option", "ccd.step=5deg"]);
    assert!(line.contains("--option has no effect with --table paper"), "{line}");
}
