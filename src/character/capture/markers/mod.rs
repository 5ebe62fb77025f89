//! Takes with several markers on each segment of the body.
//!
//! A column `SEGMENT/MARKER` is a marker on a segment. Markers on a segment form a rigid cluster, whose shape is estimated from the
//! take. The motion of a cluster in a frame is the rigid motion that fits its markers best. The centre of the joint between two
//! segments is the point that moves least relative to both.

mod align;
mod center;
mod cluster;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3};

use super::{Frames, Take, Tracks};

pub(super) use align::{Anchors, for_skeleton};
use cluster::{Cluster, RigidMotion};

/// Maximum number of frames, evenly spread over the take, from which clusters and centres are estimated.
const MAX_FRAMES: usize = 500;

/// A take of markers, converted to joints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MarkerTake {
    /// The positions of joint centres, and the orientations of segments with at least three markers. The axes of a segment are
    /// the world axes in the frame in which most of its markers were seen. Other joints and sensors of the take are unchanged.
    pub take: Take,
    /// How well the markers of each segment fit a rigid cluster, by segment name.
    pub segments: BTreeMap<String, MarkerFit>,
    /// The joints of `take.positions` between the root segment and other segments.
    pub(super) on_root: Vec<String>,
    /// The root segment.
    pub(super) root: Option<String>,
}

/// How well the markers of a segment fit a rigid cluster.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MarkerFit {
    /// The number of markers.
    pub markers: usize,
    /// Root mean square distance between the markers and the cluster, in the unit of the take.
    pub residual: f64,
    /// Root mean square distance between the two positions of the parent joint, each computed from one of its segments, in the unit of the
    /// take. `None` if there is no parent with markers, or if one of the segments has fewer than three markers.
    pub joint_residual: Option<f64>,
}

/// Returns the segment in the name of a marker.
pub(super) fn segment_of(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(segment, _)| segment).filter(|segment| !segment.is_empty())
}

impl Take {
    /// Converts markers to joints. Returns `None` if the take has no markers.
    ///
    /// `is_joint` returns whether a name is the name of a joint. A column is a marker if the part of its name before the last `/` is the
    /// name of a joint, but the whole name is not. `parent` returns the nearest ancestor of a segment for which `has_markers` returns true.
    /// The segment without a parent is the root.
    ///
    /// - A segment with at least three markers gets an orientation in each frame in which at least one of them was seen. If only two were
    ///   seen, the rotation about their line is kept from the previous frame. If only one was seen, the whole orientation is kept.
    /// - The joint between two such segments is at the centre of rotation that is estimated from both (symmetrical centre of
    ///   rotation estimation, Ehrig et al. 2006).
    /// - The joint of a segment with one or two markers is at the mean of the markers.
    /// - `with_root` adds the position of the root: the mean of its child joints.
    pub fn joints_of_markers(
        &self,
        is_joint: impl Fn(&str) -> bool,
        parent: impl Fn(&str, &dyn Fn(&str) -> bool) -> Option<String>,
        with_root: bool,
    ) -> Option<MarkerTake> {
        let mut columns: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut others = Vec::new();
        for (column, name) in self.positions.joints.iter().enumerate() {
            match segment_of(name).filter(|segment| !is_joint(name) && is_joint(segment)) {
                Some(segment) => columns.entry(segment.to_owned()).or_default().push(column),
                None => others.push(column),
            }
        }
        if columns.is_empty() {
            return None;
        }
        let names: Vec<String> = columns.keys().cloned().collect();
        let has_markers = |name: &str| columns.contains_key(name);
        let parents: Vec<Option<usize>> = names
            .iter()
            .map(|name| parent(name, &has_markers).and_then(|above| names.binary_search(&above).ok()))
            .collect();
        let clusters: Vec<Cluster> =
            columns.into_values().map(|columns| Cluster::estimate(&self.positions.frames, columns)).collect();
        let solved = Solved::new(self, &clusters, &parents);
        Some(solved.take(self, &names, &parents, &clusters, &others, with_root))
    }
}

/// The motions of all clusters in all frames, and the centres of the joints.
struct Solved {
    /// One row per frame, with one motion per segment.
    motions: Frames<Option<RigidMotion>>,
    /// For each segment, its number of markers and their mean square distance from their mean.
    sizes: Vec<(f64, f64)>,
    /// For each segment, the joint between it and its parent: the joint's position in the spaces of the parent and of the segment, and
    /// the residual.
    centers: Vec<Option<center::Center>>,
}

impl Solved {
    fn new(take: &Take, clusters: &[Cluster], parents: &[Option<usize>]) -> Self {
        let mut motions = Frames::new(clusters.len());
        let mut previous = vec![RigidMotion::default(); clusters.len()];
        for frame in take.positions.frames.iter() {
            let row: Vec<Option<RigidMotion>> = clusters
                .iter()
                .zip(&mut previous)
                .map(|(cluster, previous)| {
                    let motion = cluster.motion(frame, previous)?;
                    *previous = motion;
                    Some(motion)
                })
                .collect();
            motions.push(row);
        }
        let step = motions.len().div_ceil(MAX_FRAMES).max(1);
        let center = |segment: usize, parent: usize| {
            let is_oriented = |segment: usize| clusters.get(segment).is_some_and(Cluster::is_oriented);
            if !is_oriented(segment) || !is_oriented(parent) {
                return None;
            }
            let pairs = motions.iter().step_by(step).filter_map(|row| {
                let of = |segment: usize| row.get(segment).copied().flatten().filter(|m| m.is_certain);
                of(parent).zip(of(segment))
            });
            center::estimate(&pairs.collect::<Vec<_>>())
        };
        let centers =
            parents.iter().enumerate().map(|(segment, parent)| center(segment, (*parent)?)).collect();
        Self { motions, centers, sizes: clusters.iter().map(Cluster::size).collect() }
    }

    /// Returns the weight of a segment's own markers in the position of the joint between the segment and its parent: 0 uses only the
    /// parent's markers, 1 only its own. A cluster of n markers at a mean distance s from their middle determines a point at distance d
    /// with a variance proportional to (1 + d²/s²) / n, because an error in its rotation moves distant points farther.
    fn child_weight(&self, segment: usize, parent: usize, center: &center::Center) -> f64 {
        let certainty = |segment: usize, point: DVec3| {
            let (count, square) = self.sizes.get(segment).copied().unwrap_or_default();
            count * square / (square + point.length_squared())
        };
        let (own, above) = (certainty(segment, center.in_child), certainty(parent, center.in_parent));
        let weight = own / (own + above);
        if weight.is_finite() { weight } else { 0.5 }
    }

    /// Returns the position of the joint between a segment and its parent in a frame.
    fn joint(&self, frame: usize, segment: usize, parent: Option<usize>) -> Option<DVec3> {
        let row = self.motions.get(frame)?;
        let motion = |segment: usize| row.get(segment).copied().flatten();
        let own = motion(segment);
        match (self.centers.get(segment)?.as_ref(), parent) {
            (Some(center), Some(parent)) => {
                let (own, above) = certain(own, motion(parent));
                let own = own.map(|m| m.apply(center.in_child));
                let above = above.map(|m| m.apply(center.in_parent));
                own.zip(above)
                    .map(|(a, b)| b.lerp(a, self.child_weight(segment, parent, center)))
                    .or(own)
                    .or(above)
            }
            _ => own.map(|m| m.translation),
        }
    }

    fn take(
        &self,
        take: &Take,
        names: &[String],
        parents: &[Option<usize>],
        clusters: &[Cluster],
        others: &[usize],
        with_root: bool,
    ) -> MarkerTake {
        let is_oriented = |segment: &usize| clusters.get(*segment).is_some_and(Cluster::is_oriented);
        let known = |segment: &usize| self.centers.get(*segment).is_some_and(Option::is_some);
        // The origin of a cluster with three or more markers is not at a joint. The origin of other clusters is used as the joint.
        let joints: Vec<usize> = (0..names.len()).filter(|s| known(s) || !is_oriented(s)).collect();
        let roots: Vec<usize> =
            (0..names.len()).filter(|s| with_root && parents[*s].is_none() && !joints.contains(s)).collect();
        let oriented: Vec<usize> = (0..names.len()).filter(is_oriented).collect();
        let named =
            |segments: &[usize]| segments.iter().filter_map(|&s| names.get(s)).cloned().collect::<Vec<_>>();
        let kept = others.iter().filter_map(|&c| take.positions.joints.get(c)).cloned();
        let mut positions =
            Tracks::of(kept.chain(named(&joints)).chain(named(&roots)).collect::<Vec<String>>());
        // Orientations of the take's other sensors.
        let sensors: Vec<usize> = (0..take.orientations.joints.len())
            .filter(|&c| take.orientations.joints.get(c).is_some_and(|n| !named(&oriented).contains(n)))
            .collect();
        let of_sensors = sensors.iter().filter_map(|&c| take.orientations.joints.get(c)).cloned();
        let mut orientations = Tracks::of(of_sensors.chain(named(&oriented)).collect::<Vec<String>>());
        let narrow = |p: DVec3| Some(p.as_vec3()).filter(|p| p.is_finite());
        for frame in 0..take.times.len() {
            let seen = take.positions.frames.get(frame).unwrap_or_default();
            let row = others.iter().map(|&c| seen.get(c).copied().flatten());
            let of_joints = joints.iter().map(|&s| self.joint(frame, s, parents[s]).and_then(narrow));
            let of_roots = roots.iter().map(|&root| self.root(frame, root, parents).and_then(narrow));
            let row: Vec<Option<Vec3>> = row.chain(of_joints).chain(of_roots).collect();
            positions.frames.push(row);
            let seen = take.orientations.frames.get(frame).unwrap_or_default();
            let motions = self.motions.get(frame).unwrap_or_default();
            let of_sensors = sensors.iter().map(|&c| seen.get(c).copied().flatten());
            let of_segments =
                oriented.iter().map(|&s| Some(motions.get(s).copied().flatten()?.rotation.as_quat()));
            let row: Vec<_> = of_sensors.chain(of_segments).collect();
            orientations.frames.push(row);
        }
        let fits = names.iter().zip(clusters).zip(&self.centers).map(|((name, cluster), center)| {
            let fit = MarkerFit {
                markers: cluster.columns.len(),
                residual: cluster.residual,
                joint_residual: center.as_ref().map(|c| c.residual),
            };
            (name.clone(), fit)
        });
        let segments = fits.collect();
        let first = parents.iter().position(Option::is_none);
        let is_on_root = |s: &&usize| known(s) && parents[**s].is_some() && parents[**s] == first;
        let on_root = joints.iter().filter(is_on_root).filter_map(|&s| names.get(s)).cloned().collect();
        let root = first.and_then(|root| names.get(root)).cloned();
        MarkerTake {
            take: Take { times: take.times.clone(), positions, orientations },
            segments,
            on_root,
            root,
        }
    }

    /// Returns the position of a root segment: the mean of its child joints, or the mean of its markers.
    fn root(&self, frame: usize, root: usize, parents: &[Option<usize>]) -> Option<DVec3> {
        let motion = self.motions.get(frame)?.get(root).copied().flatten()?;
        let below = parents.iter().zip(&self.centers).filter(|(parent, _)| **parent == Some(root));
        let (sum, count) = below
            .filter_map(|(_, center)| Some(center.as_ref()?.in_parent))
            .fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + p, count + 1.0));
        Some(motion.apply(if count > 0.0 { sum / count } else { DVec3::ZERO }))
    }
}

/// Returns both motions, or only the one whose rotation is determined by the markers of the frame.
fn certain(
    own: Option<RigidMotion>,
    above: Option<RigidMotion>,
) -> (Option<RigidMotion>, Option<RigidMotion>) {
    let is_certain = |motion: Option<RigidMotion>| motion.is_some_and(|motion| motion.is_certain);
    match (is_certain(own), is_certain(above)) {
        (true, false) => (own, None),
        (false, true) => (None, above),
        _ => (own, above),
    }
}

/// Returns the mean rotation from a segment to its joint: the offset q for which `segment · q` is closest to `joint` (Markley et al. 2007,
/// "Averaging quaternions", approximated by the normalised sum).
pub(super) fn mean_offset(pairs: impl IntoIterator<Item = (DQuat, DQuat)>) -> Option<DQuat> {
    let mut sum: Option<glam::DVec4> = None;
    for (segment, joint) in pairs {
        let offset = glam::DVec4::from(segment.conjugate() * joint);
        let total = sum.get_or_insert(glam::DVec4::ZERO);
        *total += if total.dot(offset) < 0.0 { -offset } else { offset };
    }
    Some(DQuat::from_vec4(sum?.try_normalize()?))
}
