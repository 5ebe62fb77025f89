//! Control of the characters of a crowd on the CPU.

use glam::{Quat, Vec3};

use crate::api::Missing;
use crate::body::{GOALS, PackedGoal};

use super::CrowdError;
use super::cpu::CpuCrowd;
use super::goal::{CrowdGoal, limited_rate, moved};
use super::spawn::{PlayedClip, limited_pace, played, rotation_at};
use super::targets::{Destination, DestinationFields, Look, LookFields};
use super::types::Character;

impl CpuCrowd {
    /// Replaces one of the four clips that a character plays, or stops it.
    ///
    /// # Errors
    /// [`CrowdError`] if the character, the layer or the clip does not exist, or if a number is not finite.
    pub fn set_clip(
        &mut self,
        character: usize,
        layer: usize,
        clip: Option<&PlayedClip>,
    ) -> Result<(), CrowdError> {
        let played = played(layer, clip, self.model.clips.infos.len())?;
        if let Some(layer) = self.state_mut(character)?.layers.get_mut(layer) {
            *layer = played;
        }
        Ok(())
    }

    /// Moves a character to a position in world metres and a heading in radians about the vertical axis.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_place(&mut self, character: usize, position: Vec3, heading: f32) -> Result<(), CrowdError> {
        let rotation = rotation_at(position, heading)?;
        let state = self.state_mut(character)?;
        (state.rotation, state.position) = (rotation, position);
        Ok(())
    }

    /// Sets how fast a character walks, as a multiple of the speed of its clips, and how fast it turns, in radians per second.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_pace(&mut self, character: usize, pace: f32, turn: f32) -> Result<(), CrowdError> {
        let [pace, turn] = limited_pace(pace, turn)?;
        let state = self.state_mut(character)?;
        (state.pace, state.turn) = (pace, turn);
        Ok(())
    }

    /// Sets one of the four goals of a character, or removes it.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, if no limb or chain ends at the goal's node, or if a
    /// number is not finite.
    pub fn set_goal(
        &mut self,
        character: usize,
        index: usize,
        goal: Option<&CrowdGoal>,
    ) -> Result<(), CrowdError> {
        let goal = goal.map_or(Ok(PackedGoal::NONE), |goal| goal.compile(&self.model))?;
        *self.goal_mut(character, index)? = goal;
        Ok(())
    }

    /// Moves a goal in its frame. Its other properties do not change. `rotation` is used only if the goal had a rotation. This has no effect
    /// on a goal that is not set.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, or if a number is not finite.
    pub fn move_goal(
        &mut self,
        character: usize,
        index: usize,
        position: Vec3,
        rotation: Option<Quat>,
    ) -> Result<(), CrowdError> {
        let rotation = moved(position, rotation)?;
        let goal = self.goal_mut(character, index)?;
        (goal.position, goal.rotation) = (position, rotation.unwrap_or(goal.rotation));
        Ok(())
    }

    /// Sets how fast the weight of a goal changes, per second. See [`CrowdGoal::rate`]. This has no effect on a goal that is not set.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if the index is out of range, or if the number is not finite.
    pub fn fade_goal(&mut self, character: usize, index: usize, rate: f32) -> Result<(), CrowdError> {
        self.goal_mut(character, index)?.rate = limited_rate(rate)?;
        Ok(())
    }

    fn goal_mut(&mut self, character: usize, index: usize) -> Result<&mut PackedGoal, CrowdError> {
        let goals = self.characters.get_mut(character).map(|posed| &mut posed.goals);
        let missing = || Missing::index_in("a character", "goal", index, GOALS).into();
        goals.ok_or(CrowdError::Despawned)?.get_mut(index).ok_or_else(missing)
    }

    /// Sets the point to which a character walks, or removes it. See [`Destination`].
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn walk_to(&mut self, character: usize, destination: Option<&Destination>) -> Result<(), CrowdError> {
        DestinationFields::new(destination)?.apply(self.state_mut(character)?);
        Ok(())
    }

    /// Sets what the head of a character looks at, and how strongly, from 0 to 1.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_look(&mut self, character: usize, look: Look, weight: f32) -> Result<(), CrowdError> {
        LookFields::new(look, weight)?.apply(self.state_mut(character)?);
        Ok(())
    }

    fn state_mut(&mut self, character: usize) -> Result<&mut Character, CrowdError> {
        self.characters.get_mut(character).map(|posed| &mut posed.state).ok_or(CrowdError::Despawned)
    }
}
