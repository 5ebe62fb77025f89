//! The claims in the column *what holds* of the map of the founding documents, and their parser.

/// A claim that must hold after the command of a row has run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Claim {
    /// The window would open. The commands test checks this claim.
    Opens,
    /// All goals are reached.
    Reached,
    /// The outcome of the first goal.
    Outcome(String),
    /// The method of all solves.
    By(String),
    /// The number of iterations, exactly or at most.
    Iterations(u64, bool),
    /// The position error of the first goal is below or above this number of metres.
    Error(f64, bool),
    /// The trace has this number of steps of this kind. `None` means at least one.
    Steps(Option<usize>, String),
    /// Whether the trace has steps of a joint.
    StepsOf(String, bool),
    /// The joint of the first step of the trace, or of the last one.
    End(String, bool),
    /// All steps of a joint have this sign.
    Sign(String, i8),
    /// No joint turns by more than this number of degrees in the whole trace.
    Turns(f64),
    /// The command without this option has a different result.
    Changed(Vec<String>),
    /// Number of tracks of the written clip whose values change.
    Tracks(usize),
    /// Length of the written clip in seconds.
    Lasts(f32),
    /// The written image has several colours.
    Picture,
    /// The output contains a text.
    Prints(String),
    /// A joint is rotated, is moved, or stays in place in the written pose or clip.
    Joint(String, JointMotion),
}

/// The expected motion of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointMotion {
    Turns,
    Moves,
    Stays,
}

/// Parses the claims of a cell, which are separated by semicolons.
pub(crate) fn parse(cell: &str) -> Result<Vec<Claim>, String> {
    cell.split("; ").map(|text| claim(text.trim())).collect()
}

fn claim(text: &str) -> Result<Claim, String> {
    let unknown = || format!("\"{text}\" is not a claim");
    let quoted = |rest: &str| rest.trim().trim_matches('`').to_owned();
    let words: Vec<&str> = text.split(' ').collect();
    let number = |text: &str| text.replace('−', "-").parse::<f64>().map_err(|_| unknown());
    let count = |text: &str| text.parse::<usize>().map_err(|_| unknown());
    if let Some(rest) = text.strip_prefix("prints ") {
        return Ok(Claim::Prints(quoted(rest)));
    }
    if let Some(rest) = text.strip_prefix("changed by ") {
        return Ok(Claim::Changed(quoted(rest).split(' ').map(str::to_owned).collect()));
    }
    Ok(match words[..] {
        ["opens"] => Claim::Opens,
        ["reached"] => Claim::Reached,
        ["a", "picture"] => Claim::Picture,
        ["by", method] => Claim::By(method.to_owned()),
        ["error", "below", metres, "m"] => Claim::Error(number(metres)?, true),
        ["error", "above", metres, "m"] => Claim::Error(number(metres)?, false),
        ["at", "most", most, "iterations"] => Claim::Iterations(count(most)? as u64, false),
        [exact, "iteration" | "iterations"] => Claim::Iterations(count(exact)? as u64, true),
        ["sign", sign, "of", joint] => Claim::Sign(joint.to_owned(), number(sign)? as i8),
        ["turns", "of", "at", "most", angle] => Claim::Turns(number(angle.trim_end_matches('°'))?),
        ["first", joint] => Claim::End(joint.to_owned(), true),
        ["last", joint] => Claim::End(joint.to_owned(), false),
        ["no", "steps", "of", joint] => Claim::StepsOf(joint.to_owned(), false),
        ["steps", "of", joint] => Claim::StepsOf(joint.to_owned(), true),
        ["no", kind, "steps"] => Claim::Steps(Some(0), kind.to_owned()),
        [number, "tracks", "move"] => Claim::Tracks(count(number)?),
        ["lasts", seconds, "s"] => Claim::Lasts(number(seconds)? as f32),
        [number, kind, "step" | "steps"] => Claim::Steps(Some(count(number)?), kind.to_owned()),
        [kind, "steps"] => Claim::Steps(None, kind.to_owned()),
        [joint, "turns"] => Claim::Joint(joint.to_owned(), JointMotion::Turns),
        [joint, "moves"] => Claim::Joint(joint.to_owned(), JointMotion::Moves),
        [joint, "stays"] => Claim::Joint(joint.to_owned(), JointMotion::Stays),
        ["out-of-reach" | "blocked-by-limits" | "iteration-limit" | "stalled"] => {
            Claim::Outcome(text.to_owned())
        }
        _ => return Err(unknown()),
    })
}

#[test]
fn claims_are_parsed() {
    let parsed = parse("reached; 3 iteration steps; changed by `--option a=b`; sign −1 of spine").unwrap();
    let changed = Claim::Changed(vec!["--option".into(), "a=b".into()]);
    let steps = Claim::Steps(Some(3), "iteration".into());
    assert_eq!(parsed, [Claim::Reached, steps, changed, Claim::Sign("spine".into(), -1)]);
    assert!(parse("it works").is_err() && parse("").is_err());
}
