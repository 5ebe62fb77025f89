//! The options for the collisions of a robot.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::asset::Character;
use crate::cli::failure::Failure;
use crate::files::bounded;
use crate::robot::{Collisions, Robot, RobotError};

use super::obstacles::{self, NamedObstacle};
use super::refused;

/// Maximum size of a SRDF file in bytes.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Args, Debug)]
pub(super) struct CollisionArgs {
    /// Keep links from touching each other: capsules are fitted to their meshes
    #[arg(long)]
    collisions: bool,
    /// Also let pairs of links touch that a SRDF file lists as disable_collisions (implies --collisions)
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// Keep links away from the obstacles of a TOML file: spheres, capsules, boxes and hulls (implies --collisions)
    #[arg(long, value_name = "FILE.toml")]
    obstacles: Option<PathBuf>,
    /// Distance in metres that links keep from each other and from obstacles [default: 0]
    #[arg(long, value_name = "METRES", value_parser = margin)]
    margin: Option<f64>,
}

fn margin(text: &str) -> Result<f64, String> {
    let margin = text.parse::<f64>().ok().filter(|margin| *margin >= 0.0 && margin.is_finite());
    margin.ok_or_else(|| "must be at least 0 metres".into())
}

impl CollisionArgs {
    /// Returns the input files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.srdf.iter().chain(&self.obstacles).map(PathBuf::as_path)
    }

    /// Returns the collisions, or `None` if no option requests them.
    pub(super) fn read(&self, robot: &Robot, character: &Character) -> Result<Option<Collisions>, Failure> {
        if !self.collisions && self.files().next().is_none() {
            let cause = "--margin has no effect without --collisions, --srdf or --obstacles; add one of them";
            return if self.margin.is_some() { Err(Failure::Usage(cause.into())) } else { Ok(None) };
        }
        let failed = |error: RobotError| refused(&character.path, &error);
        let mut collisions = Collisions::from_character(robot, character).map_err(failed)?;
        if collisions.capsules().is_empty() {
            return Err(refused(&character.path, &"no link has a shape, so collisions cannot be found"));
        }
        if let Some(path) = &self.srdf {
            let text = bounded::read_to_string(path, MAX_BYTES).map_err(|error| refused(path, &error))?;
            collisions = collisions.with_srdf(&text).map_err(|error| refused(path, &error))?;
        }
        if let Some(path) = &self.obstacles {
            for NamedObstacle { name, obstacle, line } in obstacles::read(path)? {
                let at_line = |error: RobotError| refused(path, &format_args!("line {line}: {error}"));
                collisions = collisions.with_obstacle(&name, obstacle).map_err(at_line)?;
            }
        }
        if let Some(margin) = self.margin {
            collisions = collisions.with_margin(margin).map_err(failed)?;
        }
        Ok(Some(collisions))
    }
}
