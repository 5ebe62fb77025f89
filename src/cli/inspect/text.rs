//! The report as text.

use super::{CycleReport, InspectReport, PrismaticReport};
use crate::asset::Character;

impl InspectReport<'_> {
    /// Returns the report as text, one item per line.
    pub(super) fn lines(&self, character: &Character) -> Vec<String> {
        let name = |name: Option<&str>, index: usize| name.map_or(format!("#{index}"), str::to_owned);
        let mut lines = vec![
            character.path.display().to_string(),
            format!("generator   {}", self.generator.unwrap_or("unknown")),
        ];
        lines.extend(self.units.map(|units| format!("units       {units:.4} m")));
        if !self.extensions.is_empty() {
            lines.push(format!("extensions  {}", self.extensions.join(", ")));
        }
        let instances = match character.skeleton.instances.clone() {
            instances if instances.is_empty() => String::new(),
            instances => {
                format!(", of which {} from #{} are instances of meshes", instances.len(), instances.start)
            }
        };
        lines.push(format!("nodes       {}{instances}", self.nodes));
        lines.extend(self.meshes.iter().enumerate().map(|(i, m)| {
            format!(
                "mesh        {}: {} primitives, {} vertices, {} triangles, {} influences, {} morph targets",
                name(m.name, i),
                m.primitives,
                m.vertices,
                m.triangles,
                m.influences,
                m.morph_targets
            )
        }));
        lines.extend(self.skins.iter().enumerate().map(|(i, s)| {
            let binds = if s.has_inverse_binds { "" } else { ", no inverse binds" };
            format!("skin        {}: {} joints{binds}", name(s.name, i), s.joints)
        }));
        lines.extend(self.animations.iter().enumerate().map(|(i, c)| {
            let cycle = c.cycle.as_ref().map_or(String::new(), |cycle| {
                let CycleReport { from, to, error, change } = cycle;
                format!(", cycle {from:.3}..{to:.3} s (error {error:.4} m, change {change:.3} m)")
            });
            format!("animation   {}: {} s, {} channels{cycle}", name(c.name, i), c.seconds, c.channels)
        }));
        if !self.variants.is_empty() {
            lines.push(format!("variants    {}", self.variants.join(", ")));
        }
        if !self.lights.is_empty() {
            let lights: Vec<_> = self.lights.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            lines.push(format!("lights      {}", lights.join(", ")));
        }
        if let Some(robot) = &self.robot {
            lines.extend(robot.lines());
        } else {
            lines.push(format!("body        {}", self.body.line()));
            lines.extend(self.chains.iter().map(|c| {
                format!("chain       {}: {} to {}, {} joints", c.name, c.base, c.effector, c.joints.len())
            }));
            let slide =
                |p: &PrismaticReport| format!("prismatic   {}: {:.3} to {:.3} m", p.joint, p.min, p.max);
            lines.extend(self.prismatic.iter().map(slide));
        }
        lines.extend(self.mimics.iter().map(|m| format!("mimic       {}: follows {}", m.joint, m.leader)));
        if let Some(humanoid) = &character.humanoid {
            lines.push(format!("humanoid    VRM {}, {} bones", humanoid.vrm, humanoid.bones.len()));
        }
        if !character.springs.is_empty() {
            let (springs, joints) = (character.springs.springs.len(), character.springs.joints().count());
            let colliders = character.springs.colliders.len();
            lines.push(format!("springs     {springs} with {joints} joints, {colliders} colliders"));
        }
        if !character.constraints.is_empty() {
            lines.push(format!("constraints {}", character.constraints.len()));
        }
        if !character.expressions.is_empty() {
            let names: Vec<_> = character.expressions.iter().map(|e| e.name.as_str()).collect();
            lines.push(format!("expressions {}", names.join(", ")));
        }
        lines
    }
}
