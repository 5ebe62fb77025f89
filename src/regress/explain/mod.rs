//! Explains why an image differs from its golden: which joints, parts, materials, lights or cameras caused the difference.
//!
//! The golden contains a record of its scene ([`SceneRecord`]). The ids of both scenes' surfaces are drawn on the CPU, and each pixel
//! that differs is assigned to one of the differences between the records.

mod change;
mod color;
mod describe;
mod facts;
mod held;
mod meshes;
mod motion;
mod pixels;
mod raster;
mod redraw;
mod seen;
mod surfaces;
#[cfg(test)]
mod tests;
mod verdict;
mod view;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::puppet::Puppet;
use crate::render::DecodedImage;

use super::record::SceneRecord;
use super::tolerance::KindTolerance;

pub use change::{Change, ChangeKind};
use describe::{Describe, Redrawn};
use facts::Facts;
pub(super) use held::GoldenView;
use motion::{Scenes, Shift};
use pixels::{Cause, levels, pixel};
use raster::Ids;
pub(super) use redraw::Redraw;
use surfaces::Surfaces;
pub use view::PoseView;

/// Why an image differs from its golden.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The result in one sentence.
    pub verdict: String,
    /// The changes, the most important first.
    pub changes: Vec<Change>,
    /// Differences between the scenes that no pixel shows, as clauses.
    pub unseen: Vec<String>,
    /// For each pixel, row by row from the top, the index of its change plus one, or zero if the images are equal.
    #[serde(skip)]
    pub map: Vec<u16>,
}

/// The conditions of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Whether the same driver drew both images on the same CPU.
    pub same_machine: bool,
    /// Whether only a region is compared, and the images are made equal elsewhere.
    pub restricted: bool,
    /// Whether only one of the renderers can draw the soft shadows of the scene. OpenGL cannot.
    pub other_shadows: bool,
}

/// An image, and the record of the scene that it shows.
#[derive(Clone, Copy)]
pub(super) struct RecordedImage<'a> {
    pub(super) image: &'a DecodedImage,
    pub(super) record: &'a SceneRecord,
}

/// The pixels with the same cause.
#[derive(Clone, Debug)]
struct Group {
    pixels: usize,
    visible: usize,
    /// Number of pixels whose difference exceeds noise.
    clear: usize,
    /// Number of these pixels that are not at an edge of a surface.
    interior: usize,
    /// Sums of the differences of red, green, blue and alpha, with their signs.
    signed: [i64; 4],
    levels: u8,
    /// The largest movement of a surface in the group's pixels.
    shift: Shift,
    /// Number of pixels whose alpha differs by at least two levels.
    alpha: usize,
    delta_e: f64,
    bounds: [u32; 4],
}

impl Default for Group {
    fn default() -> Self {
        Self {
            pixels: 0,
            visible: 0,
            clear: 0,
            interior: 0,
            signed: [0; 4],
            levels: 0,
            shift: Shift::default(),
            alpha: 0,
            delta_e: 0.0,
            bounds: [u32::MAX, u32::MAX, 0, 0],
        }
    }
}

impl Explanation {
    /// Explains the difference between two images of a puppet. `golden` and `actual` contain the records of both scenes. Returns `None` if
    /// the images have different sizes.
    pub fn new(
        puppet: &Puppet,
        golden: (&DecodedImage, &SceneRecord),
        actual: (&DecodedImage, &SceneRecord),
        tolerance: &KindTolerance,
        conditions: Conditions,
    ) -> Option<Self> {
        let [golden, actual] = [golden, actual].map(|(image, record)| RecordedImage { image, record });
        Self::with_redrawn(puppet, golden, actual, tolerance, conditions, None)
    }

    /// Like [`Self::new`], but with two further images drawn by the driver of `actual`: the golden's scene and the actual scene. These
    /// images lack another driver's noise, so they reveal smaller changes in everything that the record contains.
    pub(super) fn with_redrawn(
        puppet: &Puppet,
        golden: RecordedImage<'_>,
        actual: RecordedImage<'_>,
        tolerance: &KindTolerance,
        conditions: Conditions,
        redrawn: Option<[RecordedImage<'_>; 2]>,
    ) -> Option<Self> {
        let same_driver = Conditions { same_machine: true, other_shadows: false, ..conditions };
        let judged = redrawn.map(|[golden, actual]| {
            compared(puppet, golden, actual, same_driver, |scenes, groups, _| {
                let changes = Describe::new(scenes, tolerance).changes(&groups);
                Redrawn { changes, materials: scenes.facts.materials.clone() }
            })
        });
        let judged = judged.flatten();
        compared(puppet, golden, actual, conditions, |scenes, groups, causes| {
            Describe::new(scenes, tolerance).explanation(&groups, &causes, judged.as_ref())
        })
    }

    /// Returns the first clauses about differences that no pixel shows, and the number of the remaining ones.
    pub(super) fn unseen_text(&self) -> String {
        verdict::some_of(&self.unseen).join("; ")
    }

    /// Returns whether a change exceeds the tolerance of its kind.
    pub fn fails(&self) -> bool {
        self.changes.iter().any(|change| change.fails)
    }

    /// Returns the largest distance in pixels by which the pose or the camera moves a visible vertex.
    pub fn shift(&self) -> f64 {
        self.changes.iter().filter_map(|change| change.shift).fold(0.0, f64::max)
    }

    /// Returns the number of pixels that differ visibly because the scenes differ.
    pub fn changed(&self) -> usize {
        self.changes.iter().filter(|change| change.counts).map(|change| change.visible).sum()
    }

    /// Returns the number of pixels whose alpha differs visibly because the scenes differ.
    pub fn alpha(&self) -> usize {
        self.changes.iter().filter(|change| change.counts).map(|change| change.alpha).sum()
    }

    /// Returns an image of the changes: red is the index of the change plus one, and green is the position of its kind in
    /// [`ChangeKind::ALL`]. Pixels without a change are transparent. Only the first 255 changes are distinguished.
    pub fn image(&self, width: u32, height: u32) -> DecodedImage {
        let color = |index: &u16| {
            let change = usize::from(*index).checked_sub(1).and_then(|index| self.changes.get(index));
            let Some(change) = change else { return [0; 4] };
            let kind = ChangeKind::ALL.iter().position(|kind| *kind == change.kind).unwrap_or_default();
            let byte = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
            [byte((*index).into()), byte(kind), 0, 255]
        };
        DecodedImage { width, height, rgba: self.map.iter().flat_map(color).collect() }
    }
}

/// Compares two scenes and their images. `then` receives the scenes, the groups of pixels and the cause of each pixel. Returns `None` if
/// the images have different sizes.
fn compared<T>(
    puppet: &Puppet,
    golden: RecordedImage<'_>,
    actual: RecordedImage<'_>,
    conditions: Conditions,
    then: impl FnOnce(&Scenes<'_>, BTreeMap<Cause, Group>, Vec<Option<Cause>>) -> T,
) -> Option<T> {
    let (expected, drawn) = (golden.image, actual.image);
    let size = (expected.width, expected.height);
    if size != (drawn.width, drawn.height) || expected.rgba.len() != drawn.rgba.len() {
        return None;
    }
    let now = actual.record;
    let before = &golden.record.named_like(now);
    let facts = Facts::between(puppet, before, now);
    let [was, is] = [Surfaces::of(puppet, before), Surfaces::of(puppet, now)];
    let cameras = [before.camera.camera(), now.camera.camera()];
    let ids = [Ids::draw(puppet, &was, &cameras[0], size), Ids::draw(puppet, &is, &cameras[1], size)];
    let scenes =
        Scenes::new(puppet, &facts, [&was, &is], [&ids[0], &ids[1]], [&cameras[0], &cameras[1]], conditions);
    let (groups, causes) = group(&scenes, expected, drawn);
    Some(then(&scenes, groups, causes))
}

/// Assigns a cause to each pixel that differs. Returns the groups and the cause of each pixel.
fn group(
    scenes: &Scenes<'_>,
    expected: &DecodedImage,
    drawn: &DecodedImage,
) -> (BTreeMap<Cause, Group>, Vec<Option<Cause>>) {
    let mut groups: BTreeMap<Cause, Group> = BTreeMap::new();
    let count = expected.rgba.len() / 4;
    let mut causes = Vec::with_capacity(count);
    for index in 0..count {
        let (a, b) = (pixel(expected, index), pixel(drawn, index));
        let off = levels(a, b);
        if off == 0 {
            causes.push(None);
            continue;
        }
        let cause = scenes.cause(index, off);
        let group = groups.entry(cause.clone()).or_default();
        group.pixels += 1;
        group.visible += usize::from(off >= 2);
        if off > scenes.noise() {
            group.clear += 1;
            group.interior += usize::from(!scenes.is_edge(index));
        }
        for (sum, (a, b)) in group.signed.iter_mut().zip(a.iter().zip(b)) {
            *sum += i64::from(b) - i64::from(*a);
        }
        group.levels = group.levels.max(off);
        if scenes.conditions.restricted {
            group.shift = group.shift.larger(scenes.shift_at(index));
        }
        group.alpha += usize::from(a[3].abs_diff(b[3]) >= 2);
        group.delta_e += color::delta_e(a, b);
        let width = (expected.width as usize).max(1);
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (x, y) = (at(index % width), at(index / width));
        let [left, top, right, bottom] = group.bounds;
        group.bounds = [left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)];
        causes.push(Some(cause));
    }
    (groups, causes)
}

/// Returns, for each pixel of a recorded scene, the visible part of a puppet and the node that moves the surface there.
pub(super) fn visible(puppet: &Puppet, record: &SceneRecord, size: (u32, u32)) -> Vec<Option<(u32, usize)>> {
    let ids = Ids::draw(puppet, &Surfaces::of(puppet, record), &record.camera.camera(), size);
    ids.hits
        .iter()
        .map(|hit| hit.as_ref().and_then(|hit| Some((hit.part, raster::node(puppet, hit)?))))
        .collect()
}
