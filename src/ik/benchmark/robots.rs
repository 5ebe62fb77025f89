//! Robot arms with pose targets: the Franka Panda and its successor FR3, a KUKA LBR iiwa 14, and an arm with the dimensions of a
//! Universal Robots UR5.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::{DAffine3, DQuat, DVec3};

use crate::{Body, Goal, Limit, Link, LinkIndex, SolveError};
use sinew_base::Random;

use super::cases::{Cases, pose_randomly};

const DEGREE: f64 = PI / 180.0;

/// A hinge joint of a robot arm. It rotates about the z axis of its frame.
struct Hinge {
    /// Position of the joint in metres, in the previous joint's frame after that joint's rotation.
    offset: DVec3,
    /// Angle about the x axis from the previous joint's axis to the axis of this joint, in radians.
    alpha: f64,
    /// Minimum and maximum angle, in radians.
    range: [f64; 2],
    /// Angle in the start pose of the cases, in radians.
    start: f64,
}

/// A robot arm whose joints are hinges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robot {
    Panda,
    Ur5,
    Iiwa,
    Fr3,
}

impl Robot {
    pub fn name(self) -> &'static str {
        match self {
            Self::Panda => "panda",
            Self::Ur5 => "ur5",
            Self::Iiwa => "iiwa",
            Self::Fr3 => "fr3",
        }
    }

    fn hinges(self) -> Vec<Hinge> {
        let hinge = |(x, y, z, alpha, min, max, start): (f64, f64, f64, f64, f64, f64, f64)| Hinge {
            offset: DVec3::new(x, y, z),
            alpha,
            range: [min, max],
            start,
        };
        let rows = match self {
            // Denavit-Hartenberg parameters (Craig's convention) and joint limits from the manufacturer's "Robot and interface
            // specifications". The start pose is the "ready" pose of the manufacturer's examples. The y and z coordinates of an offset are
            // −d sin α and d cos α.
            Self::Panda => &[
                (0.0, 0.0, 0.333, 0.0, -2.8973, 2.8973, 0.0),
                (0.0, 0.0, 0.0, -FRAC_PI_2, -1.7628, 1.7628, -FRAC_PI_4),
                (0.0, -0.316, 0.0, FRAC_PI_2, -2.8973, 2.8973, 0.0),
                (0.0825, 0.0, 0.0, FRAC_PI_2, -3.0718, -0.0698, -3.0 * FRAC_PI_4),
                (-0.0825, 0.384, 0.0, -FRAC_PI_2, -2.8973, 2.8973, 0.0),
                (0.0, 0.0, 0.0, FRAC_PI_2, -0.0175, 3.7525, FRAC_PI_2),
                (0.088, 0.0, 0.0, FRAC_PI_2, -2.8973, 2.8973, FRAC_PI_4),
            ][..],
            // Denavit-Hartenberg parameters (the classic convention) from the manufacturer. The real joints rotate by ±360°; here every
            // joint rotates by ±180°, because a rotation does not count revolutions.
            Self::Ur5 => &[
                (0.0, 0.0, 0.0, 0.0, -PI, PI, 0.0),
                (0.0, 0.0, 0.089_159, FRAC_PI_2, -PI, PI, -FRAC_PI_2),
                (-0.425, 0.0, 0.0, 0.0, -PI, PI, FRAC_PI_2),
                (-0.392_25, 0.0, 0.0, 0.0, -PI, PI, -FRAC_PI_2),
                (0.0, 0.0, 0.109_15, FRAC_PI_2, -PI, PI, -FRAC_PI_2),
                (0.0, 0.0, 0.094_65, -FRAC_PI_2, -PI, PI, 0.0),
            ][..],
            // Distances between the axes, and limits in degrees, from the manufacturer's data sheet of the LBR iiwa 14 R820.
            Self::Iiwa => &[
                (0.0, 0.0, 0.36, 0.0, -170.0 * DEGREE, 170.0 * DEGREE, 0.0),
                (0.0, 0.0, 0.0, -FRAC_PI_2, -120.0 * DEGREE, 120.0 * DEGREE, FRAC_PI_4),
                (0.0, -0.42, 0.0, FRAC_PI_2, -170.0 * DEGREE, 170.0 * DEGREE, 0.0),
                (0.0, 0.0, 0.0, FRAC_PI_2, -120.0 * DEGREE, 120.0 * DEGREE, -FRAC_PI_2),
                (0.0, 0.4, 0.0, -FRAC_PI_2, -170.0 * DEGREE, 170.0 * DEGREE, 0.0),
                (0.0, 0.0, 0.0, -FRAC_PI_2, -120.0 * DEGREE, 120.0 * DEGREE, FRAC_PI_4),
                (0.0, 0.0, 0.0, FRAC_PI_2, -175.0 * DEGREE, 175.0 * DEGREE, 0.0),
            ][..],
            // The dimensions of the Panda, with the limits from the manufacturer's data sheet of the FR3.
            Self::Fr3 => &[
                (0.0, 0.0, 0.333, 0.0, -2.7437, 2.7437, 0.0),
                (0.0, 0.0, 0.0, -FRAC_PI_2, -1.7837, 1.7837, -FRAC_PI_4),
                (0.0, -0.316, 0.0, FRAC_PI_2, -2.9007, 2.9007, 0.0),
                (0.0825, 0.0, 0.0, FRAC_PI_2, -3.0421, -0.1518, -3.0 * FRAC_PI_4),
                (-0.0825, 0.384, 0.0, -FRAC_PI_2, -2.8065, 2.8065, 0.0),
                (0.0, 0.0, 0.0, FRAC_PI_2, 0.5445, 4.5169, FRAC_PI_2),
                (0.088, 0.0, 0.0, FRAC_PI_2, -3.0159, 3.0159, FRAC_PI_4),
            ][..],
        };
        rows.iter().copied().map(hinge).collect()
    }

    /// Returns the position of the flange in metres, in the last joint's frame after that joint's rotation.
    fn flange(self) -> DVec3 {
        match self {
            Self::Panda | Self::Fr3 => DVec3::Z * 0.107,
            Self::Ur5 => DVec3::Z * 0.0823,
            Self::Iiwa => DVec3::Z * 0.126,
        }
    }

    /// Returns the arm in its start pose. The last link is the flange.
    fn body(self) -> Result<Body, SolveError> {
        let hinges = self.hinges();
        let link = |(i, h): (usize, &Hinge)| {
            Link::base()
                .with_parent(i.checked_sub(1).map(LinkIndex))
                .with_offset(h.offset)
                .with_rest(DQuat::from_rotation_x(h.alpha))
                .with_limit(Limit::Hinge { axis: DVec3::Z, min: h.range[0], max: h.range[1] })
        };
        let mut links: Vec<Link> = hinges.iter().enumerate().map(link).collect();
        // The flange is bolted to the last joint. Without the limit, it would be a ball joint that the robot does not have.
        links.push(Link::child(LinkIndex(hinges.len() - 1), self.flange()).with_limit(Limit::Locked));
        let mut body = Body::new(links, DAffine3::IDENTITY)?;
        for (i, h) in hinges.iter().enumerate() {
            body.set_rotation(
                LinkIndex(i),
                DQuat::from_rotation_x(h.alpha) * DQuat::from_rotation_z(h.start),
            );
        }
        Ok(body)
    }

    /// Returns the arm, and the poses of its flange at random joint angles within the limits.
    pub fn cases(self, count: usize, seed: u64) -> Result<Cases, SolveError> {
        let body = self.body()?;
        let end = body.links().len() - 1;
        let (mut posed, mut random) = (body.clone(), Random(seed));
        let mut goal = |_| {
            pose_randomly(&mut posed, &mut random);
            let position = posed.world_from_link(LinkIndex(end)).map_or(DVec3::ZERO, |m| m.translation);
            Goal::pose(LinkIndex(end), position, posed.orientation(LinkIndex(end)).unwrap_or(DQuat::IDENTITY))
        };
        let goals = (0..count).map(&mut goal).collect();
        let reach = body.links().iter().map(|l| l.offset.length()).sum();
        Ok(Cases { name: self.name().into(), joints: end, limits: true, body, goals, warm: false, reach })
    }
}
