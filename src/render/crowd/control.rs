//! Control of the characters of a crowd on the GPU. All changes are writes that the next step uploads.

use std::mem::offset_of;

use bytemuck::bytes_of;
use glam::{Quat, Vec3};

use crate::api::Missing;
use crate::body::{GOALS, PackedGoal};

use super::CrowdError;
use super::batch::range_of;
use super::crowd::Crowd;
use super::goal::{CrowdGoal, limited_rate, moved, next_change};
use super::spawn::{CharacterId, PlayedClip, limited_pace, played, rotation_at};
use super::targets::{Destination, DestinationFields, Look, LookFields};
use super::types::{Character, CrowdLayer};
use super::walk::Walk;

impl Crowd {
    /// Replaces one of the four clips that a character plays, or stops it.
    ///
    /// # Errors
    /// [`CrowdError`] if the character, the layer or the clip does not exist, or if a number is not finite.
    pub fn set_clip(
        &mut self,
        id: CharacterId,
        layer: usize,
        clip: Option<&PlayedClip>,
    ) -> Result<(), CrowdError> {
        let played = played(layer, clip, self.model.clips.infos.len())?;
        let offset = offset_of!(Character, layers) + layer * size_of::<CrowdLayer>();
        self.write(id, offset, bytes_of(&played))
    }

    /// Moves a character to a position in world metres and a heading in radians about the vertical axis. It keeps its destination, and
    /// another arrival is returned.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_place(&mut self, id: CharacterId, position: Vec3, heading: f32) -> Result<(), CrowdError> {
        let rotation = rotation_at(position, heading)?;
        self.write(id, offset_of!(Character, rotation), bytes_of(&rotation))?;
        self.write(id, offset_of!(Character, position), bytes_of(&position))?;
        let steps = self.steps;
        self.begin_walk(id, |walk| walk.placed = steps);
        Ok(())
    }

    /// Sets one of the four goals of a character, or removes it at once. See also [`Crowd::fade_goal`].
    ///
    /// A goal that fades in takes over from an earlier goal with the same index and target: the limb or chain moves from where the earlier
    /// goal has moved it. If the earlier goal had another target, that part returns to its clip at once.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, if no limb or chain ends at the goal's node, or if a number is not
    /// finite.
    pub fn set_goal(
        &mut self,
        id: CharacterId,
        index: usize,
        goal: Option<&CrowdGoal>,
    ) -> Result<(), CrowdError> {
        let goal = CrowdGoal::compile_or_none(goal, &self.model)?;
        let change = self.next_change();
        self.write_goals(id, offset_of_goal(index)?, bytes_of(&PackedGoal { change, ..goal }))
    }

    /// Moves a goal in its frame, for example towards a thing that moves. Its other properties do not change. `rotation` is used only if
    /// the goal had a rotation. This has no effect on a goal that is not set.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, or if a number is not finite.
    pub fn move_goal(
        &mut self,
        id: CharacterId,
        index: usize,
        position: Vec3,
        rotation: Option<Quat>,
    ) -> Result<(), CrowdError> {
        let first = offset_of_goal(index)?;
        if let Some(rotation) = moved(position, rotation)? {
            self.write_goals(id, first + offset_of!(PackedGoal, rotation), bytes_of(&rotation))?;
        }
        self.write_goals(id, first + offset_of!(PackedGoal, position), bytes_of(&position))
    }

    /// Sets how fast the weight of a goal changes, per second. With a negative rate, the goal ends without a jump. See
    /// [`CrowdGoal::rate`]. This has no effect on a goal that is not set.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, or if the number is not finite.
    pub fn fade_goal(&mut self, id: CharacterId, index: usize, rate: f32) -> Result<(), CrowdError> {
        let first = offset_of_goal(index)?;
        self.write_goals(id, first + offset_of!(PackedGoal, rate), bytes_of(&limited_rate(rate)?))
    }

    /// Sets how fast a character walks, as a multiple of the speed of its clips, and how fast it turns, in radians per second.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_pace(&mut self, id: CharacterId, pace: f32, turn: f32) -> Result<(), CrowdError> {
        self.write(id, offset_of!(Character, pace), bytes_of(&limited_pace(pace, turn)?))
    }

    /// Sets the point to which a character walks, or removes it. Without a destination, the character walks and turns as before. See
    /// [`Destination`].
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn walk_to(&mut self, id: CharacterId, destination: Option<&Destination>) -> Result<(), CrowdError> {
        let fields = DestinationFields::new(destination)?;
        self.write(id, offset_of!(Character, destination), bytes_of(&fields))?;
        self.begin_walk(id, |walk| walk.target = fields);
        Ok(())
    }

    /// Sets what the head of a character looks at, and how strongly, from 0 to 1. The head turns smoothly. It does not turn to points
    /// behind the character.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_look(&mut self, id: CharacterId, look: Look, weight: f32) -> Result<(), CrowdError> {
        let fields = LookFields::new(look, weight)?;
        self.write(id, offset_of!(Character, looks), bytes_of(&fields))
    }

    /// Begins another walk of a character that exists, so that another arrival is returned.
    fn begin_walk(&mut self, id: CharacterId, change: impl FnOnce(&mut Walk)) {
        if let Some(batch) = self.batches.get_mut(id.batch as usize) {
            batch.begin_walk(id.slot, change);
        }
    }

    /// Schedules a write of bytes to a character at an offset.
    fn write(&mut self, id: CharacterId, offset: usize, bytes: &[u8]) -> Result<(), CrowdError> {
        let target = self.batch(id)?.characters.clone();
        let first = range_of(id.slot, size_of::<Character>()).start;
        self.staging.write_at(&target, first + offset as u64, bytes);
        Ok(())
    }

    /// Returns a new value of `change` for a goal.
    fn next_change(&mut self) -> u32 {
        self.last_change = next_change(self.last_change);
        self.last_change
    }

    /// Schedules a write of bytes to the goals of a character at an offset.
    fn write_goals(&mut self, id: CharacterId, offset: usize, bytes: &[u8]) -> Result<(), CrowdError> {
        let target = self.batch(id)?.goals.clone();
        let first = range_of(id.slot, GOALS * size_of::<PackedGoal>()).start;
        self.staging.write_at(&target, first + offset as u64, bytes);
        Ok(())
    }
}

/// Returns the offset of a goal within the goals of a character, in bytes.
fn offset_of_goal(index: usize) -> Result<usize, CrowdError> {
    if index >= GOALS {
        return Err(Missing::index_in("a character", "goal", index, GOALS).into());
    }
    Ok(index * size_of::<PackedGoal>())
}
