//! Parts of the body below the floor.

use super::anatomy::Anatomy;
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;
use crate::mathematics::spans::{peak, runs};

pub(super) fn check(anatomy: &Anatomy, sampled: &Sampled, floor: f32, limit: f64) -> Measured {
    let points: Vec<_> = anatomy.feet.iter().flat_map(|f| &f.points).chain(&anatomy.skin).collect();
    let deepest = |frame: usize| {
        let depth = |(node, at): &&(usize, glam::Vec3)| {
            (f64::from(floor - sampled.matrix(frame, *node).transform_point3(*at).y), *node)
        };
        points.iter().map(depth).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NEG_INFINITY, 0))
    };
    let depths: Vec<(f64, usize)> = (0..sampled.len()).map(deepest).collect();
    let values: Vec<f64> = depths.iter().map(|(depth, _)| depth.max(0.0)).collect();
    let mut measured = Measured::default();
    for run in runs(values.len(), 1, |i| values[i] > limit) {
        let (frame, depth) = peak(&values, run.clone());
        let node = depths.get(frame).map(|(_, node)| *node);
        let text = format!("is {} below the floor", length(depth));
        let span = sampled.span(*run.start(), *run.end());
        measured.findings.push(Finding::new(Check::Penetration, node, span, depth, limit, text));
    }
    measured.curves.push(Curve {
        check: Check::Penetration,
        node: None,
        limit: Some(limit),
        times: sampled.times.clone(),
        values,
    });
    measured
}
