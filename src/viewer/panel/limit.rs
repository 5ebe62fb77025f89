//! The limit of the selected joint.

use std::f64::consts::PI;

use egui::{ComboBox, DragValue, Ui};
use glam::{DVec3, EulerRot};

use crate::ik::{Limit, round_cone};
use crate::session::gizmo::{across, bone};
use crate::{Command, Session};

use super::heading;

/// Names of the limit kinds.
const KINDS: [&str; 6] = ["Free", "Locked", "Hinge", "Cone", "Euler angles", "Prismatic"];
/// Initial range of a prismatic joint, in metres.
const STROKE: f64 = 0.1;

pub(super) fn show(ui: &mut Ui, session: &Session, node: usize, commands: &mut Vec<Command>) {
    heading(ui, "Limit");
    let rig = &session.puppet.rig;
    let limit = rig.joint(node).limit;
    let mut kind = kind_of(&limit);
    ui.horizontal(|ui| {
        let title = ui.label("Limit");
        let kinds = ComboBox::from_id_salt("limit").selected_text(KINDS[kind]).show_ui(ui, |ui| {
            for (i, name) in KINDS.into_iter().enumerate() {
                ui.selectable_value(&mut kind, i, name);
            }
        });
        kinds.response.labelled_by(title.id);
        let mut shown = session.document.settings.show_limits;
        if limit.is_limited_ball()
            && ui
                .checkbox(&mut shown, "Show")
                .on_hover_text("Show the limits of ball joints in the scene")
                .changed()
        {
            commands.push(Command::ShowLimits(shown));
        }
    });
    if kind == kind_of(&limit) {
        let mut fields = LimitFields { commands, node, limit };
        fields.show(ui);
    } else {
        let limit = converted(&limit, kind, bone(&session.puppet, node));
        commands.extend([Command::Limit(node, limit), Command::Release]);
    }
}

fn kind_of(limit: &Limit) -> usize {
    match limit {
        Limit::Free => 0,
        Limit::Locked => 1,
        Limit::Hinge { .. } => 2,
        Limit::Cone { .. } => 3,
        Limit::Euler { .. } => 4,
        Limit::Prismatic { .. } => 5,
    }
}

/// Converts a limit to another kind, keeping its axis where both kinds have one. `bone` is a unit vector in the
/// joint's frame.
fn converted(limit: &Limit, kind: usize, bone: DVec3) -> Limit {
    let min = [-PI / 4.0; 3];
    match kind {
        1 => Limit::Locked,
        2 => {
            let axis = match *limit {
                Limit::Prismatic { axis, .. } => axis,
                Limit::Cone { side, .. } => side,
                _ => across(DVec3::X, bone),
            };
            Limit::Hinge { axis, min: -PI / 4.0, max: PI / 4.0 }
        }
        3 => match *limit {
            Limit::Hinge { axis, .. } if axis.dot(bone).abs() < 0.9 => {
                let (twist, side) = (bone, across(axis, bone));
                Limit::Cone { axis: twist, side, swing: [PI / 4.0; 2], twist: [-PI / 4.0, PI / 4.0] }
            }
            _ => round_cone(bone, PI / 4.0, [-PI / 4.0, PI / 4.0]),
        },
        5 => {
            let axis = if let Limit::Hinge { axis, .. } = *limit { axis } else { bone };
            Limit::Prismatic { axis, min: 0.0, max: STROKE }
        }
        4 => Limit::Euler { order: EulerRot::YXZ, min, max: min.map(|a| -a) },
        _ => Limit::Free,
    }
}

/// Editable fields of a limit: axes, angles in degrees and displacements in metres.
struct LimitFields<'a> {
    commands: &'a mut Vec<Command>,
    node: usize,
    limit: Limit,
}

impl LimitFields<'_> {
    fn show(&mut self, ui: &mut Ui) {
        match self.limit {
            Limit::Free | Limit::Locked => {}
            Limit::Hinge { axis, min, max } => {
                self.range(ui, "Angle", [min, max], 360.0, |[min, max]| Limit::Hinge { axis, min, max });
                self.axis(ui, axis, |axis| Limit::Hinge { axis, min, max });
            }
            Limit::Prismatic { axis, min, max } => {
                self.stroke(ui, [min, max], |[min, max]| Limit::Prismatic { axis, min, max });
                self.axis(ui, axis, |axis| Limit::Prismatic { axis, min, max });
            }
            Limit::Cone { axis, side, swing, twist } => {
                self.row(ui, "Swing", swing, [0.0..=180.0, 0.0..=180.0], |swing| Limit::Cone {
                    axis,
                    side,
                    swing,
                    twist,
                });
                self.range(ui, "Twist", twist, 180.0, |twist| Limit::Cone { axis, side, swing, twist });
            }
            Limit::Euler { order, min, max } => {
                for (i, letter) in format!("{order:?}").chars().take(3).enumerate() {
                    let max_degrees = if i == 1 { 90.0 } else { 180.0 };
                    self.range(ui, &letter.to_string(), [min[i], max[i]], max_degrees, |ends| {
                        let (mut min, mut max) = (min, max);
                        [min[i], max[i]] = ends;
                        Limit::Euler { order, min, max }
                    });
                }
            }
        }
    }

    /// Shows a row for the minimum and the maximum angle.
    fn range(
        &mut self,
        ui: &mut Ui,
        name: &str,
        ends: [f64; 2],
        max_degrees: f64,
        with: impl Fn([f64; 2]) -> Limit,
    ) {
        let [min, max] = ends.map(f64::to_degrees);
        self.row(ui, name, ends, [-max_degrees.max(-min)..=max, min..=max_degrees.max(max)], with);
    }

    /// Shows a row for the minimum and the maximum displacement.
    fn stroke(&mut self, ui: &mut Ui, ends: [f64; 2], with: impl Fn([f64; 2]) -> Limit) {
        let ranges = [f64::NEG_INFINITY..=ends[1], ends[0]..=f64::INFINITY];
        ui.horizontal(|ui| {
            let title = ui.add_sized([44.0, ui.spacing().interact_size.y], egui::Label::new("Stroke"));
            let mut ends = ends;
            for (i, range) in ranges.into_iter().enumerate() {
                let number =
                    DragValue::new(&mut ends[i]).range(range).speed(0.002).suffix(" m").max_decimals(3);
                let number = ui.add(number.clamp_existing_to_range(false)).labelled_by(title.id);
                self.push_edit(&number, with(ends));
            }
        });
    }

    fn row(
        &mut self,
        ui: &mut Ui,
        name: &str,
        values: [f64; 2],
        ranges: [std::ops::RangeInclusive<f64>; 2],
        with: impl Fn([f64; 2]) -> Limit,
    ) {
        ui.horizontal(|ui| {
            let title = ui.add_sized([44.0, ui.spacing().interact_size.y], egui::Label::new(name));
            let mut values = values;
            for (i, range) in ranges.into_iter().enumerate() {
                let mut degrees = values[i].to_degrees();
                let number = DragValue::new(&mut degrees).range(range).speed(0.5).suffix("°").max_decimals(1);
                let number = ui.add(number.clamp_existing_to_range(false)).labelled_by(title.id);
                values[i] = if number.changed() { degrees.to_radians() } else { values[i] };
                self.push_edit(&number, with(values));
            }
        });
    }

    fn axis(&mut self, ui: &mut Ui, axis: DVec3, with: impl Fn(DVec3) -> Limit) {
        ui.horizontal(|ui| {
            let title = ui.add_sized([44.0, ui.spacing().interact_size.y], egui::Label::new("Axis"));
            let mut components = axis.to_array();
            for i in 0..3 {
                let number = DragValue::new(&mut components[i]).speed(0.01).range(-1.0..=1.0).max_decimals(2);
                let number = ui.add(number.clamp_existing_to_range(false)).labelled_by(title.id);
                let unit = DVec3::from_array(components).try_normalize().unwrap_or(axis);
                self.push_edit(&number, with(unit));
            }
        });
    }

    /// Issues the command for a changed number. A whole drag is one undo step.
    fn push_edit(&mut self, number: &egui::Response, limit: Limit) {
        if number.changed() {
            self.commands.push(Command::Limit(self.node, limit));
            if !number.dragged() {
                self.commands.push(Command::Release);
            }
        } else if number.drag_stopped() {
            self.commands.push(Command::Release);
        }
    }
}
