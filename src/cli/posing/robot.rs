//! The options for a robot's joint values and for the robot's own frame.

use std::path::Path;
use std::sync::Arc;

use glam::DQuat;

use crate::asset::Character;
use crate::files::bounded;
use crate::motion::Recorder;
use crate::puppet::{Puppet, Target};
use crate::robot::{JointTable, Robot};

use super::{Failure, PosingArgs};

/// Maximum size of a file of joint values in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Name of the clip of `--q`.
const CLIP: &str = "q";

impl PosingArgs {
    /// Adds the joint values of `--q` as a clip. Returns its index.
    pub(super) fn add_joint_values(
        &self,
        character: Arc<Character>,
    ) -> Result<(Arc<Character>, Option<usize>), Failure> {
        let Some(path) = &self.q else { return Ok((character, None)) };
        let refused =
            |cause: &dyn std::fmt::Display| Failure::Usage(format!("--q {}: {cause}", path.display()));
        let robot = Robot::new(&character).map_err(|e| refused(&e))?;
        let table = read_table("--q", path, &robot)?;
        let mut recorder = Recorder::new(&character.skeleton);
        for (time, q) in &table.rows {
            recorder.push(*time, &robot.pose(&character, q).map_err(|e| refused(&e))?);
        }
        let clip = recorder.clip(&character.skeleton, Some(CLIP.into())).unwrap_or_default();
        let mut character = Arc::unwrap_or_clone(character);
        character.clips.push(clip);
        let index = character.clips.len() - 1;
        Ok((character.into(), Some(index)))
    }

    /// Returns the rotation from the robot's own frame to the world if `--robot-frame` is given.
    pub(in crate::cli) fn world_from_robot(&self, character: &Character) -> Result<Option<DQuat>, Failure> {
        if !self.robot_frame {
            return Ok(None);
        }
        if character.joints.is_empty() {
            let cause = "the model is no robot; robots are read from .urdf files";
            return Err(Failure::Usage(format!("--robot-frame: {cause}")));
        }
        let root = character.skeleton.nodes.iter().find(|node| node.parent.is_none());
        Ok(root.map(|root| root.rest.rotation.as_dquat()))
    }

    /// Rotates the goals from the robot's own frame to the world.
    pub(super) fn turn_targets(&self, targets: &mut [Target], character: &Character) -> Result<(), Failure> {
        let Some(turn) = self.world_from_robot(character)? else { return Ok(()) };
        for target in targets {
            for place in [&mut target.position, &mut target.look, &mut target.pole] {
                *place = place.map(|place| turn * place);
            }
            target.orientation = target.orientation.map(|orientation| turn * orientation);
        }
        Ok(())
    }
}

/// Reads joint values of a robot. Errors name the option that names the file.
pub(in crate::cli) fn read_table(option: &str, path: &Path, robot: &Robot) -> Result<JointTable, Failure> {
    let refused =
        |cause: &dyn std::fmt::Display| Failure::Usage(format!("{option} {}: {cause}", path.display()));
    let text = bounded::read_to_string(path, MAX_BYTES).map_err(|e| refused(&e))?;
    JointTable::read(&text, robot).map_err(|e| refused(&e))
}

/// Returns whether a path has the extension of a table of joint values.
pub(in crate::cli) fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Returns the joint values of a robot at the given times as CSV. `pose` is called to pose the puppet at each time.
///
/// # Errors
/// Fails if the puppet is not a robot, or if a pose fails.
pub(in crate::cli) fn table(
    path: &Path,
    puppet: &mut Puppet,
    times: &[f32],
    mut pose: impl FnMut(&mut Puppet, f32) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let refused =
        |cause: &dyn std::fmt::Display| Failure::Usage(format!("--output {}: {cause}", path.display()));
    let robot = Robot::new(puppet.character()).map_err(|e| refused(&e))?;
    let mut table = JointTable::default();
    for time in times {
        pose(puppet, *time)?;
        let near = table.rows.last().map_or_else(|| robot.rest(), |(_, q)| q.clone());
        table.rows.push((f64::from(*time), robot.pose_values(puppet.pose(), &near)));
    }
    Ok(table.to_csv(&robot))
}
