//! Obstacles as TOML. `docs/rig.md` describes the format.

use std::path::Path;

use glam::{DQuat, DVec3};
use toml_edit::{Document, Item, Table, TableLike, Value};

use crate::cli::failure::Failure;
use crate::files::bounded;
use crate::ik::Obstacle;
use crate::text::toml::{Lines, SpannedError, check_keys, number, numbers, required, tables};

use super::refused;

/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The shapes. Each obstacle has one of them.
const SHAPES: [&str; 4] = ["sphere", "capsule", "box", "hull"];

/// An obstacle in the robot's own frame. Its size is not checked yet.
pub(super) struct NamedObstacle {
    pub(super) name: String,
    pub(super) obstacle: Obstacle,
    /// Number of the line on which its table starts, from 1.
    pub(super) line: usize,
}

/// Reads the obstacles of a file.
pub(super) fn read(path: &Path) -> Result<Vec<NamedObstacle>, Failure> {
    let text = bounded::read_to_string(path, MAX_BYTES).map_err(|error| refused(path, &error))?;
    parse(&text).map_err(|error| {
        let (line, cause) = error.line_and_cause(&text);
        refused(path, &format_args!("line {line}: {cause}"))
    })
}

fn parse(text: &str) -> Result<Vec<NamedObstacle>, SpannedError> {
    let document = Document::parse(text.to_owned()).map_err(|error| SpannedError::syntax(&error))?;
    let root = document.as_table();
    check_keys(root, &["obstacle"])?;
    let lines = Lines::of(text);
    let mut obstacles = Vec::new();
    for table in tables(root, "obstacle")? {
        let (name, obstacle) = of_table(table).map_err(|error| error.or_at(table.span()))?;
        obstacles.push(NamedObstacle { name, obstacle, line: lines.at(table.span()) });
    }
    Ok(obstacles)
}

fn of_table(table: &Table) -> Result<(String, Obstacle), SpannedError> {
    let [sphere, capsule, cuboid, hull] = SHAPES;
    check_keys(table, &["name", sphere, capsule, cuboid, hull])?;
    let item = required(table, "name")?;
    let name = item.as_str().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| SpannedError::at(item, "name must be a string that is not empty"))?;
    let mut shapes = SHAPES.into_iter().filter_map(|key| Some((key, table.get(key)?)));
    let (Some((key, item)), None) = (shapes.next(), shapes.next()) else {
        let cause = format!("an obstacle must have one of {}", SHAPES.join(", "));
        return Err(SpannedError::new(table.span(), cause));
    };
    let shape = item.as_table_like();
    let shape = shape.ok_or_else(|| SpannedError::at(item, format!("{key} must be a table")))?;
    let obstacle = of_shape(key, shape).map_err(|error| error.or_at(item.span()))?;
    Ok((name.to_owned(), obstacle))
}

fn of_shape(kind: &str, shape: &dyn TableLike) -> Result<Obstacle, SpannedError> {
    let point = |key: &str| -> Result<DVec3, SpannedError> {
        Ok(DVec3::from_array(numbers(required(shape, key)?, key)?))
    };
    let radius = || -> Result<f64, SpannedError> {
        number(required(shape, "radius")?, "radius", |_| true, || "radius must be a number".into())
    };
    match kind {
        "sphere" => {
            check_keys(shape, &["centre", "radius"])?;
            Ok(Obstacle::sphere(point("centre")?, radius()?))
        }
        "capsule" => {
            check_keys(shape, &["from", "to", "radius"])?;
            Ok(Obstacle::capsule([point("from")?, point("to")?], radius()?))
        }
        "box" => {
            check_keys(shape, &["centre", "size", "rotation"])?;
            let rotation = match shape.get("rotation") {
                Some(item) => DQuat::from_array(numbers(item, "rotation")?),
                None => DQuat::IDENTITY,
            };
            Ok(Obstacle::Box { centre: point("centre")?, rotation, size: point("size")? })
        }
        _ => {
            check_keys(shape, &["points"])?;
            Ok(Obstacle::hull(points(required(shape, "points")?)?))
        }
    }
}

fn points(item: &Item) -> Result<Vec<DVec3>, SpannedError> {
    let cause = "points must be a list of positions, such as [[0, 0, 0], [1, 0, 0]]";
    let list = item.as_array().ok_or_else(|| SpannedError::at(item, cause))?;
    let point = |(index, value): (usize, &Value)| -> Result<DVec3, SpannedError> {
        let point = numbers(&Item::Value(value.clone()), &format!("points[{index}]"));
        // A cloned value has no position.
        Ok(DVec3::from_array(point.map_err(|error| error.or_at(value.span()))?))
    };
    list.iter().enumerate().map(point).collect()
}
