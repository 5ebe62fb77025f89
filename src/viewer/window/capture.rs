//! The live source that drives the character.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Session;
use crate::capture::vmc::{LiveCharacter, LiveSource, Receiver, ReceiverState};
use crate::capture::{Bone, Smoothing};
use crate::panel::LiveStatus;
use crate::platform::Instant;
use crate::puppet::Puppet;

use super::{App, requests};

/// Interval at which the source is polled.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(8);

/// Settings for receiving a performer's motion.
#[derive(Clone, Debug)]
pub struct Listening {
    /// The address on which the motion is received.
    pub address: SocketAddr,
    /// Cutoff frequency of the smoothing at rest, in hertz.
    pub smooth: Option<f64>,
    /// The bones that carry trackers, by tracker name. Other trackers use the nearest bone.
    pub trackers: Vec<(String, Bone)>,
}

/// A live source, its start time, and the bones of its trackers.
pub(super) struct Capture {
    source: LiveSource,
    began: Instant,
    trackers: Vec<(String, Bone)>,
}

fn create_live(puppet: &Puppet, trackers: &[(String, Bone)]) -> Result<LiveCharacter, String> {
    let mut live = LiveCharacter::new(puppet.character(), &puppet.rig.bones)
        .map_err(|e| format!("the character cannot follow a performer: {e}"))?;
    trackers.iter().for_each(|(name, bone)| live.set_tracker(name, *bone));
    Ok(live)
}

impl Capture {
    /// Starts listening.
    ///
    /// # Errors
    /// Returns a one-line reason if the address cannot be used or if the character is not a humanoid.
    pub(super) fn new(listening: &Listening, session: &Session) -> Result<Self, String> {
        let Listening { address, smooth, trackers } = listening;
        let live = create_live(&session.puppet, trackers)?;
        let receiver = Receiver::bind(*address).map_err(|e| format!("{address}: {e}"))?;
        let mut source = LiveSource::new(receiver, live);
        let with_cutoff =
            |hertz| [Smoothing::ORIENTATIONS, Smoothing::POSITIONS].map(|s| s.with_min_cutoff(hertz));
        source.smooth(smooth.map(with_cutoff).map(|[rotations, hips]| (rotations, hips)));
        Ok(Self { source, began: Instant::now(), trackers: trackers.clone() })
    }

    /// Returns whether some received data has not been shown yet.
    pub(super) fn has_new_packets(&self) -> bool {
        self.source.has_new_packets()
    }

    fn status(&self) -> LiveStatus {
        let status = |state: &ReceiverState| LiveStatus {
            address: self.source.receiver.address(),
            rate: state.rate,
            dropped: state.dropped,
            error: state.failure.clone().or_else(|| state.last_error.clone()),
            silent: state.last.map(|last| last.elapsed()),
            recorded: self.source.recorded(),
            smoothing: self.source.smoothing().map(|(rotations, _)| rotations),
        };
        self.source.receiver.with_state(status)
    }
}

impl App {
    /// Applies the data that has arrived since the last frame.
    pub(super) fn follow_source(&mut self) {
        let Some(capture) = self.capture.as_mut().filter(|_| self.watched.is_none()) else { return };
        self.session.follow_performer(&mut capture.source, capture.began.elapsed().as_secs_f64());
        self.panel.live_status = Some(capture.status());
    }

    /// Retargets the live source to a new character, or stops it if that is not possible.
    pub(super) fn retarget_source(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let character = self.session.puppet.character();
        // Discard a take in progress, because it belongs to the previous skeleton.
        drop(capture.source.stop(&character.skeleton, ""));
        match create_live(&self.session.puppet, &capture.trackers) {
            Ok(live) => capture.source.live = live,
            Err(error) => {
                (self.capture, self.panel.live_status) = (None, None);
                self.notify(Err(error));
            }
        }
    }

    /// Matches the performer's hip height to the character's hip height.
    pub(super) fn level_hips(&mut self) {
        if let Some(LiveSource { receiver, live, .. }) = self.capture.as_mut().map(|c| &mut c.source) {
            receiver.with_state(|state| live.level(&state.performer));
        }
    }

    /// Starts recording a take, or ends the current one. A finished take becomes a clip of the character, and is saved
    /// as `NAME-take-0001.csv` or under the next free number.
    pub(super) fn toggle_take(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let character = self.session.puppet.character();
        if capture.source.recorded().is_none() {
            return capture.source.record(&character.skeleton);
        }
        let Some(recorded) = capture.source.stop(&character.skeleton, "take") else {
            return self.notify(Err("the take is empty because no data arrived".to_owned()));
        };
        let saved = self.session.save_take_as_clip(&recorded, Path::new("."));
        let name = self.session.puppet.character().clips.last().and_then(|c| c.name.clone());
        let message = |path: PathBuf| {
            format!("added clip {}, {}", name.unwrap_or_default(), requests::saved_message(&path))
        };
        self.notify(saved.map(message));
    }
}
