//! Rotates everything in a scene, as on a turntable. The floor, the light and the camera stay in place.

use glam::{Affine3A, Quat, Vec3};

use crate::Frame;

/// Returns the rotation by an angle in radians about the vertical axis through a point.
pub fn turn_about(center: Vec3, angle: f32) -> Affine3A {
    let axis = center.with_y(0.0);
    let turn = Affine3A::from_quat(Quat::from_rotation_y(angle));
    Affine3A::from_translation(axis) * turn * Affine3A::from_translation(-axis)
}

/// Rotates the instances, ghosts, lines and fills of a frame. Crowds and the floor stay in place.
pub fn turn_frame(frame: &mut Frame<'_>, turn: &Affine3A) {
    for instance in frame.instances.iter_mut().chain(&mut frame.ghosts) {
        instance.place = *turn * instance.place;
    }
    for line in &mut frame.lines {
        (line.start, line.end) = (turn.transform_point3(line.start), turn.transform_point3(line.end));
    }
    for fill in &mut frame.fills {
        fill.corners = fill.corners.map(|corner| turn.transform_point3(corner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_stays_and_the_front_turns_to_the_left_side() {
        let turn = turn_about(Vec3::new(1.0, 5.0, 2.0), std::f32::consts::FRAC_PI_2);
        for height in [-1.0, 0.0, 3.0] {
            let axis = Vec3::new(1.0, height, 2.0);
            assert!(turn.transform_point3(axis).distance(axis) < 1e-6);
        }
        assert!(turn.transform_point3(Vec3::new(1.0, 0.0, 3.0)).distance(Vec3::new(2.0, 0.0, 2.0)) < 1e-6);
    }
}
