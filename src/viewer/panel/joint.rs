//! The selected joint: what it is, how far it may turn, what its rings do.

use std::f64::consts::PI;

use egui::{Button, ComboBox, DragValue, RichText, Ui};
use glam::{DVec3, EulerRot};

use crate::ik::{Limit, round_cone};
use crate::printable;

use super::super::gizmo::{across, bone};
use super::super::{Command, Session, Turning};
use super::{Look, Wish, heading, name, node_name, theme};

/// Kinds of limits.
const KINDS: [&str; 5] = ["free", "locked", "hinge", "cone", "three angles"];

/// The selected joint.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look, asked: &mut Vec<Command>) {
    heading(ui, "Joint");
    let Some(node) = session.selected else {
        ui.label(RichText::new("Click a joint to turn it and to see its limit.").color(theme::quiet(ui)));
        return save(ui, session, look);
    };
    let rig = &session.puppet.rig;
    ui.horizontal(|ui| {
        ui.label(RichText::new(node_name(session, node)).strong());
        if let Some(chain) = rig.chains.iter().find(|c| c.joints.contains(&node)) {
            ui.label(RichText::new(name(&chain.name)).color(theme::quiet(ui)));
        }
    });
    let limit = rig.joint(node).limit;
    let mut kind = kind_of(&limit);
    ui.horizontal(|ui| {
        let title = ui.label("limit");
        let kinds = ComboBox::from_id_salt("limit").selected_text(KINDS[kind]).show_ui(ui, |ui| {
            for (i, name) in KINDS.into_iter().enumerate() {
                ui.selectable_value(&mut kind, i, name);
            }
        });
        kinds.response.labelled_by(title.id);
    });
    if kind == kind_of(&limit) {
        let mut numbers = Numbers { asked, node, limit };
        numbers.show(ui);
    } else {
        let limit = converted(&limit, kind, bone(&session.puppet, node));
        asked.extend([Command::Limit(node, limit), Command::Release]);
    }
    let Turning { mut alone, mut world } = session.turning;
    ui.horizontal(|ui| {
        if rig.chain(node).is_some_and(|c| c.base != node) {
            ui.checkbox(&mut alone, "turn alone").on_hover_text("E: rings turn this joint and no other");
        }
        ui.checkbox(&mut world, "world axes").on_hover_text("rings about the world's axes");
    });
    if (Turning { alone, world }) != session.turning {
        asked.push(Command::Turning(Turning { alone, world }));
    }
    save(ui, session, look);
}

/// The rig's file: a mark where it is behind, and a question where something would be replaced.
fn save(ui: &mut Ui, session: &Session, look: &mut Look) {
    // A question about another character's file is none any more.
    let own = session.file().map(|file| file.with_extension("rig.toml"));
    look.replace = look.replace.take().filter(|path| own.as_ref() == Some(path));
    if let Some(path) = look.replace.clone() {
        ui.label(
            RichText::new(printable::line(&format!("{} is there already. Replace it?", path.display())))
                .color(theme::accent(ui)),
        );
        ui.horizontal(|ui| {
            if ui.button("Replace").clicked() {
                (look.wish, look.replace) = (Some(Wish::Rig(true)), None);
            }
            if ui.button("Keep").clicked() {
                look.replace = None;
            }
        });
        return;
    }
    let changed = session.is_rig_changed();
    ui.horizontal(|ui| {
        let button = Button::new("Save rig");
        let hint = "limits and poles, into the .rig.toml beside the model; its comments stay";
        if ui.add_enabled(changed, button).on_hover_text(hint).clicked() {
            look.wish = Some(Wish::Rig(false));
        }
        if changed {
            ui.label(RichText::new("not saved").small().color(theme::accent(ui)));
        }
    });
}

fn kind_of(limit: &Limit) -> usize {
    match limit {
        Limit::Free => 0,
        Limit::Locked => 1,
        Limit::Hinge { .. } => 2,
        Limit::Cone { .. } => 3,
        Limit::Euler { .. } => 4,
    }
}

/// A limit of another kind, about the same axes where it has some. `bone`: unit vector in the joint's frame.
fn converted(limit: &Limit, kind: usize, bone: DVec3) -> Limit {
    let wide = [-PI / 4.0; 3];
    match kind {
        1 => Limit::Locked,
        2 => {
            let axis = match *limit {
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
        4 => Limit::Euler { order: EulerRot::YXZ, min: wide, max: wide.map(|a| -a) },
        _ => Limit::Free,
    }
}

/// The numbers of a limit, in degrees.
struct Numbers<'a> {
    asked: &'a mut Vec<Command>,
    node: usize,
    limit: Limit,
}

impl Numbers<'_> {
    fn show(&mut self, ui: &mut Ui) {
        match self.limit {
            Limit::Free | Limit::Locked => {}
            Limit::Hinge { axis, min, max } => {
                self.range(ui, "angle", [min, max], 360.0, |[min, max]| Limit::Hinge { axis, min, max });
                self.axis(ui, axis, |axis| Limit::Hinge { axis, min, max });
            }
            Limit::Cone { axis, side, swing, twist } => {
                self.row(ui, "swing", swing, [0.0..=180.0, 0.0..=180.0], |swing| Limit::Cone {
                    axis,
                    side,
                    swing,
                    twist,
                });
                self.range(ui, "twist", twist, 180.0, |twist| Limit::Cone { axis, side, swing, twist });
            }
            Limit::Euler { order, min, max } => {
                for (i, letter) in format!("{order:?}").to_lowercase().chars().take(3).enumerate() {
                    let most = if i == 1 { 90.0 } else { 180.0 };
                    self.range(ui, &letter.to_string(), [min[i], max[i]], most, |ends| {
                        let (mut min, mut max) = (min, max);
                        [min[i], max[i]] = ends;
                        Limit::Euler { order, min, max }
                    });
                }
            }
        }
    }

    /// Least and greatest angle.
    fn range(
        &mut self,
        ui: &mut Ui,
        name: &str,
        ends: [f64; 2],
        most: f64,
        with: impl Fn([f64; 2]) -> Limit,
    ) {
        let [min, max] = ends.map(f64::to_degrees);
        self.row(ui, name, ends, [-most.max(-min)..=max, min..=most.max(max)], with);
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
                self.ask(&number, with(values));
            }
        });
    }

    fn axis(&mut self, ui: &mut Ui, axis: DVec3, with: impl Fn(DVec3) -> Limit) {
        ui.horizontal(|ui| {
            let title = ui.add_sized([44.0, ui.spacing().interact_size.y], egui::Label::new("axis"));
            let mut wanted = axis.to_array();
            for i in 0..3 {
                let number = DragValue::new(&mut wanted[i]).speed(0.01).range(-1.0..=1.0).max_decimals(2);
                let number = ui.add(number.clamp_existing_to_range(false)).labelled_by(title.id);
                let unit = DVec3::from_array(wanted).try_normalize().unwrap_or(axis);
                self.ask(&number, with(unit));
            }
        });
    }

    /// A number that is dragged is one change from where it began to where it ends.
    fn ask(&mut self, number: &egui::Response, limit: Limit) {
        if number.changed() {
            self.asked.push(Command::Limit(self.node, limit));
            if !number.dragged() {
                self.asked.push(Command::Release);
            }
        } else if number.drag_stopped() {
            self.asked.push(Command::Release);
        }
    }
}
