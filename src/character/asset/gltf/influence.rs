//! Reads `JOINTS_n` and `WEIGHTS_n`, which define how joints move vertices.

use std::collections::BTreeSet;

use glam::Vec4;
use gltf::json::mesh::{Primitive as Json, Semantic};

use crate::api::Missing;
use crate::asset::{Character, Influences};

use super::mesh::{attribute, check_count};
use super::{GltfFile, ObjectError};

impl GltfFile<'_> {
    /// Reads the influence sets of a primitive and normalises the weights of each vertex to a sum of one. If a vertex has more than eight
    /// influences, only the eight heaviest are used.
    pub(super) fn influences(
        &self,
        json: &Json,
        count: usize,
        at: &str,
    ) -> Result<Vec<Influences>, ObjectError> {
        let mut sets = Vec::new();
        for n in 0.. {
            let (joints, weights) =
                (attribute(json, Semantic::Joints(n)), attribute(json, Semantic::Weights(n)));
            let (Some(joints), Some(weights)) = (joints, weights) else {
                if joints.is_some() || weights.is_some() {
                    self.warn(format!(
                        "{at}: JOINTS_{n} and WEIGHTS_{n} are not both present, so the set is ignored"
                    ));
                }
                break;
            };
            sets.push(Influences {
                joints: self.joints(joints, count, &format!("{at}.attributes.JOINTS_{n}"))?,
                weights: self.weights(weights, count, &format!("{at}.attributes.WEIGHTS_{n}"))?,
            });
        }
        self.reduce(&mut sets, at);
        self.normalize(&mut sets, at);
        Ok(sets)
    }

    /// Moves the eight heaviest influences of each vertex into the first two sets.
    fn reduce(&self, sets: &mut Vec<Influences>, at: &str) {
        if sets.len() <= Influences::MAX_SETS {
            return;
        }
        let (mut reduced, mut lost) = (0_usize, 0.0_f64);
        let mut found = Vec::new();
        for vertex in 0..sets.first().map_or(0, |set| set.weights.len()) {
            found.clear();
            for set in sets.iter() {
                let weights = set.weights[vertex].to_array().into_iter().map(f64::from);
                found.extend(
                    set.joints[vertex]
                        .into_iter()
                        .zip(weights)
                        .filter(|(_, weight)| *weight > 0.0 && weight.is_finite()),
                );
            }
            let weight = |found: &[(u16, f64)]| found.iter().map(|(_, weight)| weight).sum::<f64>();
            let (count, all) = (found.len(), weight(&found));
            if count == 0 {
                // The vertex follows its first joint.
                continue;
            }
            Influences::keep_heaviest(&mut found);
            if found.len() < count {
                reduced += 1;
                lost = lost.max(1.0 - weight(&found) / all);
            }
            let mut kept = found.iter().copied().chain(std::iter::repeat((0, 0.0)));
            for set in sets.iter_mut().take(Influences::MAX_SETS) {
                for (lane, (joint, weight)) in kept.by_ref().take(4).enumerate() {
                    set.joints[vertex][lane] = joint;
                    #[expect(clippy::cast_possible_truncation, reason = "it was read as f32")]
                    let weight = weight as f32;
                    set.weights[vertex][lane] = weight;
                }
            }
        }
        sets.truncate(Influences::MAX_SETS);
        if reduced > 0 {
            self.warn(format!(
                "{at}: {reduced} vertices have more than {} influences. The heaviest count, and up to {:.1} % of the weight is ignored",
                4 * Influences::MAX_SETS,
                100.0 * lost
            ));
        }
    }

    fn joints(&self, accessor: usize, count: usize, at: &str) -> Result<Vec<[u16; 4]>, ObjectError> {
        let joints = self.integers::<4>(accessor, at)?;
        check_count(joints.len(), count, at)?;
        let narrow = |(v, j): (usize, [u32; 4])| match j.map(u16::try_from) {
            [Ok(a), Ok(b), Ok(c), Ok(d)] => Ok([a, b, c, d]),
            _ => Err(ObjectError::new(format!("{at}[{v}]"), format!("{j:?} exceeds 16 bits"))),
        };
        joints.into_iter().enumerate().map(narrow).collect()
    }

    fn weights(&self, accessor: usize, count: usize, at: &str) -> Result<Vec<Vec4>, ObjectError> {
        let weights = self.floats::<4>(accessor, at)?;
        check_count(weights.len(), count, at)?;
        Ok(weights.into_iter().map(Vec4::from).collect())
    }

    /// Normalises the weights of each vertex. Weights that are not finite become zero. A vertex without weight follows
    /// its first joint.
    fn normalize(&self, sets: &mut [Influences], at: &str) {
        let vertices = sets.first().map_or(0, |s| s.weights.len());
        let (mut not_finite, mut unweighted) = (0_usize, 0_usize);
        for vertex in 0..vertices {
            let mut sum = 0.0_f32;
            for set in sets.iter_mut() {
                let weights = &mut set.weights[vertex];
                if !weights.is_finite() {
                    not_finite += 1;
                    *weights =
                        Vec4::from_array(weights.to_array().map(|w| if w.is_finite() { w } else { 0.0 }));
                }
                sum += weights.element_sum();
            }
            if sum > 0.0 && sum.is_finite() {
                sets.iter_mut().for_each(|s| s.weights[vertex] /= sum);
            } else {
                unweighted += 1;
                sets.iter_mut().for_each(|s| s.weights[vertex] = Vec4::ZERO);
                if let Some(first) = sets.first_mut() {
                    first.weights[vertex] = Vec4::X;
                }
            }
        }
        if not_finite > 0 {
            self.warn(format!("{at}: weights of {not_finite} vertices are not finite and count as zero"));
        }
        if unweighted > 0 {
            self.warn(format!("{at}: {unweighted} vertices have no weight and follow their first joint"));
        }
    }

    /// Checks that every joint of a mesh exists in every skin that the mesh is used with.
    ///
    /// Many exporters write joints that do not exist, with a weight of zero. Such an influence is changed to joint 0.
    pub(super) fn check_influences(&self, character: &mut Character) -> Result<(), ObjectError> {
        let nodes = character.skeleton.nodes.iter();
        let uses: BTreeSet<_> = nodes.filter_map(|n| Some((n.mesh?, n.skin?))).collect();
        for (mesh, skin) in uses {
            self.progress.check()?;
            let count = character.skins[skin].joints.len();
            for primitive in &mut character.meshes[mesh].primitives {
                let index = primitive.index;
                for (n, set) in primitive.influences.iter_mut().enumerate() {
                    for (v, (joints, weights)) in set.joints.iter_mut().zip(&set.weights).enumerate() {
                        for (joint, weight) in joints.iter_mut().zip(weights.to_array()) {
                            if usize::from(*joint) < count {
                                continue;
                            }
                            if weight != 0.0 || count == 0 {
                                let at =
                                    format!("meshes[{mesh}].primitives[{index}].attributes.JOINTS_{n}[{v}]");
                                let owner = format!("skin {skin}");
                                let missing = Missing::index_in(&owner, "joint", usize::from(*joint), count);
                                return Err(ObjectError::new(at, missing.to_string()));
                            }
                            *joint = 0;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
