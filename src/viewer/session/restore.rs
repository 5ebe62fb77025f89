//! The state of a session as commands. A session that executes them reaches the same state.

use std::sync::Arc;

use crate::motion::Motion;
use crate::pose::Pose;
use crate::render::LightSource;
use crate::rig::{JointRig, Rig, with_bones};
use crate::scene::compare::Comparison;
use crate::viewer::session::goals::axes_fit;
use crate::viewer::session::history::{History, State};
use crate::viewer::{Command, Settings};

use super::snapshot::is_valid;
use super::steps::Problem;
use super::{Session, Snapshot};

impl Session {
    /// Returns commands that restore the state of this session in another session with the same character and size.
    pub(super) fn state_commands(&self) -> Vec<Command> {
        let mut commands = self.stored_settings().commands();
        commands.push(Command::Restore(Box::new(self.snapshot())));
        // A camera that follows the character moves with the time.
        commands.extend([Command::Seek(self.puppet.time), Command::Camera(self.orbit)]);
        commands.extend([Command::Play(self.clock.playing), Command::Hover(self.pointer)]);
        commands
    }

    /// Returns the settings as files store them. They do not store images, in whose place they have the studio.
    pub(in crate::viewer) fn stored_settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if matches!(settings.light.source, LightSource::Image(_)) {
            settings.light.source = LightSource::Studio;
        }
        settings
    }

    /// Returns the state of the character. Limits, poles and options are those that differ from the rig at the start of the session,
    /// which a replay loads too.
    fn snapshot(&self) -> Snapshot {
        self.snapshot_beside(&self.loaded_rig)
    }

    /// Returns the rig that is loaded with the character's file.
    pub(in crate::viewer) fn rig_on_disk(&self) -> &Rig {
        if self.file().is_some() { &self.saved_rig } else { &self.loaded_rig }
    }

    /// Returns the state of the character, with the limits, poles and options that differ from a rig.
    pub(in crate::viewer) fn snapshot_beside(&self, before: &Rig) -> Snapshot {
        let rest = &self.puppet.character().skeleton;
        let State { held, goals, pins, base, rig, motion, time: _ } = &self.state;
        let moved = held.locals.iter().zip(&rest.nodes).enumerate().filter(|(_, (now, n))| **now != n.rest);
        Snapshot {
            nodes: moved.map(|(node, (now, _))| (node, *now)).collect(),
            morphs: if held.weights == rest.rest_weights { Vec::new() } else { held.weights.clone() },
            goals: goals.clone(),
            pins: pins.clone(),
            base: *base,
            bones: {
                let (now, then) = (&rig.given_bones, &before.given_bones);
                let names = now.keys().chain(then.keys().filter(|bone| !now.contains_key(*bone)));
                let changed = names.filter(|bone| now.get(*bone) != then.get(*bone));
                changed.map(|bone| (bone.clone(), now.get(bone).copied())).collect()
            },
            limits: rig
                .joints
                .keys()
                .chain(before.joints.keys().filter(|n| !rig.joints.contains_key(n)))
                .map(|&node| (node, rig.joint(node).limit))
                .filter(|(node, limit)| before.joint(*node).limit != *limit)
                .collect(),
            poles: rig
                .chains
                .iter()
                .zip(&before.chains)
                .filter(|(now, then)| now.pole != then.pole)
                .map(|(now, _)| (now.effector, now.pole))
                .collect(),
            pulls: rig
                .chains
                .iter()
                .zip(&before.chains)
                .filter(|(now, then)| now.pull != then.pull)
                .filter_map(|(now, _)| Some((now.effector, now.pull?)))
                .collect(),
            options: (rig.options != before.options).then(|| rig.options.clone()),
            motion: Motion::clone(motion),
            time: self.puppet.time,
            selected: self.selected,
            also_selected: self.also_selected.clone(),
            last: self.last,
            problem: self.problem.as_ref().map(|problem| problem.to_data(rest)),
        }
    }

    /// Sets the state of the character. Invalid values and unknown nodes are ignored.
    pub(super) fn restore_snapshot(&mut self, snapshot: Snapshot) {
        let Snapshot {
            nodes,
            morphs,
            mut goals,
            mut pins,
            base,
            bones,
            limits,
            poles,
            pulls,
            options,
            motion,
            time,
            selected,
            also_selected,
            last,
            problem,
        } = snapshot;
        let skeleton = &self.puppet.character().skeleton;
        let exists = |node: usize| node < skeleton.nodes.len();
        let mut held = Pose::rest(skeleton);
        for (node, transform) in nodes.into_iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = held.locals.get_mut(node) {
                *local = transform;
            }
        }
        if morphs.len() == held.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            held.weights = morphs;
        }
        let problem = problem.map(|data| Problem::from_data(data, skeleton));
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        goals.retain(|g| exists(g.node) && g.base.is_none_or(exists) && is_weight(g.weight));
        goals.retain(|g| axes_fit(&g.axes, g));
        pins.retain(|p| exists(p.node));
        let mut given = self.loaded_rig.given_bones.clone();
        for (bone, node) in bones.into_iter().filter(|(_, node)| node.is_none_or(exists)) {
            match node {
                Some(node) => drop(given.insert(bone, node)),
                None => drop(given.remove(&bone)),
            }
        }
        let is_same = given == self.loaded_rig.given_bones;
        let renamed =
            if is_same { None } else { with_bones(self.puppet.character(), &self.loaded_rig, &given).ok() };
        let mut rig = renamed.unwrap_or_else(|| Rig::clone(&self.loaded_rig));
        for (node, limit) in limits.into_iter().filter(|(n, limit)| exists(*n) && limit.validate().is_ok()) {
            rig.joints.entry(node).or_default().limit = limit;
        }
        rig.joints.retain(|n, joint| *joint != JointRig::default() || self.loaded_rig.joints.contains_key(n));
        if let Some(options) = options {
            rig.options = options;
        }
        for (effector, pole) in poles {
            let chains = rig.chains.iter_mut().filter(|c| c.effector == effector);
            chains.for_each(|chain| chain.pole = pole.filter(|p| p.is_finite()));
        }
        for (effector, pull) in pulls.into_iter().filter(|(_, pull)| (0.0..=1.0).contains(pull)) {
            rig.set_pull(effector, pull);
        }
        (self.selected, self.last) = (selected.filter(|&n| exists(n)), last.filter(|&n| exists(n)));
        (self.drag, self.gizmo_drag, self.hover, self.hovered_grip, self.hint) =
            (None, None, None, None, None);
        let base = base.filter(|&b| exists(b));
        (self.history, self.followed) = (History::default(), None);
        self.puppet.time = if time.is_finite() { time.max(0.0) } else { 0.0 };
        self.puppet.reset_solver();
        // Recreate the compared methods, so that none of them continues from a result for other goals.
        self.comparison = Comparison::default();
        self.comparison.set_methods(&self.settings.compare, &self.puppet);
        let is_known = motion.validate().is_ok() && motion.fits(self.puppet.character());
        let motion = Arc::new(if is_known { motion } else { Motion::default() });
        let time = self.puppet.time;
        self.restore(Some(State { held, goals, pins, base, rig: Arc::new(rig), motion, time }));
        self.restore_selection(also_selected);
        self.problem = problem;
        self.settle_springs();
    }
}
