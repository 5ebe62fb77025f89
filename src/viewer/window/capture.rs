//! A live source that the character follows.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::asset::{Character, humanoid};
use crate::motion::capture::vmc::{Live, Receiver, Source, State};
use crate::pose::Pose;

use super::super::panel::Listening;
use super::super::{Command, Session};
use super::{App, wishes};

/// How often is looked whether something has come.
pub(super) const OFTEN: Duration = Duration::from_millis(8);

/// What listens, since when, and the pose that it writes into.
pub(super) struct Capture {
    source: Source,
    began: Instant,
    pose: Pose,
}

fn live(character: &Character) -> Result<Live, String> {
    let found =
        humanoid(character).ok_or("no humanoid is found in the character: it cannot follow a performer")?;
    let bones = &found.bones;
    Live::new(character, bones).map_err(|e| format!("the character cannot follow a performer: {e}"))
}

impl Capture {
    /// Listens at an address; what is wrong is told in a line.
    pub(super) fn new(address: SocketAddr, session: &Session) -> Result<Self, String> {
        let live = live(session.puppet.character())?;
        let receiver = Receiver::bind(address).map_err(|e| format!("{address}: {e}"))?;
        Ok(Self { source: Source::new(receiver, live), began: Instant::now(), pose: Pose::default() })
    }

    /// Whether something has come that the character does not follow yet.
    pub(super) fn has_news(&self) -> bool {
        self.source.has_news()
    }

    fn listening(&self) -> Listening {
        let of = |state: &State| Listening {
            address: self.source.receiver.address(),
            rate: state.rate,
            dropped: state.dropped,
            fault: state.failure.clone().or_else(|| state.fault.clone()),
            silent: state.last.map(|last| last.elapsed()),
            recorded: self.source.recorded(),
        };
        self.source.receiver.look(of)
    }
}

impl App {
    /// Follows what has come since the last picture.
    pub(super) fn follow(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let held = &self.session.state.held;
        capture.pose.clone_from(held);
        if capture.source.update(capture.began.elapsed().as_secs_f64(), &mut capture.pose) {
            let pairs = capture.pose.locals.iter().zip(&held.locals).enumerate();
            let moved = pairs.filter(|(_, (now, was))| now != was);
            let nodes = moved.map(|(node, (now, _))| (node, *now)).collect();
            let same = capture.pose.weights == held.weights;
            let morphs = if same { Vec::new() } else { capture.pose.weights.clone() };
            self.session.apply(Command::Follow(nodes, morphs));
        }
        self.look.listening = Some(capture.listening());
    }

    /// Another character follows from now on.
    pub(super) fn recast(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let character = self.session.puppet.character();
        // What was recorded of another skeleton is of no use here.
        drop(capture.source.stop(&character.skeleton, ""));
        match live(character) {
            Ok(live) => capture.source.live = live,
            Err(error) => {
                (self.capture, self.look.listening) = (None, None);
                self.tell(Err(error));
            }
        }
    }

    /// Takes the performer's hips to be as high as the character's.
    pub(super) fn level(&mut self) {
        if let Some(Source { receiver, live, .. }) = self.capture.as_mut().map(|c| &mut c.source) {
            receiver.look(|state| live.level(&state.performer));
        }
    }

    /// Begins to record a take, or ends it: it is then a clip of the character, and saved as `NAME-take-0001.csv` or the
    /// next number that is free.
    pub(super) fn take(&mut self) {
        let Some(capture) = &mut self.capture else { return };
        let character = self.session.puppet.character();
        if capture.source.recorded().is_none() {
            return capture.source.record(&character.skeleton);
        }
        let Some(recorded) = capture.source.stop(&character.skeleton, "take") else {
            return self.tell(Err("nothing came while the take was recorded".to_owned()));
        };
        let kept = self.session.keep_take(&recorded, Path::new("."));
        let name = self.session.puppet.character().clips.last().and_then(|c| c.name.clone());
        let told =
            |path: PathBuf| format!("{} is a clip, {}", name.unwrap_or_default(), wishes::named(&path));
        self.tell(kept.map(told));
    }
}
