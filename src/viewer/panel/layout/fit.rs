//! Fits an arrangement into the window: panes keep their sizes, and the scene takes the rest.

use egui::Vec2;
use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tree};

use super::{Folded, Pane, SIDE, TIMELINE};

/// Minimum width and height of the scene in points. Panes fold if the scene would otherwise be smaller.
const MIN_SCENE: Vec2 = Vec2::new(280.0, 180.0);
/// Space between tiles in points.
pub(super) const GAP: f32 = 1.0;
/// A share below this value is not a size in points, but the default share of a newly dropped tile.
const NEW_SHARE: f32 = 16.0;

/// Sets the sizes of all tiles for the available space in points, and hides tiles that are folded or do not fit. Returns the hidden tiles
/// and the panes that do not fit.
pub(super) fn fit(tree: &mut Tree<Pane>, space: Vec2, folded: Folded) -> (Vec<TileId>, Folded) {
    let path = path_to_scene(tree);
    let (mut hidden, mut unfit) = (Vec::new(), Folded::default());
    let mut left = space;
    for pair in path.windows(2) {
        let &[id, towards_scene] = pair else { continue };
        let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(id) else { continue };
        let (axis, is_folded, lacks_space) = match linear.dir {
            LinearDir::Horizontal => (0, folded.beside, &mut unfit.beside),
            LinearDir::Vertical => (1, folded.below, &mut unfit.below),
        };
        let rest = set_sizes(linear, towards_scene, left[axis]);
        *lacks_space |= !is_folded && rest < MIN_SCENE[axis];
        if is_folded || rest < MIN_SCENE[axis] {
            hidden.extend(linear.children.iter().filter(|child| **child != towards_scene));
        } else {
            left[axis] = rest;
        }
    }
    hidden.iter().for_each(|tile| tree.set_visible(*tile, false));
    (hidden, unfit)
}

/// Gives the remaining space to the child that is the scene or contains it, and returns that space.
fn set_sizes(linear: &mut Linear, towards_scene: TileId, space: f32) -> f32 {
    let (fallback, least) = match linear.dir {
        LinearDir::Horizontal => (SIDE, MIN_SCENE.x),
        LinearDir::Vertical => (TIMELINE, MIN_SCENE.y),
    };
    let mut rest = space;
    let others: Vec<TileId> =
        linear.children.iter().copied().filter(|child| *child != towards_scene).collect();
    for &child in &others {
        let size = linear.shares[child];
        let size = if size.is_finite() && size > NEW_SHARE { size } else { fallback };
        linear.shares.set_share(child, size);
        rest -= size + GAP;
    }
    // Large panes, perhaps from a larger window, shrink before they fold.
    for &child in &others {
        let size = linear.shares[child];
        let by = (least - rest).clamp(0.0, (size - fallback).max(0.0));
        linear.shares.set_share(child, size - by);
        rest += by;
    }
    linear.shares.set_share(towards_scene, rest.max(NEW_SHARE + 1.0));
    rest
}

/// Returns the tiles from the root to the scene.
fn path_to_scene(tree: &Tree<Pane>) -> Vec<TileId> {
    let mut path: Vec<TileId> = tree.tiles.find_pane(&Pane::Scene).into_iter().collect();
    while let Some(parent) = path.last().and_then(|&tile| tree.tiles.parent_of(tile)) {
        path.push(parent);
    }
    path.reverse();
    path
}

/// Returns whether the scene is not one of several tabs.
pub(super) fn is_scene_alone(tree: &Tree<Pane>) -> bool {
    let parent = tree.tiles.find_pane(&Pane::Scene).and_then(|scene| tree.tiles.parent_of(scene));
    match parent.and_then(|parent| tree.tiles.get(parent)) {
        Some(Tile::Container(Container::Tabs(tabs))) => tabs.children.len() == 1,
        Some(Tile::Container(Container::Linear(_))) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Face, LAB_SIDE, Layout};
    use super::*;

    #[test]
    fn strips_along_borders_belong_to_the_panes() {
        let rect = |x: f32, y: f32, width: f32, height: f32| {
            egui::Rect::from_min_size(egui::pos2(x, y), Vec2::new(width, height))
        };
        let mut layout = Layout { space: rect(0.0, 36.0, 1280.0, 764.0), ..Layout::default() };
        layout.scene = rect(0.0, 36.0, 967.0, 573.0);
        assert_eq!(layout.scene_inside_borders(8.0), rect(0.0, 36.0, 959.0, 565.0));
        // If no panes surround the scene, all of it receives the pointer.
        layout.scene = layout.space;
        assert_eq!(layout.scene_inside_borders(8.0), layout.space);
    }

    /// Returns the width and height that remain for the scene.
    fn scene_size(tree: &Tree<Pane>) -> Vec2 {
        let mut size = Vec2::ZERO;
        for pair in path_to_scene(tree).windows(2) {
            let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get(pair[0]) else { continue };
            let axis = usize::from(linear.dir == LinearDir::Vertical);
            size[axis] = linear.shares[pair[1]];
        }
        size
    }

    #[test]
    fn scene_takes_what_a_resize_gives_or_takes() {
        for face in [Face::Pose, Face::Lab] {
            let mut layout = Layout { face, ..Layout::default() };
            let tree = layout.tree_mut();
            for window in [Vec2::new(1280.0, 764.0), Vec2::new(1024.0, 664.0), Vec2::new(2560.0, 1400.0)] {
                assert!(fit(tree, window, Folded::default()).0.is_empty(), "{face:?} {window}");
                let side = if face == Face::Lab { LAB_SIDE } else { SIDE };
                assert_eq!(scene_size(tree), window - Vec2::new(side, TIMELINE) - Vec2::splat(GAP));
            }
        }
    }

    /// Regression: panes vanished under the pointer and stayed hidden when the user made them so large that the scene fell below its
    /// minimum size.
    #[test]
    fn large_panes_become_smaller_before_they_fold() {
        let mut tree = Face::Pose.default_tree();
        let root = tree.root.unwrap();
        let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(root) else {
            panic!("no row")
        };
        let side = linear.children[1];
        linear.shares.set_share(side, 1100.0);
        assert!(fit(&mut tree, Vec2::new(1280.0, 764.0), Folded::default()).0.is_empty());
        assert_eq!(scene_size(&tree).x, MIN_SCENE.x);
    }

    #[test]
    fn panes_fold_where_the_scene_would_be_too_small() {
        let mut tree = Face::Pose.default_tree();
        let hidden = |tree: &mut Tree<Pane>, x, y| {
            let (hidden, unfit) = fit(tree, Vec2::new(x, y), Folded::default());
            assert_eq!(!hidden.is_empty(), unfit != Folded::default());
            hidden.iter().for_each(|tile| tree.set_visible(*tile, true));
            hidden.len()
        };
        assert_eq!(hidden(&mut tree, 320.0, 240.0), 2);
        assert_eq!(hidden(&mut tree, 1280.0, 300.0), 1);
        assert_eq!(hidden(&mut tree, 500.0, 800.0), 1);
        // The panes reappear with their previous sizes.
        assert_eq!(hidden(&mut tree, 1280.0, 764.0), 0);
        assert_eq!(scene_size(&tree), Vec2::new(1280.0 - SIDE, 764.0 - TIMELINE) - Vec2::splat(GAP));
    }
}
