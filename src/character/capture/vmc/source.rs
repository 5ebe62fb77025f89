//! Connects a receiver to a character, and records the received motion.

use std::collections::BTreeMap;

use crate::asset::{Clip, Skeleton};
use crate::capture::{PointFilter, PoseFilter, Smoothing};
use crate::motion::Recorder;
use crate::pose::Pose;

use super::{LiveCharacter, LiveGoal, Receiver};

/// A live source of poses, which is updated once per frame.
#[derive(Debug)]
pub struct LiveSource {
    /// The receiver. [`Receiver::with_state`] reads its state.
    pub receiver: Receiver,
    /// The mapping to the character.
    pub live: LiveCharacter,
    recorder: Option<Recorder>,
    /// The smoothing of rotations, and the smoothing of hip and goal positions.
    smoothing: Option<(Smoothing, Smoothing)>,
    filter: Option<PoseFilter>,
    /// The goals of the last update, smoothed.
    goals: Vec<LiveGoal>,
    /// The filters of the goals, by node.
    goal_filters: BTreeMap<usize, PointFilter>,
    /// The number of packets at the last update.
    packets: u64,
}

impl LiveSource {
    /// Creates a source from a receiver and a mapping to a character.
    pub fn new(receiver: Receiver, live: LiveCharacter) -> Self {
        Self {
            receiver,
            live,
            recorder: None,
            smoothing: None,
            filter: None,
            goals: Vec::new(),
            goal_filters: BTreeMap::new(),
            packets: 0,
        }
    }

    /// Sets the smoothing of rotations, and the smoothing of hip and goal positions. `None` turns it off. [`Smoothing::latency`] returns
    /// its latency.
    pub fn smooth(&mut self, smoothing: Option<(Smoothing, Smoothing)>) {
        (self.smoothing, self.filter) = (smoothing, None);
        self.goal_filters.clear();
    }

    /// Returns the smoothing, or `None` if it is off.
    pub fn smoothing(&self) -> Option<(Smoothing, Smoothing)> {
        self.smoothing
    }

    /// Writes the latest values into a pose like [`LiveCharacter::pose`], and adds the pose to a running recording unless there
    /// are [`LiveSource::goals`]. `time` is the frame's time in seconds. Returns false and leaves the pose unchanged if no packet
    /// has arrived since the last call.
    pub fn update(&mut self, time: f64, pose: &mut Pose) -> bool {
        let Self { receiver, live, packets, .. } = self;
        let has_new_packets = receiver.with_state(|state| {
            let has_new_packets = state.packets != *packets;
            if has_new_packets {
                *packets = state.packets;
                live.pose(&state.performer, pose);
            }
            has_new_packets
        });
        if has_new_packets && let Some((rotations, hips)) = self.smoothing {
            // The mapping may have been replaced by another character's mapping.
            let is_same = |filter: &&mut PoseFilter| filter.nodes().eq(live.nodes());
            let filter = match self.filter.as_mut().filter(is_same) {
                Some(filter) => filter,
                None => self.filter.insert(PoseFilter::new(live.nodes(), live.hips(), rotations, hips)),
            };
            filter.apply(time, pose);
        }
        if has_new_packets {
            self.update_goals(time);
            if self.goals.is_empty() {
                self.record_solved(time, pose);
            }
        }
        has_new_packets
    }

    fn update_goals(&mut self, time: f64) {
        self.goals.clear();
        self.goals.extend_from_slice(self.live.goals());
        let Some((_, smoothing)) = self.smoothing else { return };
        for goal in &mut self.goals {
            let filter = self.goal_filters.entry(goal.node).or_insert_with(|| PointFilter::new(smoothing));
            goal.position =
                filter.filter(time, goal.position.as_dvec3()).map_or(goal.position, glam::DVec3::as_vec3);
        }
    }

    /// Returns the goals that the pose of the last [`LiveSource::update`] should meet ([`LiveCharacter::goals`]). If there are any, pass the
    /// pose that meets them to [`LiveSource::record_solved`].
    pub fn goals(&self) -> &[LiveGoal] {
        &self.goals
    }

    /// Adds a pose that meets the goals to a running recording.
    pub fn record_solved(&mut self, time: f64, pose: &Pose) {
        if let Some(recorder) = &mut self.recorder {
            recorder.push(time, pose);
        }
    }

    /// Returns whether a packet has arrived since the last [`LiveSource::update`].
    pub fn has_new_packets(&self) -> bool {
        self.receiver.with_state(|state| state.packets != self.packets)
    }

    /// Starts a recording. A running recording is discarded.
    pub fn record(&mut self, skeleton: &Skeleton) {
        self.recorder = Some(Recorder::new(skeleton));
    }

    /// Returns the number of frames in the running recording, or `None` if nothing is being recorded.
    pub fn recorded(&self) -> Option<usize> {
        self.recorder.as_ref().map(Recorder::frames)
    }

    /// Stops the recording and returns its clip, or `None` if no recording is running or the recording has no frames.
    pub fn stop(&mut self, skeleton: &Skeleton, name: &str) -> Option<Clip> {
        self.recorder.take()?.clip(skeleton, Some(name.to_owned()))
    }
}
