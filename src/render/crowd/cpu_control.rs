//! Control of the characters of a crowd on the CPU.

use glam::{Quat, Vec3};

use crate::api::Missing;
use crate::body::{GOALS, PackedGoal};

use super::CrowdError;
use super::cpu::CpuCrowd;
use super::goal::{CrowdGoal, limited_rate, moved, next_change};
use super::spawn::{CharacterId, PlayedClip, limited_pace, played, rotation_at};
use super::targets::{Destination, DestinationFields, Look, LookFields};
use super::types::Character;

impl CpuCrowd {
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
        if let Some(layer) = self.state_mut(id)?.layers.get_mut(layer) {
            *layer = played;
        }
        Ok(())
    }

    /// Moves a character to a position in world metres and a heading in radians about the vertical axis. It keeps its destination, and
    /// another arrival is returned.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_place(&mut self, id: CharacterId, position: Vec3, heading: f32) -> Result<(), CrowdError> {
        let rotation = rotation_at(position, heading)?;
        let posed = self.posed_mut(id)?;
        (posed.state.rotation, posed.state.position) = (rotation, position);
        posed.begin_walk();
        Ok(())
    }

    /// Sets how fast a character walks, as a multiple of the speed of its clips, and how fast it turns, in radians per second.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_pace(&mut self, id: CharacterId, pace: f32, turn: f32) -> Result<(), CrowdError> {
        let [pace, turn] = limited_pace(pace, turn)?;
        let state = self.state_mut(id)?;
        (state.pace, state.turn) = (pace, turn);
        Ok(())
    }

    /// Sets one of the four goals of a character, or removes it at once. A goal that fades in takes over from an earlier one. See
    /// [`Crowd::set_goal`](super::Crowd::set_goal).
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, if no limb or chain ends at the goal's node, or if a
    /// number is not finite.
    pub fn set_goal(
        &mut self,
        id: CharacterId,
        index: usize,
        goal: Option<&CrowdGoal>,
    ) -> Result<(), CrowdError> {
        let goal = CrowdGoal::compile_or_none(goal, &self.model)?;
        self.last_change = next_change(self.last_change);
        let change = self.last_change;
        *self.goal_mut(id, index)? = PackedGoal { change, ..goal };
        Ok(())
    }

    /// Moves a goal in its frame. Its other properties do not change. `rotation` is used only if the goal had a rotation. This has no effect
    /// on a goal that is not set.
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
        let rotation = moved(position, rotation)?;
        let goal = self.goal_mut(id, index)?;
        (goal.position, goal.rotation) = (position, rotation.unwrap_or(goal.rotation));
        Ok(())
    }

    /// Sets how fast the weight of a goal changes, per second. See [`CrowdGoal::rate`]. This has no effect on a goal that is not set.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, or if the number is not finite.
    pub fn fade_goal(&mut self, id: CharacterId, index: usize, rate: f32) -> Result<(), CrowdError> {
        self.goal_mut(id, index)?.rate = limited_rate(rate)?;
        Ok(())
    }

    fn goal_mut(&mut self, id: CharacterId, index: usize) -> Result<&mut PackedGoal, CrowdError> {
        let missing = || Missing::index_in("a character", "goal", index, GOALS).into();
        self.posed_mut(id)?.goals.get_mut(index).ok_or_else(missing)
    }

    /// Sets the point to which a character walks, or removes it. See [`Destination`].
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn walk_to(&mut self, id: CharacterId, destination: Option<&Destination>) -> Result<(), CrowdError> {
        let fields = DestinationFields::new(destination)?;
        let posed = self.posed_mut(id)?;
        fields.apply(&mut posed.state);
        posed.begin_walk();
        Ok(())
    }

    /// Sets what the head of a character looks at, and how strongly, from 0 to 1.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_look(&mut self, id: CharacterId, look: Look, weight: f32) -> Result<(), CrowdError> {
        LookFields::new(look, weight)?.apply(self.state_mut(id)?);
        Ok(())
    }

    fn state_mut(&mut self, id: CharacterId) -> Result<&mut Character, CrowdError> {
        Ok(&mut self.posed_mut(id)?.state)
    }
}
