//! The centre of mass for balance.

use glam::DVec3;

use super::model::{FigureJoint, Model};
use super::pose::Kinematics;
use super::system::Forces;

/// The centre of mass and its Jacobian. The mass of an arm is lumped at the shoulder.
#[derive(Clone, Debug, Default)]
pub(super) struct CentreOfMass {
    pub(super) at: DVec3,
    pub(super) columns: Vec<DVec3>,
    /// For each link, the total mass of the link and all its descendants, and this mass times their centre of mass.
    below: Vec<(f64, DVec3)>,
}

impl CentreOfMass {
    /// Returns the centre of mass of a pose.
    pub(super) fn place(model: &Model, now: &Kinematics) -> DVec3 {
        let centre = |(link, joint): (usize, &FigureJoint)| {
            now.point(link, balance_centre(joint)) * joint.balance_mass
        };
        model.joints.iter().enumerate().filter(|(_, j)| j.balance_mass > 0.0).map(centre).sum()
    }

    /// Computes the centre of mass and its derivatives.
    pub(super) fn update(&mut self, model: &Model, now: &Kinematics) {
        let Self { at, columns, below } = self;
        below.clear();
        below.resize(model.joints.len(), (0.0, DVec3::ZERO));
        for (link, joint) in model.joints.iter().enumerate().rev() {
            let own = below[link].1 + now.point(link, balance_centre(joint)) * joint.balance_mass;
            let all = (below[link].0 + joint.balance_mass, own);
            below[link] = all;
            if let Some(parent) = joint.parent {
                below[parent] = (below[parent].0 + all.0, below[parent].1 + all.1);
            }
        }
        *at = below.first().map_or(DVec3::ZERO, |b| b.1);
        columns.clear();
        for (link, joint) in model.joints.iter().enumerate() {
            let (mass, moment) = below[link];
            for &(axis, about) in &now.axes[joint.first..joint.first + joint.freedom.count()] {
                columns.push(about.map_or(axis, |about| axis.cross(moment - about * mass)));
            }
        }
    }

    /// Adds a force on the centre of mass, distributed over the links.
    pub(super) fn push(model: &Model, now: &Kinematics, force: DVec3, forces: &mut Forces) {
        for (link, joint) in model.joints.iter().enumerate().filter(|(_, j)| j.balance_mass > 0.0) {
            forces.on_point(link, now.point(link, balance_centre(joint)), force * joint.balance_mass);
        }
    }
}

fn balance_centre(joint: &FigureJoint) -> DVec3 {
    if joint.counts_above { DVec3::ZERO } else { joint.centre }
}
