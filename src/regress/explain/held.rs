//! Compares scenes with the camera and the floor of the golden. A camera that frames the figure moves with every change of the figure's
//! outline, and would otherwise move all pixels.

use crate::puppet::Puppet;
use crate::record::{FloorRecord, SceneRecord};
use crate::render::{Floor, Frame};
use crate::tolerance::KindTolerance;
use crate::view::Camera;

use super::change::{Change, ChangeKind};
use super::facts::{MOVED_FLOOR, camera};
use super::surfaces::Surfaces;
use super::{Explanation, motion};

/// The cause that is reported for a camera that follows the figure.
const FRAMING: &str = "the framing follows the figure";

/// The camera and the floor of a golden, which are used to redraw a scene.
pub(crate) struct GoldenView {
    camera: Camera,
    floor: Option<FloorRecord>,
}

impl GoldenView {
    /// Returns the view of a golden, or `None` if the scene has the same camera and floor.
    pub(crate) fn of(golden: &SceneRecord, actual: &SceneRecord) -> Option<Self> {
        let floor = golden.floor.zip(actual.floor).filter(|(was, is)| !was.is_same(is)).map(|(was, _)| was);
        if golden.camera.shows_the_same(&actual.camera) && floor.is_none() {
            return None;
        }
        let (camera, own) = (golden.camera.camera(), actual.camera.camera());
        // The current pose must not be clipped.
        let camera = Camera { near: camera.near.min(own.near), far: camera.far.max(own.far), ..camera };
        Some(Self { camera, floor })
    }

    /// Returns the frame with the golden's camera and floor, to be drawn instead of the scene's frame.
    pub(crate) fn frame<'a>(&self, frame: Frame<'a>) -> Frame<'a> {
        let ground = frame.ground.map(|floor| match self.floor {
            Some(FloorRecord { center, radius, .. }) => Floor { center: center.into(), radius, ..floor },
            None => floor,
        });
        Frame { camera: self.camera, ground, ..frame }
    }

    pub(crate) fn record(&self, golden: &SceneRecord, actual: &SceneRecord) -> SceneRecord {
        let floor = self.floor.or(actual.floor);
        SceneRecord { camera: golden.camera.clone(), floor, ..actual.clone() }
    }
}

impl Explanation {
    /// Adds the change of the camera or the floor to the explanation. The explained image was drawn with the golden's camera and floor, so
    /// none of its pixels shows this difference. `size` is the image's width and height.
    pub(crate) fn add_camera(
        &mut self,
        puppet: &Puppet,
        golden: &SceneRecord,
        actual: &SceneRecord,
        size: (u32, u32),
        tolerance: &KindTolerance,
    ) {
        if golden.camera.shows_the_same(&actual.camera) {
            self.verdict = format!("{}; {MOVED_FLOOR}.", self.verdict.trim_end_matches('.'));
            return;
        }
        let mut change = Change {
            kind: ChangeKind::Camera,
            text: String::new(),
            cause: String::new(),
            part: None,
            joint: None,
            material: None,
            pixels: 0,
            visible: 0,
            fails: false,
            levels: 0,
            alpha: 0,
            delta_e: 0.0,
            distance: None,
            angle: None,
            shift: None,
            counts: false,
            bounds: [0, 0, size.0, size.1],
        };
        let cameras = [golden, actual].map(|record| record.camera.camera());
        let surfaces = Surfaces::of(puppet, actual);
        let points = surfaces.parts.iter().flatten().flat_map(|surface| surface.positions.iter().copied());
        let shift = motion::camera_shift(cameras, size, points);
        change.shift = Some(shift.into());
        change.fails = shift >= tolerance.moved;
        let [was, is] = cameras;
        // A camera that follows the figure keeps its direction and its projection.
        let follows = was.direction().angle_between(is.direction()) < 1e-3 && was.projection == is.projection;
        let name = if follows { "framing" } else { "camera" };
        let how = camera(&golden.camera, &actual.camera).join(", ");
        change.cause = if follows { FRAMING.to_owned() } else { "the camera differs".to_owned() };
        change.text = format!("{name}: the image shifts by at most {shift:.2} px: {how}");
        self.verdict = format!("{}; {}.", self.verdict.trim_end_matches('.'), change.text);
        self.changes.push(change);
    }
}
