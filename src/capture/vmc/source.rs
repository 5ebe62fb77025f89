//! Connects a receiver to a character, and records the received motion.

use crate::asset::{Clip, Skeleton};
use crate::motion::Recorder;
use crate::pose::Pose;

use super::{LiveCharacter, Receiver};

/// A live source of poses, which is updated once per frame.
#[derive(Debug)]
pub struct LiveSource {
    /// The receiver. [`Receiver::with_state`] reads its state.
    pub receiver: Receiver,
    /// The mapping to the character.
    pub live: LiveCharacter,
    recorder: Option<Recorder>,
    /// The number of packets at the last update.
    packets: u64,
}

impl LiveSource {
    /// Creates a source from a receiver and a mapping to a character.
    pub fn new(receiver: Receiver, live: LiveCharacter) -> Self {
        Self { receiver, live, recorder: None, packets: 0 }
    }

    /// Writes the latest values into a pose as [`LiveCharacter::pose`] does, and adds the pose to a running recording.
    /// `time` is the frame's time in seconds. Returns false and leaves the pose unchanged if no packet has arrived
    /// since the last call.
    pub fn update(&mut self, time: f64, pose: &mut Pose) -> bool {
        let Self { receiver, live, recorder, packets } = self;
        let has_new_packets = receiver.with_state(|state| {
            let has_new_packets = state.packets != *packets;
            if has_new_packets {
                *packets = state.packets;
                live.pose(&state.performer, pose);
            }
            has_new_packets
        });
        if let Some(recorder) = recorder.as_mut().filter(|_| has_new_packets) {
            recorder.push(time, pose);
        }
        has_new_packets
    }

    /// Whether a packet has arrived since the last [`LiveSource::update`].
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

    /// Stops the recording and returns its clip, or `None` if no recording is running or it has no frames.
    pub fn stop(&mut self, skeleton: &Skeleton, name: &str) -> Option<Clip> {
        self.recorder.take()?.clip(skeleton, Some(name.to_owned()))
    }
}
