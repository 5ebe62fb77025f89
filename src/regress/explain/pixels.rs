//! Assigns a cause to each pixel that differs.

use crate::explain::change::ChangeKind;
use crate::render::DecodedImage;

use super::meshes::MeshChange;
use super::motion::{MIN_SHIFT, Scenes, Shift};
use super::raster;
use super::raster::{Hit, Ids};

/// The largest difference in levels that noise may cause inside a surface if the scene is the same.
const NOISE: u8 = 2;
/// The value of `NOISE` for another machine.
const DRIVER_NOISE: u8 = 8;
/// Minimum relative difference between the depths of neighbouring pixels at an edge within a part.
const EDGE_DEPTH: f32 = 0.02;

/// The cause of a pixel's difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// A part that is no longer drawn, or was not drawn before.
    Presence(ChangeKind, u32),
    /// Parts that the character no longer has.
    Gone,
    Camera,
    /// Changes of inverse bind matrices.
    Binds,
    /// A change of the weights of a part.
    Weights(u32),
    /// Movement of a node.
    Moved(usize),
    /// A change of the positions or of the morph targets of a part.
    Mesh(u32),
    /// Changed weights of morph targets of a part.
    Morph(u32),
    /// A change of the material of a part.
    Material(u32),
    /// A change of the normals, colours or texture coordinates of a part.
    Attributes(u32),
    Light,
    Background,
    Shadow,
    Other,
    /// The scene is the same, but a part's surface has a different colour.
    Renderer(Option<u32>),
    /// The scene is the same, but one of the adapters cannot draw soft shadows.
    SharpShadow,
    Silhouette,
    Noise,
}

impl Cause {
    pub(super) fn kind(&self) -> ChangeKind {
        match self {
            Self::Presence(kind, _) => *kind,
            Self::Gone => ChangeKind::Missing,
            Self::Camera => ChangeKind::Camera,
            Self::Binds => ChangeKind::Bind,
            Self::Weights(_) => ChangeKind::Weights,
            Self::Moved(_) | Self::Morph(_) => ChangeKind::Moved,
            Self::Mesh(_) => ChangeKind::Mesh,
            Self::Material(_) | Self::Attributes(_) | Self::Renderer(_) => ChangeKind::Shaded,
            Self::Light => ChangeKind::Light,
            Self::Background => ChangeKind::Background,
            Self::Shadow | Self::SharpShadow => ChangeKind::Shadow,
            Self::Other => ChangeKind::Other,
            Self::Silhouette => ChangeKind::Silhouette,
            Self::Noise => ChangeKind::Noise,
        }
    }
}

pub(super) fn pixel(image: &DecodedImage, index: usize) -> [u8; 4] {
    let bytes = image.rgba.get(4 * index..4 * index + 4);
    bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
}

/// Returns the largest difference in any channel.
pub(super) fn levels(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or_default()
}

impl Scenes<'_> {
    /// Returns the cause of a difference. The pixel at `index` differs by `off` levels.
    pub(super) fn cause(&self, index: usize, off: u8) -> Cause {
        let [golden, actual] = self.ids;
        let (was, is) = (golden.hit(index), actual.hit(index));
        let near = Neighbours::of(self.ids, index);
        if let Some(cause) = self.presence(was, is).or_else(|| self.presence_near(&near)) {
            return cause;
        }
        let facts = self.facts;
        // A surface that is visible through another one may have changed too.
        let behind = self.ids.map(|ids| ids.hit_behind(index));
        let hits = || [was, is].into_iter().chain(behind).flatten().chain(near.hits());
        if let Some(cause) = hits().find_map(|hit| self.changed_vertices(hit)) {
            return cause;
        }
        if let Some((cause, shift)) = hits().find_map(|hit| self.movement(hit)) {
            // If both the camera and the surface have moved, the larger movement is the cause.
            let hit = was.or(is);
            let camera = hit.and_then(|hit| self.positions(hit)).map_or(0.0, |[p, _]| self.camera_shift(p));
            return if !facts.camera.is_empty() && camera > shift.pixels { Cause::Camera } else { cause };
        }
        if self.camera >= MIN_SHIFT {
            return Cause::Camera;
        }
        if let Some(cause) = hits().find_map(|hit| self.changed_shape(hit.part)) {
            return cause;
        }
        if let Some(part) = hits().find_map(|hit| self.material(hit.part)) {
            return Cause::Material(part);
        }
        let is_shaded = |part: &u32| facts.meshes.get(part).is_some_and(MeshChange::changes_shading);
        if let Some(part) = hits().map(|hit| hit.part).find(is_shaded) {
            return Cause::Attributes(part);
        }
        if !facts.gone.is_empty() && off > NOISE {
            return Cause::Gone;
        }
        if !facts.light.is_empty() {
            return Cause::Light;
        }
        let is_background = was.is_none() || is.is_none() || near.has_background();
        if is_background && !facts.background.is_empty() {
            return Cause::Background;
        }
        if !facts.other.is_empty() {
            return Cause::Other;
        }
        // Surfaces that the mesh no longer has are missing from the ids.
        if facts.joints.is_empty() {
            let bind = (!facts.binds.is_empty()).then_some(Cause::Binds);
            let mesh = || facts.meshes.keys().find_map(|part| self.changed_shape(*part));
            if let Some(cause) = bind.or_else(mesh) {
                return cause;
            }
        }
        if self.moves_shadows() {
            return Cause::Shadow;
        }
        // On the same machine, every difference has a cause. Steep normal maps show movements that are too small to be visible otherwise.
        if self.conditions.same_machine {
            let near = hits().find_map(|hit| facts.cause(self.puppet, &raster::nodes(self.puppet, hit)));
            if let Some(node) = near.or_else(|| facts.joints.keys().next().copied()) {
                return Cause::Moved(node);
            }
        }
        if off <= self.noise().max(NOISE) {
            Cause::Noise
        } else if near.is_edge {
            Cause::Silhouette
        } else if self.conditions.other_shadows {
            Cause::SharpShadow
        } else {
            Cause::Renderer(was.or(is).map(|hit| hit.part))
        }
    }

    /// Returns the largest difference in levels that a driver may cause. On the same machine, this is one level of rounding.
    pub(super) fn noise(&self) -> u8 {
        if self.conditions.same_machine { 1 } else { DRIVER_NOISE }
    }

    /// Returns whether a pixel is at an edge of a surface in either scene.
    pub(super) fn is_edge(&self, index: usize) -> bool {
        Neighbours::of(self.ids, index).is_edge
    }

    fn presence(&self, was: Option<&Hit>, is: Option<&Hit>) -> Option<Cause> {
        let [golden, actual] = self.surfaces;
        let absent = |surfaces: &super::surfaces::Surfaces, hit: &Hit| {
            surfaces.parts.get(hit.part as usize).is_none_or(Option::is_none)
        };
        let missing = was.filter(|hit| absent(actual, hit));
        let missing = missing.map(|hit| Cause::Presence(ChangeKind::Missing, hit.part));
        let added = is.filter(|hit| absent(golden, hit));
        missing.or_else(|| added.map(|hit| Cause::Presence(ChangeKind::Added, hit.part)))
    }

    fn presence_near(&self, near: &Neighbours) -> Option<Cause> {
        if self.facts.missing.is_empty() && self.facts.added.is_empty() {
            return None;
        }
        let [golden, actual] = &near.hits;
        let missing = golden.iter().flatten().find_map(|hit| self.presence(Some(hit), None));
        missing.or_else(|| actual.iter().flatten().find_map(|hit| self.presence(None, Some(hit))))
    }

    /// Returns the change of the skin or the mesh at a visible point, if the changed vertices are known.
    fn changed_vertices(&self, hit: &Hit) -> Option<Cause> {
        let facts = self.facts;
        if !facts.binds.is_empty() {
            let nodes = raster::nodes(self.puppet, hit);
            if nodes.iter().any(|node| facts.binds.contains(node)) {
                return Some(Cause::Binds);
            }
        }
        let change = facts.meshes.get(&hit.part)?;
        let corners = self.corners(hit)?;
        if change.has_other_weights(&corners) {
            return Some(Cause::Weights(hit.part));
        }
        change.has_moved(&corners).then_some(Cause::Mesh(hit.part))
    }

    /// Returns the change of the shape of a part.
    fn changed_shape(&self, part: u32) -> Option<Cause> {
        let change = self.facts.meshes.get(&part)?;
        // If the changed vertices are known, another machine's differences elsewhere on the part are noise.
        if change.is_located() && !self.conditions.same_machine {
            return None;
        }
        match (change.changes_weights(), change.changes_positions()) {
            (true, _) => Some(Cause::Weights(part)),
            (_, true) => Some(Cause::Mesh(part)),
            _ => None,
        }
    }

    /// Returns the cause and distance of a visible point's movement.
    fn movement(&self, hit: &Hit) -> Option<(Cause, Shift)> {
        if self.facts.joints.is_empty() && !self.facts.weights {
            return None;
        }
        let shift = self.shift(hit);
        if shift.pixels < MIN_SHIFT {
            return None;
        }
        let cause = self.facts.cause(self.puppet, &raster::nodes(self.puppet, hit));
        Some((cause.map_or(Cause::Morph(hit.part), Cause::Moved), shift))
    }

    /// Returns the first part whose material has the same change, so that parts with the same material are reported as one change.
    fn material(&self, part: u32) -> Option<u32> {
        let change = self.facts.materials.get(&part)?;
        self.facts.materials.iter().find(|(_, other)| *other == change).map(|(first, _)| *first)
    }
}

/// The surfaces around a pixel. A pixel at an edge may partly show its neighbours' surfaces.
struct Neighbours {
    hits: [[Option<Hit>; 8]; 2],
    count: usize,
    is_edge: bool,
}

impl Neighbours {
    fn of(ids: [&Ids; 2], index: usize) -> Self {
        let [golden, _] = ids;
        let (width, height) = (golden.width as usize, golden.height as usize);
        let (x, y) = (index % width.max(1), index / width.max(1));
        let mut near = Self { hits: [[None; 8]; 2], count: 0, is_edge: false };
        for (ny, nx) in
            (y.saturating_sub(1)..=y + 1).flat_map(|ny| (x.saturating_sub(1)..=x + 1).map(move |nx| (ny, nx)))
        {
            if nx >= width || ny >= height || (nx, ny) == (x, y) {
                continue;
            }
            for (ids, hits) in ids.iter().zip(&mut near.hits) {
                let (here, there) = (ids.hit(index), ids.hit(ny * width + nx));
                near.is_edge |= is_edge(here, there);
                if let Some(slot) = hits.get_mut(near.count) {
                    *slot = there.copied();
                }
            }
            near.count += 1;
        }
        near
    }

    fn hits(&self) -> impl Iterator<Item = &Hit> {
        self.hits.iter().flatten().flatten()
    }

    fn has_background(&self) -> bool {
        self.hits.iter().any(|hits| hits.iter().take(self.count).any(Option::is_none))
    }
}

/// Returns whether an edge of a surface runs between two neighbouring pixels.
fn is_edge(here: Option<&Hit>, there: Option<&Hit>) -> bool {
    match (here, there) {
        (None, None) => false,
        (Some(a), Some(b)) => {
            a.part != b.part || (a.depth - b.depth).abs() > EDGE_DEPTH * (1.0 - a.depth.min(b.depth))
        }
        _ => true,
    }
}
