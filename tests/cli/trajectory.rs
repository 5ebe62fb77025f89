//! `sinew trajectory`: joint values of robots along paths of poses.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::{MANNEQUIN, command, folder, refusal, refusal_of, stdout};

/// A gantry of three slides, which carries a cube of 0.1 m.
const GANTRY: &str = r#"<robot name="gantry">
<link name="base"/><link name="bridge"/><link name="beam"/>
<link name="tool"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="bridge"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="0.5"/></joint>
<joint name="y" type="prismatic"><parent link="bridge"/><child link="beam"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="0.5"/></joint>
<joint name="z" type="prismatic"><parent link="beam"/><child link="tool"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="0.5"/></joint>
</robot>"#;

/// Two fingers that move apart.
const FINGERS: &str = r#"<robot name="fingers"><link name="palm"/><link name="left"/><link name="right"/>
<joint name="a" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="b" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"#;

/// A straight path of 0.4 m along Y.
const LINE: &str = "x,y,z\n0.2,0,0.1\n0.2,0.4,0.1\n";
/// A path that ends in the middle of a ball.
const INTO_BALL: &str = "x,y,z\n-0.2,0.2,0.4\n0.2,0.2,0.4\n";
const BALL: &str = "[[obstacle]]\nname = \"ball\"\nsphere = { centre = [0.2, 0.2, 0.4], radius = 0.1 }\n";
/// Obstacles of the other shapes, farther away.
const OTHERS: &str = r#"
[[obstacle]]
name = "rail"
capsule = { from = [-1, -1, -1], to = [-1, 1, -1], radius = 0.1 }

[[obstacle]]
name = "floor"
[obstacle.box]
centre = [0, 0, -1.5]
size = [2, 2, 0.1]
rotation = [0, 0, 1, 1]

[[obstacle]]
name = "ramp"
hull = { points = [[1, -1, 0], [1, 1, 0], [1.2, 0, 0], [1.1, 0, 1]] }
"#;

/// A folder with a robot and the files of a test.
struct Cell {
    folder: PathBuf,
    robot: String,
}

impl Cell {
    fn new(name: &str, robot: &str) -> Self {
        let mut cell = Self { folder: folder(name), robot: String::new() };
        cell.robot = cell.write("robot.urdf", robot);
        cell
    }

    /// Writes a file, and returns its path.
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(["trajectory", &self.robot]);
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the command, asserts success, and returns the rows of its table and its messages.
    fn rows(&self, arguments: &[&str]) -> (Vec<Vec<f64>>, String) {
        let output = self.run(arguments);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {messages}");
        (rows(&String::from_utf8(output.stdout).unwrap()), messages)
    }

    /// Runs the command, asserts exit code 2, and returns the only line of its output without `error: `.
    fn refusal(&self, arguments: &[&str]) -> String {
        refusal_of(self.command(arguments))
    }
}

/// Returns the numbers of a table with the columns of the gantry.
fn rows(table: &str) -> Vec<Vec<f64>> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("time,x,y,z"));
    lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance;
    let is_same = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
    assert!(is_same, "{found:?} and {expected:?}");
}

#[test]
fn a_path_of_poses_becomes_joint_values_over_time() {
    let cell = Cell::new("trajectory", GANTRY);
    let (poses, q) = (cell.write("poses.csv", LINE), cell.path("q.csv"));
    let (table, messages) = cell.rows(&["--path", &poses]);
    assert!(table.len() > 40, "{} rows", table.len());
    assert_near(&table[0], &[0.0, 0.2, 0.0, 0.1], 2e-3);
    // The tool moves 0.4 m at 0.5 m/s.
    let last = table.last().unwrap();
    assert_near(last, &[0.8, 0.2, 0.4, 0.1], 0.01);
    // The rows between the poses are on a straight line.
    assert!(table.iter().all(|row| (row[1] - 0.2).abs() < 2e-3 && (row[3] - 0.1).abs() < 2e-3));
    assert!(table.windows(2).all(|pair| pair[0][0] < pair[1][0] && (pair[1][2] - pair[0][2]).abs() < 0.012));
    let summary = format!("stdout: {} rows in ", table.len());
    assert!(messages.starts_with(&summary) && messages.ends_with("s; 2 of 2 poses reached\n"), "{messages}");
    // A file has the same table, and the program reads it.
    let output = cell.run(&["--path", &poses, "-q", "-o", &q]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(rows(&fs::read_to_string(&q).unwrap()), table);
    stdout(["pose", &cell.robot, "--q", &q]);
    // At half the speed and with a larger spacing, the path takes twice the time in fewer rows.
    let (slow, _) = cell.rows(&["--path", &poses, "--speed", "0.5", "--spacing", "0.1", "--link", "tool"]);
    assert!(slow.len() < 8, "{slow:?}");
    assert!((slow.last().unwrap()[0] / last[0] - 2.0).abs() < 0.02, "{slow:?}");
    let (exact, _) = cell.rows(&["--path", &poses, "--method", "dls", "--tolerance", "1e-6"]);
    assert_near(&exact.last().unwrap()[1..], &[0.2, 0.4, 0.1], 2e-6);
    for redundancy in ["nearest", "rest", "centres", "manipulability"] {
        let (table, _) = cell.rows(&["--path", &poses, "--redundancy", redundancy, "--require-reached"]);
        assert_near(&table.last().unwrap()[1..], &[0.2, 0.4, 0.1], 2e-3);
    }
}

#[test]
fn orientations_are_goals_too() {
    let cell = Cell::new("trajectory-orientations", GANTRY);
    // The tool cannot turn. A quaternion may have any length.
    let level = cell.write("level.csv", "qx,qy,qz,qw,x,y,z\n0,0,0,2,0.2,0,0.1\n");
    cell.rows(&["--path", &level, "--require-reached"]);
    let turned = cell.write("turned.csv", "x,y,z,qx,qy,qz,qw\n0.2,0,0.1,0,0,0.70710678,0.70710678\n");
    let output = cell.run(&["--path", &turned, "--require-reached"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), false), "{messages}");
    assert!(messages.starts_with(&format!("warning: {turned}: line 2: pose is not reached: ")), "{messages}");
    assert!(messages.contains(" and 90.00° away ("), "{messages}");
    assert!(messages.contains("; 0 of 1 poses reached"), "{messages}");
}

#[test]
fn poses_inside_an_obstacle_are_missed() {
    let cell = Cell::new("trajectory-missed", GANTRY);
    let (poses, obstacles) = (cell.write("poses.csv", INTO_BALL), cell.write("ball.toml", BALL));
    cell.rows(&["--path", &poses, "--require-reached"]);
    let guarded: [&str; 4] = ["--path", &poses, "--obstacles", &obstacles];
    let (table, messages) = cell.rows(&guarded);
    let missed = format!("warning: {poses}: line 3: pose is not reached: ");
    assert!(messages.starts_with(&missed) && messages.contains("; 1 of 2 poses reached"), "{messages}");
    assert!(messages.contains(" rows between the poses are not reached\n"), "{messages}");
    assert!(messages.contains(" between \"tool\" and \"ball\""), "{messages}");
    // The cube keeps out of the ball.
    for row in &table {
        let [x, y, z] = [row[1] - 0.2, row[2] - 0.2, row[3] - 0.4];
        assert!((x * x + y * y + z * z).sqrt() > 0.1 + 0.05, "{row:?}");
    }
    let [a, b, c, d] = guarded;
    let output = cell.run(&[a, b, c, d, "-q", "--require-reached"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_smallest_clearance_has_the_names_of_its_pair() {
    let cell = Cell::new("trajectory-clearance", GANTRY);
    let poses = cell.write("poses.csv", LINE);
    let obstacles = cell.write("all.toml", &[BALL, OTHERS].concat());
    let srdf = "<robot name=\"gantry\"><disable_collisions link1=\"tool\" link2=\"base\"/></robot>";
    let srdf = cell.write("robot.srdf", srdf);
    let arguments: [&str; 8] =
        ["--path", &poses, "--obstacles", &obstacles, "--srdf", &srdf, "--margin", "0.02"];
    let (_, messages) = cell.rows(&arguments);
    let (_, clearance) = messages.split_once("; smallest clearance ").unwrap();
    let (millimetres, pair) = clearance.trim_end().split_once(" mm between ").unwrap();
    // The centre of the ball is 0.3 m above the path.
    let millimetres: f64 = millimetres.parse().unwrap();
    assert!((50.0..150.0).contains(&millimetres) && pair == "\"tool\" and \"ball\"", "{messages}");
    // A margin that is larger than the gap moves the tool away from its path.
    let [a, b, c, d, e, f, g, _] = arguments;
    let output = cell.run(&[a, b, c, d, e, f, g, "0.25", "--require-reached"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn invalid_poses_are_refused_with_their_line_and_column() {
    let cell = Cell::new("trajectory-poses", GANTRY);
    for (text, cause) in [
        ("", "line 1, column 1: the header is missing"),
        ("x,y\n1,2\n", "line 1, column 2: the column \"z\" is missing"),
        ("x,y,z,qx\n", "line 1, column 4: the column \"qy\" is missing"),
        ("x,y,z,w\n", "line 1, column 4: unknown column \"w\"; known: x, y, z, qx, qy, qz, qw"),
        ("x,y,z,x\n", "line 1, column 4: the column \"x\" appears twice"),
        ("x,y,z\n", "line 1, column 1: no pose follows the header"),
        ("x,y,z\n0,0,0\n0,nan,0\n", "line 3, column 2: \"nan\" is not a finite number"),
        ("x,y,z\n0,0\n", "line 2, column 2: the line has 2 columns, but the header has 3"),
        ("x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0\n", "line 2, column 4: the quaternion is zero"),
    ] {
        let poses = cell.write("poses.csv", text);
        assert_eq!(cell.refusal(&["--path", &poses]), format!("{poses}: {cause}"));
    }
    let missing = cell.path("nowhere.csv");
    assert!(cell.refusal(&["--path", &missing]).starts_with(&format!("{missing}: ")));
    assert!(cell.refusal(&[]).contains("--path"));
}

#[test]
fn invalid_obstacles_are_refused_with_their_line() {
    let cell = Cell::new("trajectory-obstacles", GANTRY);
    let poses = cell.write("poses.csv", LINE);
    let named = |shape: &str| format!("[[obstacle]]\nname = \"a\"\n{shape}\n");
    for (text, cause) in [
        ("[[obstacles]]\n".into(), "line 1: unknown key \"obstacles\"; known: obstacle"),
        ("[obstacle]\nname = \"a\"\n".into(), "line 1: obstacle must be written as [[obstacle]]"),
        ("\n[[obstacle]]\nsphere = 1\n".into(), "line 3: name is missing"),
        (named(""), "line 1: an obstacle must have one of sphere, capsule, box, hull"),
        (named("sphere = 1"), "line 3: sphere must be a table"),
        (named("box = {}"), "line 3: centre is missing"),
        (
            named("sphere = { center = [0, 0, 0], radius = 1 }"),
            "line 3: unknown key \"center\"; known: centre, radius",
        ),
        (named("sphere = { centre = [0, 0], radius = 1 }"), "line 3: centre must be a list of 3 numbers"),
        (named("sphere = { centre = [0, 0, inf], radius = 1 }"), "line 3: centre: value is not finite"),
        (
            named("sphere = { centre = [0, 0, 0], radius = 0 }"),
            "line 1: obstacle \"a\": the radius must be finite and greater than 0",
        ),
        (named("hull = { points = [[0, 0, 0], [1, 0]] }"), "line 3: points[1] must be a list of 3 numbers"),
        (
            named("hull = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]] }"),
            "line 1: obstacle \"a\": the points of a hull must not lie in one plane",
        ),
        (format!("{BALL}\n{BALL}"), "line 5: obstacle \"ball\" already exists"),
    ] {
        let obstacles = cell.write("obstacles.toml", &text);
        let line = cell.refusal(&["-q", "--path", &poses, "--obstacles", &obstacles]);
        assert_eq!(line, format!("{obstacles}: {cause}"));
    }
}

#[test]
fn other_invalid_arguments_are_refused() {
    let cell = Cell::new("trajectory-arguments", GANTRY);
    let (robot, poses) = (&cell.robot, cell.write("poses.csv", LINE));
    let refused = |more: &[&str]| {
        let mut arguments = vec!["-q", "--path", &*poses];
        arguments.extend_from_slice(more);
        cell.refusal(&arguments)
    };
    assert_eq!(refused(&["--link", "tol"]), "--link: link \"tol\" does not exist; did you mean \"tool\"?");
    assert!(refused(&["--margin", "0.1"]).starts_with("--margin has no effect without --collisions"));
    assert!(refused(&["--margin", "-1"]).ends_with("must be at least 0 metres (see --help)"));
    assert!(refused(&["--speed", "1.5"]).ends_with("must be greater than 0 and at most 1 (see --help)"));
    assert!(refused(&["--spacing", "0"]).ends_with("must be a positive number of metres (see --help)"));
    assert!(refused(&["--turn-spacing", "nan"]).ends_with("positive number of degrees (see --help)"));
    assert!(refused(&["--redundancy", "none"]).contains("--redundancy"));
    assert!(refused(&["--option", "limits=false"]).starts_with("--option limits=false: the joint values"));
    let contradiction = refused(&["--method", "dls", "--option", "method=ccd"]);
    assert!(contradiction.contains("contradict each other"), "{contradiction}");
    let out = cell.path("q.json");
    assert_eq!(refused(&["-o", &out]), format!("--output {out}: unknown file type; use .csv"));
    let same = refused(&["-o", &poses]);
    assert_eq!(same, format!("{poses}: output would overwrite an input; choose another file"));
    let q0 = cell.write("q0.csv", "x,y\n0,0\n1,1\n");
    let cause = "2 lines of joint values; the start has only one";
    assert_eq!(refused(&["--q0", &q0]), format!("--q0 {q0}: {cause}"));
    let q0 = cell.write("q0.csv", "x,w\n0,0\n");
    assert!(refused(&["--q0", &q0]).starts_with(&format!("--q0 {q0}: joint \"w\" has no value in q")));
    let srdf = "<robot><disable_collisions link1=\"tol\" link2=\"base\"/></robot>";
    let srdf = cell.write("robot.srdf", srdf);
    let line = refused(&["--srdf", &srdf]);
    assert_eq!(line, format!("{srdf}: link \"tol\" does not exist; did you mean \"tool\"?"));
    // Without shapes, no collision would be found.
    let bare = GANTRY.replace("<visual><geometry><box size=\"0.1 0.1 0.1\"/></geometry></visual>", "");
    fs::write(robot, bare).unwrap();
    let line = refused(&["--collisions"]);
    assert_eq!(line, format!("{robot}: no link has a shape, so collisions cannot be found"));
    fs::write(robot, FINGERS).unwrap();
    let line = refused(&[]);
    assert!(line.starts_with("the robot has 2 tips; choose a link with --link: \""), "{line}");
    assert!(line.contains("\"left\"") && line.contains("\"right\""), "{line}");
    let cause = "the character has no joints with values; robots are read from .urdf files";
    assert_eq!(refusal(["trajectory", MANNEQUIN, "-q", "--path", &poses]), format!("{MANNEQUIN}: {cause}"));
}

#[test]
fn the_start_decides_between_answers() {
    let cell = Cell::new("trajectory-start", GANTRY);
    // The position of the link `beam` leaves the joint z free.
    let poses = cell.write("poses.csv", "x,y,z\n0.2,0.1,0\n");
    let q0 = cell.write("q0.json", "{\"x\": 0.1, \"z\": 0.7}");
    let (table, _) = cell.rows(&["--path", &poses, "--link", "beam", "--q0", &q0, "--require-reached"]);
    assert_near(&table[0], &[0.0, 0.2, 0.1, 0.7], 2e-3);
}
