//! The rotation and position of the selected joint as numbers.

use egui::{DragValue, Id, Response, RichText, Ui};
use glam::{DVec3, EulerRot, Quat, Vec3};

use crate::pose::world_matrix;
use crate::{Command, NodePoint, Session};

use super::{is_finished, theme};

/// Degrees per point when dragging a number.
const SPEED: f64 = 0.5;
/// Width of a number in points.
const NUMBER: f32 = 64.0;
/// Shown instead of an angle that differs between the selected joints by more than `SAME_ANGLE` degrees.
const DIFFERENT: &str = "–";
const SAME_ANGLE: f64 = 0.05;
/// Maximum difference between positions shown as equal, in metres.
const SAME_POSITION: f32 = 5e-4;

/// The angles that were shown for a rotation. They are kept while the rotation is unchanged, because several triples of angles describe the
/// same rotation.
#[derive(Clone, Copy)]
struct Shown {
    rotation: Quat,
    degrees: [f64; 3],
}

/// Shows the rotation and the position. If `world` is set, both refer to the world's axes. Otherwise they refer to the frame of the joint's
/// parent.
pub(super) fn show(ui: &mut Ui, session: &Session, node: usize, world: bool, commands: &mut Vec<Command>) {
    rotation(ui, session, node, world, commands);
    position(ui, session, node, world, commands);
}

/// Shows the rotation from the rest pose in degrees. If several joints are selected, a change rotates all of them equally about their own
/// axes.
fn rotation(ui: &mut Ui, session: &Session, node: usize, world: bool, commands: &mut Vec<Command>) {
    let Some(frames) = Frames::of(session, node) else { return };
    let others = Others::of(session, node, world);
    let before = shown_angles(ui, node, &frames, world);
    let mut degrees = before;
    let differs = others.differ_from(ui, before);
    let numbers = row(ui, "Rotation", &mut degrees, |axis, number| {
        let number = number.speed(SPEED).max_decimals(1);
        let is_same = !differs.get(axis).copied().unwrap_or_default();
        mark(if is_same { number.suffix("°") } else { number }, !is_same)
    });
    if numbers.iter().any(Response::changed) {
        let mut turns = vec![(node, set_angles(ui, node, &frames, world, degrees))];
        for (other, frames) in &others.joints {
            let own = shown_angles(ui, *other, frames, world);
            let mut turned = own;
            for ((angle, from), to) in turned.iter_mut().zip(before).zip(degrees) {
                *angle += to - from;
            }
            turns.push((*other, set_angles(ui, *other, frames, world, turned)));
        }
        commands.push(match turns[..] {
            [(node, rotation)] => Command::Turn(node, rotation),
            _ => Command::TurnJoints(turns),
        });
    }
    commands.extend(numbers.iter().any(is_finished).then_some(Command::Release));
}

/// Returns the angles shown for a joint in degrees.
fn shown_angles(ui: &Ui, node: usize, frames: &Frames, world: bool) -> [f64; 3] {
    let turned = frames.turned(world);
    let kept = ui
        .data(|data| data.get_temp::<Shown>(angles_id(node, world)))
        .filter(|kept| kept.rotation.dot(turned).abs() > 1.0 - 1e-6);
    kept.map_or_else(|| angles(turned), |kept| kept.degrees)
}

/// Returns a joint's local rotation for angles in degrees, and stores these angles as the shown ones.
fn set_angles(ui: &Ui, node: usize, frames: &Frames, world: bool, degrees: [f64; 3]) -> Quat {
    let [x, y, z] = degrees.map(f64::to_radians);
    #[expect(clippy::cast_possible_truncation, reason = "angles")]
    let rotation = Quat::from_euler(EulerRot::XYZ, x as f32, y as f32, z as f32);
    ui.data_mut(|data| data.insert_temp(angles_id(node, world), Shown { rotation, degrees }));
    frames.local(rotation, world)
}

fn angles_id(node: usize, world: bool) -> Id {
    Id::unique(("turned", node, world))
}

/// The selected joints besides the active one.
struct Others {
    joints: Vec<(usize, Frames)>,
    world: bool,
}

impl Others {
    fn of(session: &Session, active: usize, world: bool) -> Self {
        let selection = session.selection().into_iter().filter(|&node| node != active);
        let joints = selection.filter_map(|node| Some((node, Frames::of(session, node)?)));
        Self { joints: joints.collect(), world }
    }

    /// For each axis, returns whether the angle of any of these joints differs from the active joint's angle.
    fn differ_from(&self, ui: &Ui, active: [f64; 3]) -> [bool; 3] {
        let mut differs = [false; 3];
        for (node, frames) in &self.joints {
            let own = shown_angles(ui, *node, frames, self.world);
            for ((differs, own), active) in differs.iter_mut().zip(own).zip(active) {
                *differs |= (own - active).abs() > SAME_ANGLE;
            }
        }
        differs
    }
}

/// Shows the position in metres. A new position pulls the joint there, and moves the other selected joints by the same displacement.
fn position(ui: &mut Ui, session: &Session, node: usize, world: bool, commands: &mut Vec<Command>) {
    let Some(at) = session.position_of(node) else { return };
    let in_frame = |node: usize| match Frames::parent(session, node).filter(|_| !world) {
        Some(parent) => *parent,
        None => glam::Affine3A::IDENTITY,
    };
    let world_from_parent = in_frame(node);
    let shown = world_from_parent.inverse().transform_point3(at);
    let selection = session.selection();
    let others = selection.iter().filter(|other| **other != node);
    let others = others
        .filter_map(|&other| Some(in_frame(other).inverse().transform_point3(session.position_of(other)?)));
    let differs = others.fold([false; 3], |differs, other| {
        let away = (other - shown).abs().to_array().map(|away| away > SAME_POSITION);
        [differs[0] || away[0], differs[1] || away[1], differs[2] || away[2]]
    });
    let mut values = shown.as_dvec3().to_array();
    let numbers = row(ui, "Position", &mut values, |axis, number| {
        let number = number.speed(0.002).max_decimals(3);
        mark(number, differs.get(axis).copied().unwrap_or_default())
    });
    let to = world_from_parent.transform_point3(DVec3::from_array(values).as_vec3());
    if numbers.iter().any(Response::changed) && to.is_finite() {
        if !session.is_dragging() {
            commands.push(if selection.len() > 1 {
                Command::GrabSelection(session.hover.pointer)
            } else {
                Command::GrabNode(NodePoint { node, offset: DVec3::ZERO })
            });
        }
        commands.push(Command::DragTo(to.as_dvec3()));
    }
    commands.extend(numbers.iter().any(is_finished).then_some(Command::Release));
}

/// Replaces a number with a mark if the selected joints have different values.
fn mark(number: DragValue<'_>, differs: bool) -> DragValue<'_> {
    if differs { number.custom_formatter(|_, _| DIFFERENT.to_owned()) } else { number }
}

/// Shows a title and three numbers.
pub(super) fn row(
    ui: &mut Ui,
    title: &str,
    values: &mut [f64; 3],
    style: impl for<'a> Fn(usize, DragValue<'a>) -> DragValue<'a>,
) -> [Response; 3] {
    ui.label(RichText::new(title).color(theme::quiet(ui)));
    ui.horizontal(|ui| {
        let mut axes = ["X", "Y", "Z"].into_iter().enumerate();
        values.each_mut().map(|value| {
            let (axis, letter) = axes.next().unwrap_or_default();
            let label = ui.label(RichText::new(letter).small().color(theme::quiet(ui)));
            let size = [NUMBER, ui.spacing().interact_size.y];
            let number = ui.add_sized(size, style(axis, DragValue::new(value).update_while_editing(false)));
            number.labelled_by(label.id)
        })
    })
    .inner
}

/// Returns the angles about X, Y and Z in degrees.
fn angles(rotation: Quat) -> [f64; 3] {
    let (x, y, z) = rotation.to_euler(EulerRot::XYZ);
    // Adding zero turns -0 into 0.
    [x, y, z].map(|angle| f64::from(angle).to_degrees() + 0.0)
}

/// The orientation of a joint's parent, and the joint's rest and current rotations in the parent's frame, before
/// constraints, eyes and springs change them.
struct Frames {
    world_from_parent: Quat,
    rest: Quat,
    local: Quat,
}

impl Frames {
    fn of(session: &Session, node: usize) -> Option<Self> {
        let (skeleton, pose) = (&session.puppet.character().skeleton, session.puppet.primary_pose());
        let joint = skeleton.nodes.get(node)?;
        let (rest, local) = (joint.rest.rotation, pose.locals.get(node)?.rotation);
        let parent = joint.parent.map(|parent| world_matrix(skeleton, pose, parent));
        let world_from_parent = parent.map_or(Quat::IDENTITY, |parent| {
            let axes = [parent.matrix3.x_axis, parent.matrix3.y_axis]
                .map(|axis| Vec3::from(axis).normalize_or_zero());
            let z = axes[0].cross(axes[1]).normalize_or(Vec3::Z);
            Quat::from_mat3(&glam::Mat3::from_cols(axes[0], z.cross(axes[0]), z)).normalize()
        });
        world_from_parent.is_finite().then_some(Self { world_from_parent, rest, local })
    }

    /// Returns the displayed frame of a joint's parent.
    fn parent(session: &Session, node: usize) -> Option<&glam::Affine3A> {
        let parent = session.puppet.character().skeleton.nodes.get(node)?.parent?;
        session.puppet.world_from_node().get(parent)
    }

    /// Returns the rotation from the rest pose, about the axes of the world or of the joint in its rest pose.
    fn turned(&self, world: bool) -> Quat {
        if world {
            let turned = self.local * self.rest.conjugate();
            (self.world_from_parent * turned * self.world_from_parent.conjugate()).normalize()
        } else {
            (self.rest.conjugate() * self.local).normalize()
        }
    }

    /// Converts a rotation from the rest pose to the joint's local rotation. This is the inverse of [`Self::turned`].
    fn local(&self, from_rest: Quat, world: bool) -> Quat {
        if world {
            self.world_from_parent.conjugate() * from_rest * self.world_from_parent * self.rest
        } else {
            self.rest * from_rest
        }
    }
}
