//! A receiver that a character follows, and what it recorded.

use crate::asset::{Clip, Skeleton};
use crate::motion::Recorder;
use crate::pose::Pose;

use super::{Live, Receiver};

/// A live source of poses: whoever shows a character asks it once a picture.
#[derive(Debug)]
pub struct Source {
    /// What listens; [`Receiver::look`] tells how it goes.
    pub receiver: Receiver,
    /// What brings it onto the character.
    pub live: Live,
    recorder: Option<Recorder>,
    /// Packets that had come when the pose was last written.
    packets: u64,
}

impl Source {
    /// Follows what a receiver hears.
    pub fn new(receiver: Receiver, live: Live) -> Self {
        Self { receiver, live, recorder: None, packets: 0 }
    }

    /// Writes what came last into a pose, as [`Live::pose`], and into the recording if one runs; `time` is the picture's, in seconds. False,
    /// and the pose untouched, where nothing has come since.
    pub fn update(&mut self, time: f64, pose: &mut Pose) -> bool {
        let Self { receiver, live, recorder, packets } = self;
        let news = receiver.look(|state| {
            let news = state.packets != *packets;
            if news {
                *packets = state.packets;
                live.pose(&state.performer, pose);
            }
            news
        });
        if let Some(recorder) = recorder.as_mut().filter(|_| news) {
            recorder.push(time, pose);
        }
        news
    }

    /// Whether something has come that [`Source::update`] has not written yet.
    pub fn has_news(&self) -> bool {
        self.receiver.look(|state| state.packets != self.packets)
    }

    /// Begins a recording; one that runs is given up.
    pub fn record(&mut self, skeleton: &Skeleton) {
        self.recorder = Some(Recorder::new(skeleton));
    }

    /// Frames that the recording has; `None` while none runs.
    pub fn recorded(&self) -> Option<usize> {
        self.recorder.as_ref().map(Recorder::frames)
    }

    /// Ends the recording: its clip, or `None` where none runs or nothing came.
    pub fn stop(&mut self, skeleton: &Skeleton, name: &str) -> Option<Clip> {
        self.recorder.take()?.clip(skeleton, Some(name.to_owned()))
    }
}
