//! Lines and dots over the character: the hovered part, goals, pins, the base and the trail.

use glam::{Vec3, Vec4};

use crate::document::{Scene, Selection};
use crate::render::Line;
use crate::scene;
use crate::{DragScope, Session};

use super::place::point;

const DARK: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.8);
const GOAL: Vec4 = Vec4::new(1.0, 0.2, 0.03, 1.0);
const HOT: Vec4 = Vec4::new(1.0, 0.62, 0.1, 1.0);
const HANDLE: Vec4 = Vec4::new(0.55, 0.66, 0.85, 0.55);
const PIN: Vec4 = Vec4::new(0.05, 0.6, 0.95, 1.0);
const HINT: Vec4 = Vec4::new(1.0, 0.85, 0.55, 1.0);
const ALSO_SELECTED: Vec4 = Vec4::new(0.85, 0.87, 0.92, 1.0);
const BASE: Vec4 = Vec4::new(0.35, 0.85, 0.25, 1.0);

/// Returns the lines and dots in drawing order, so that later ones are on top. `scale` is in pixels per point.
pub(crate) fn lines(session: &Session, scale: f32) -> Vec<Line> {
    if session.document.settings.shading_mode.is_data() {
        return Vec::new();
    }
    let mut out = Vec::new();
    if session.document.settings.display.skeleton
        || scene::shows_skeleton(&session.puppet, session.document.settings.shading_mode)
    {
        out.extend(scene::skeleton(&session.puppet, scale));
    }
    let position =
        |node: usize| session.puppet.world_from_node().get(node).map(|m| Vec3::from(m.translation));
    if !session.is_dragging() {
        // The dot on the hips is only a mark. Pressing a button there grabs the skin, because most methods cannot move a joint without
        // ancestors. Only if the trunk is far in front of the dot, the hips themselves are grabbed.
        let hips = session.puppet.rig.body.as_ref().map(|body| body.hips);
        let handles = session.picture().handles().chain(hips).filter_map(position);
        handles.for_each(|p| dot(&mut out, p, 5.0 * scale, HANDLE));
    }
    let steps = session.drags.trail.len().max(1);
    for (i, pair) in session.drags.trail.windows(2).enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a trail is short")]
        let age = (i + 1) as f32 / steps as f32;
        let color = HOT.truncate().extend(0.75 * age * age);
        if let [start, end] = *pair {
            out.push(Line { start, end, widths: [2.5 * scale * age; 2], color });
        }
    }
    let Scene { pins, base, .. } = &session.document.scene;
    pins.iter().filter_map(|p| position(p.node)).for_each(|p| dot(&mut out, p, 11.0 * scale, PIN));
    base.and_then(position).into_iter().for_each(|p| dot(&mut out, p, 11.0 * scale, BASE));
    let Selection { active, others, .. } = &session.document.selection;
    let others = others.iter().filter_map(|&node| position(node));
    others.for_each(|p| dot(&mut out, p, 7.0 * scale, ALSO_SELECTED));
    for (node, color) in [(session.hover.hint, HINT), (*active, Vec4::ONE)] {
        node.and_then(position).into_iter().for_each(|p| dot(&mut out, p, 9.0 * scale, color));
    }
    let goals = if session.steps.is_on() {
        session.puppet.targets.clone()
    } else {
        session.drags.goals(&session.puppet, &session.document.scene)
    };
    for goal in &goals {
        let Some(reached) = point(&session.puppet, goal.node, goal.offset) else { continue };
        let Some(target) = goal.position.map(glam::DVec3::as_vec3) else { continue };
        out.push(Line { start: reached, end: target, widths: [2.0 * scale; 2], color: GOAL });
        dot(&mut out, target, 11.0 * scale, GOAL);
        dot(&mut out, reached, 5.0 * scale, Vec4::ONE);
    }
    match (&session.drags.joint, session.hover.hit) {
        (Some(drag), _) => {
            if let Some((axis, direction)) = drag.line() {
                let reach = direction * session.camera().height_at(drag.hit.point) * 2.0;
                let color = axis.unit().extend(0.8).max(Vec4::splat(0.08));
                let (start, end) = (drag.hit.point - reach, drag.hit.point + reach);
                out.push(Line { start, end, widths: [1.5 * scale; 2], color });
            } else if let Some((point, height)) = drag.hanging_point(&session.puppet) {
                // Draw a vertical line from the hanging point to the floor.
                let end = point - Vec3::Y * height;
                out.push(Line { start: point, end, widths: [1.5 * scale; 2], color: HANDLE });
                dot(&mut out, end, 6.0 * scale, HANDLE);
            }
        }
        (None, Some(hit)) => {
            let chain = session.puppet.character().skeleton.ancestors(hit.node);
            let turns = session.document.settings.drag_scope == DragScope::Joint;
            let turned = if turns { super::drag_goal::joint_above(&hit, &session.puppet) } else { None };
            let base = turned.or_else(|| {
                super::drag_goal::chain_base(session.puppet.character(), &session.puppet.rig, &hit)
            });
            let mut from = hit.point;
            let bones: Vec<usize> = chain.collect();
            let end = base.and_then(|b| bones.iter().position(|&n| n == b)).map_or(0, |i| i + 1);
            for to in bones.iter().take(end).filter_map(|&n| position(n)) {
                out.push(Line { start: from, end: to, widths: [2.5 * scale; 2], color: HOT.with_w(0.7) });
                from = to;
            }
            dot(&mut out, hit.point, if hit.handle { 12.0 } else { 8.0 } * scale, HOT);
        }
        (None, None) => {}
    }
    out
}

/// Draws a dot with a dark rim.
fn dot(out: &mut Vec<Line>, at: Vec3, size: f32, color: Vec4) {
    let disc = |size: f32, color: Vec4| Line { start: at, end: at, widths: [size; 2], color };
    out.extend([disc(size * 1.35, DARK.with_w(DARK.w * color.w)), disc(size, color)]);
}
