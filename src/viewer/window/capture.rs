//! The live source that drives the character.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::capture::Smoothing;
use crate::capture::vmc::{LiveCharacter, LiveSource, Receiver, ReceiverState};
use crate::pose::Pose;
use crate::puppet::Puppet;
use crate::viewer::panel::LiveStatus;
use crate::viewer::{Command, Session};

use super::{App, requests};

/// Interval at which the source is polled.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(8);

/// A live source, the time at which it was started, and the pose that it sets.
pub(super) struct Capture {
    source: LiveSource,
    began: Instant,
    pose: Pose,
}

fn create_live(puppet: &Puppet) -> Result<LiveCharacter, String> {
    LiveCharacter::new(puppet.character(), &puppet.rig.bones)
        .map_err(|e| format!("the character cannot follow a performer: {e}"))
}

impl Capture {
    /// Starts listening at an address. `smooth` is the cutoff at rest of the smoothing, hertz.
    ///
    /// # Errors
    /// Returns one line if the address cannot be used or if the character is not a humanoid.
    pub(super) fn new(address: SocketAddr, session: &Session, smooth: Option<f64>) -> Result<Self, String> {
        let live = create_live(&session.puppet)?;
        let receiver = Receiver::bind(address).map_err(|e| format!("{address}: {e}"))?;
        let mut source = LiveSource::new(receiver, live);
        let with_cutoff =
            |hertz| [Smoothing::ORIENTATIONS, Smoothing::POSITIONS].map(|s| s.with_min_cutoff(hertz));
        source.smooth(smooth.map(with_cutoff).map(|[rotations, hips]| (rotations, hips)));
        Ok(Self { source, began: Instant::now(), pose: Pose::default() })
    }

    /// Returns whether data has arrived that the character does not show yet.
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
        let held = &self.session.state.held;
        capture.pose.clone_from(held);
        if capture.source.update(capture.began.elapsed().as_secs_f64(), &mut capture.pose) {
            let pairs = capture.pose.locals.iter().zip(&held.locals).enumerate();
            let moved = pairs.filter(|(_, (now, was))| now != was);
            let nodes = moved.map(|(node, (now, _))| (node, *now)).collect();
            let same = capture.pose.weights == held.weights;
            let morphs = if same { Vec::new() } else { capture.pose.weights.clone() };
            self.session.apply(Command::LivePose(nodes, morphs));
        }
        self.panel.live_status = Some(capture.status());
    }

    /// Retargets the live source to a new character, or stops it if that is not possible.
    pub(super) fn retarget_source(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let character = self.session.puppet.character();
        // Discard a take in progress, because it belongs to the previous skeleton.
        drop(capture.source.stop(&character.skeleton, ""));
        match create_live(&self.session.puppet) {
            Ok(live) => capture.source.live = live,
            Err(error) => {
                (self.capture, self.panel.live_status) = (None, None);
                self.notify(Err(error));
            }
        }
    }

    /// Matches the height of the performer's hips to that of the character's hips.
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
