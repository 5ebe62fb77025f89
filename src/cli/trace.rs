//! `sinew pose --trace`: every step of every solve as a table.

use std::path::Path;

use glam::DVec3;

use crate::asset::Skeleton;
use crate::files::atomic;
use crate::puppet::{NodeStep, Puppet, SolveTrace};

use super::failure::Failure;
use super::output;

/// The columns of the table. `docs/trace.md` describes them.
const COLUMNS: &str = "step,solve,effectors,method,start,iteration,kind,joint,node,sign,axis_x,axis_y,axis_z,\
    angle_deg,distance_m,error_m,error_deg,lower_m,upper_m";

/// Checks the path of a trace before the work starts. `other` is the other output of the command.
///
/// # Errors
/// [`Failure::Usage`] if the file's extension is not `.csv`, or if both outputs go to the same file or to stdout.
pub(super) fn check(path: &Path, other: Option<&Path>) -> Result<(), Failure> {
    let is_csv = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
    if !(is_csv || path == Path::new("-") || path.starts_with("/dev")) {
        let cause = "unknown file type; use .csv";
        return Err(Failure::Usage(format!("--trace {}: {cause}", path.display())));
    }
    let refuse = |cause| Err(Failure::Usage(format!("--trace {}: {cause}", path.display())));
    if output::is_stdout(path) && other.is_none_or(output::is_stdout) {
        return refuse("the trace and the pose would both go to stdout; add --output FILE");
    }
    if other.is_some_and(|other| atomic::is_same(path, other)) {
        return refuse("the pose is written to the same file; choose another one");
    }
    output::check(path)
}

/// Writes the traces of a puppet whose last update was traced.
pub(super) fn write(path: &Path, puppet: &Puppet) -> Result<(), Failure> {
    output::file(path, csv(puppet).as_bytes())
}

/// Returns the table with a header.
fn csv(puppet: &Puppet) -> String {
    let skeleton = &puppet.character().skeleton;
    let mut text = format!("{COLUMNS}\n");
    for (number, (trace, step)) in puppet.steps().enumerate() {
        text.push_str(&row(skeleton, number + 1, trace, step));
    }
    text
}

fn row(
    skeleton: &Skeleton,
    number: usize,
    trace: &SolveTrace,
    &NodeStep { node, step }: &NodeStep,
) -> String {
    let effectors: Vec<String> = trace.targets.iter().map(|t| skeleton.label(t.node)).collect();
    let number_or_empty = |value: Option<f64>| value.map(decimal).unwrap_or_default();
    let cells = [
        number.to_string(),
        trace.solve.to_string(),
        quoted(&effectors.join(";")),
        trace.method.to_string(),
        step.start.to_string(),
        step.iteration.to_string(),
        step.kind.to_string(),
        quoted(&skeleton.label(node)),
        node.to_string(),
        step.sign.to_string(),
        decimal(step.axis.x),
        decimal(step.axis.y),
        decimal(step.axis.z),
        decimal(step.angle.to_degrees()),
        decimal(step.distance),
        number_or_empty(step.position_error),
        number_or_empty(step.orientation_error.map(f64::to_degrees)),
        point(step.particles.map(|[lower, _]| lower)),
        point(step.particles.map(|[_, upper]| upper)),
    ];
    cells.join(",") + "\n"
}

/// Returns a position as a cell, or an empty cell if there is no position.
fn point(position: Option<DVec3>) -> String {
    let text = |p: DVec3| p.to_array().map(decimal).join(";");
    position.map(text).unwrap_or_default()
}

/// Returns a number as a cell, with an exponent if it would otherwise begin with many zeros.
fn decimal(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-6 { format!("{x:e}") } else { x.to_string() }
}

/// Returns text as a cell, quoted if it contains a separator (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{decimal, quoted};

    #[test]
    fn numbers_near_zero_have_an_exponent() {
        assert_eq!([0.0, -0.25, 3e-17].map(decimal), ["0", "-0.25", "3e-17"]);
    }

    #[test]
    fn names_with_separators_are_quoted() {
        assert_eq!(quoted("hand.L"), "hand.L");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("the \"left\"\nhand"), "\"the \"\"left\"\"\nhand\"");
    }
}
