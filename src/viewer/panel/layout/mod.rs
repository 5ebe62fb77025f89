//! The window's layout: the scene, and the panes docked around it.
//!
//! Each face has its own arrangement. The user changes it by dragging tabs and borders, and the settings file stores it. Sizes are in
//! points. Resizing the window resizes the scene; the panes keep their sizes.

use egui::{Rect, Ui};
use egui_tiles::{Linear, LinearDir, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

use crate::{Command, Session};

use super::PanelState;

mod dock;
mod fit;
mod stored;

pub(crate) use stored::StoredLayout;

/// Widths of the panes beside the scene in points.
const SIDE: f32 = 312.0;
const LAB_SIDE: f32 = 352.0;
/// Height of the timeline in points.
const TIMELINE: f32 = 190.0;
/// Default heights of the laboratory's upper and lower pane in points. Their ratio is kept when the window's height changes.
const SOLVER: f32 = 300.0;
const COMPARE: f32 = 460.0;

/// The purpose of the window. Each face has its own arrangement of panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Face {
    /// Posing and animating a character.
    #[default]
    Pose,
    /// Comparing methods and their options.
    Lab,
}

/// A part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pane {
    Scene,
    Inspector,
    Clips,
    Poses,
    Joints,
    View,
    Timeline,
    Solver,
    Compare,
}

impl Face {
    /// Returns the panes other than the scene.
    pub(super) fn panes(self) -> &'static [Pane] {
        use Pane::{Clips, Compare, Inspector, Joints, Poses, Solver, Timeline, View};
        match self {
            Self::Pose => &[Inspector, Clips, Poses, Joints, View, Timeline],
            Self::Lab => &[Solver, Inspector, Clips, Joints, View, Compare, Timeline],
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Pose => Self::Lab,
            Self::Lab => Self::Pose,
        }
    }

    /// Returns the face's default arrangement.
    fn default_tree(self) -> Tree<Pane> {
        let mut tiles = Tiles::default();
        let tabs = |tiles: &mut Tiles<Pane>, panes: &[Pane]| {
            let panes: Vec<TileId> = panes.iter().map(|pane| tiles.insert_pane(*pane)).collect();
            tiles.insert_tab_tile(panes)
        };
        let scene = tabs(&mut tiles, &[Pane::Scene]);
        let side = match self {
            Self::Pose => {
                tabs(&mut tiles, &[Pane::Inspector, Pane::Clips, Pane::Poses, Pane::Joints, Pane::View])
            }
            Self::Lab => {
                let upper = [Pane::Solver, Pane::Inspector, Pane::Clips, Pane::Joints, Pane::View];
                let upper = tabs(&mut tiles, &upper);
                let lower = tabs(&mut tiles, &[Pane::Compare]);
                linear(&mut tiles, LinearDir::Vertical, &[(upper, SOLVER), (lower, COMPARE)])
            }
        };
        let width = if self == Self::Lab { LAB_SIDE } else { SIDE };
        let timeline = tabs(&mut tiles, &[Pane::Timeline]);
        let left = linear(&mut tiles, LinearDir::Vertical, &[(scene, 3.0 * TIMELINE), (timeline, TIMELINE)]);
        let root = linear(&mut tiles, LinearDir::Horizontal, &[(left, 3.0 * SIDE), (side, width)]);
        Tree::new(self.id(), root, tiles)
    }

    fn id(self) -> egui::Id {
        egui::Id::unique(("dock", self as u8))
    }
}

/// Inserts a row or column of tiles with sizes in points.
fn linear(tiles: &mut Tiles<Pane>, dir: LinearDir, children: &[(TileId, f32)]) -> TileId {
    let mut linear = Linear::new(dir, children.iter().map(|(id, _)| *id).collect());
    children.iter().for_each(|(id, size)| linear.shares.set_share(*id, *size));
    tiles.insert_container(linear)
}

/// The arrangement of both faces.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) face: Face,
    /// Which groups of panes the user has folded.
    pub(crate) folded: Folded,
    pose: Tree<Pane>,
    lab: Tree<Pane>,
    /// The part of the window that shows the scene, in points.
    pub(crate) scene: Rect,
    /// The part of the window shared by the scene and the panes, in points.
    pub(crate) space: Rect,
    /// The groups of panes that do not fit into the window, although the user has not folded them.
    pub(crate) unfit: Folded,
}

/// Whether groups of panes, and the axis gizmo, are folded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Folded {
    /// The panes to the left and to the right of the scene.
    pub(crate) beside: bool,
    /// The panes above and below the scene, such as the timeline.
    pub(crate) below: bool,
    /// The axis gizmo in the corner of the scene.
    #[serde(default)]
    pub(crate) axes: bool,
}

impl Default for Layout {
    fn default() -> Self {
        let (pose, lab) = (Face::Pose.default_tree(), Face::Lab.default_tree());
        let (face, folded, unfit) = Default::default();
        Self { face, folded, pose, lab, scene: Rect::ZERO, space: Rect::ZERO, unfit }
    }
}

impl Layout {
    fn tree_mut(&mut self) -> &mut Tree<Pane> {
        match self.face {
            Face::Pose => &mut self.pose,
            Face::Lab => &mut self.lab,
        }
    }

    /// Restores both faces' default arrangements.
    pub(crate) fn reset(&mut self) {
        *self = Self { face: self.face, scene: self.scene, ..Self::default() };
    }

    /// Returns the part of the scene in which the pointer does not resize a pane. `grab` is the width, in points, of the strip along a
    /// pane's border in which the pointer resizes that pane.
    pub(crate) fn scene_inside_borders(&self, grab: f32) -> Rect {
        let Self { scene, space, .. } = self;
        let strip = |distance: f32| if distance.abs() > 0.5 { grab } else { 0.0 };
        Rect::from_min_max(
            scene.min + egui::vec2(strip(scene.left() - space.left()), strip(scene.top() - space.top())),
            scene.max
                - egui::vec2(strip(space.right() - scene.right()), strip(space.bottom() - scene.bottom())),
        )
    }

    /// Brings a pane to the front of its tab group.
    #[cfg(test)]
    pub(crate) fn show_pane(&mut self, wanted: Pane) {
        self.tree_mut()
            .make_active(|_, tile| matches!(tile, egui_tiles::Tile::Pane(pane) if *pane == wanted));
    }
}

/// Lays out the scene and all panes in the window's remaining space.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let (id, folded) = (panel.layout.face.id(), panel.layout.folded);
    let mut tree = std::mem::replace(panel.layout.tree_mut(), Tree::empty(id));
    let before = tree.dragged_id(ui.ctx()).map(|_| tree.clone());
    let space = ui.available_rect_before_wrap();
    let (hidden, unfit) = fit::fit(&mut tree, space.size(), folded);
    (panel.layout.space, panel.layout.unfit) = (space, unfit);
    let mut dock = dock::Dock {
        session,
        panel,
        commands,
        scene_tile: tree.tiles.find_pane(&Pane::Scene),
        lists_joints: false,
    };
    tree.ui(&mut dock, ui);
    let lists_joints = dock.lists_joints;
    if !lists_joints && session.hover.hint.is_some() {
        commands.push(Command::Highlight(None));
    }
    hidden.into_iter().for_each(|tile| tree.set_visible(tile, true));
    // A pane that is dropped onto the scene becomes a tab that hides it. This undoes such a drop.
    if let Some(before) = before.filter(|_| !fit::is_scene_alone(&tree)) {
        tree = before;
    }
    *panel.layout.tree_mut() = tree;
}
