//! Obstacles as TOML. `docs/rig.md` describes the format.

use std::path::Path;

use glam::{DQuat, DVec3};
use toml_edit::{Item, Table};

use crate::cli::failure::Failure;
use crate::files::bounded;
use crate::ik::Obstacle;
use crate::text::toml::{
    Lines, SpannedError, check_keys, each, elements, number, numbers, optional, required, table_like,
};

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
    let document = crate::text::toml::parse(text)?;
    let root = document.as_table();
    check_keys(root, &["obstacle"])?;
    let lines = Lines::of(text);
    each(root, "obstacle", |table, _| {
        let (name, obstacle) = of_table(table)?;
        Ok(NamedObstacle { name, obstacle, line: lines.at(table.span()) })
    })
}

fn of_table(table: &Table) -> Result<(String, Obstacle), SpannedError> {
    let [sphere, capsule, cuboid, hull] = SHAPES;
    check_keys(table, &["name", sphere, capsule, cuboid, hull])?;
    let name = required(table, "name", |item, key| {
        let name = item.as_str().filter(|name| !name.is_empty());
        name.ok_or_else(|| SpannedError::at(item, format!("{key} must be a string that is not empty")))
    })?;
    let mut shapes = SHAPES.into_iter().filter(|key| table.contains_key(key));
    let (Some(key), None) = (shapes.next(), shapes.next()) else {
        let cause = format!("an obstacle must have one of {}", SHAPES.join(", "));
        return Err(SpannedError::new(table.span(), cause));
    };
    Ok((name.to_owned(), required(table, key, of_shape)?))
}

fn of_shape(item: &Item, kind: &str) -> Result<Obstacle, SpannedError> {
    let shape = table_like(item, format!("{kind} must be a table"))?;
    let point = |key: &str| required(shape, key, numbers).map(DVec3::from_array);
    let radius = || required(shape, "radius", number);
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
            let rotation = optional(shape, "rotation", numbers)?.map_or(DQuat::IDENTITY, DQuat::from_array);
            Ok(Obstacle::Box { centre: point("centre")?, rotation, size: point("size")? })
        }
        _ => {
            check_keys(shape, &["points"])?;
            Ok(Obstacle::hull(required(shape, "points", points)?))
        }
    }
}

fn points(item: &Item, key: &str) -> Result<Vec<DVec3>, SpannedError> {
    let cause = || format!("{key} must be a list of positions, such as [[0, 0, 0], [1, 0, 0]]");
    let list = elements(item).ok_or_else(|| SpannedError::at(item, cause()))?;
    let point =
        |(index, value): (usize, &Item)| numbers(value, &format!("{key}[{index}]")).map(DVec3::from_array);
    list.into_iter().enumerate().map(point).collect()
}
