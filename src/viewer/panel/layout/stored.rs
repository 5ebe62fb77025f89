//! Arrangements in the settings file.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

use super::{Face, Folded, Layout, Pane};

/// Maximum size of a tile in points.
const MAX_SIZE: f32 = 16_384.0;

/// A layout in the settings file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredLayout {
    face: Face,
    folded: Folded,
    pose: Option<StoredTile>,
    lab: Option<StoredTile>,
}

/// A tile with its contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredTile {
    /// A group of tabs, and the index of the tab in front.
    Tabs(Vec<Pane>, usize),
    /// Tiles from left to right, with their widths in points.
    Row(Vec<(f32, StoredTile)>),
    /// Tiles from top to bottom, with their heights in points.
    Column(Vec<(f32, StoredTile)>),
}

impl StoredTile {
    fn has_scene(&self) -> bool {
        match self {
            Self::Tabs(panes, _) => panes.contains(&Pane::Scene),
            Self::Row(children) | Self::Column(children) => {
                children.iter().any(|(_, child)| child.has_scene())
            }
        }
    }
}

impl StoredLayout {
    /// Returns the stored form of a layout.
    pub(crate) fn of(layout: &Layout) -> Self {
        let store = |tree: &Tree<Pane>| tree.root.and_then(|root| store(&tree.tiles, root));
        Self { face: layout.face, folded: layout.folded, pose: store(&layout.pose), lab: store(&layout.lab) }
    }

    /// Returns the layout. An arrangement that is invalid, for example because a pane is missing, is replaced by the default.
    pub(crate) fn layout(&self) -> Layout {
        let tree = |face: Face, stored: &Option<StoredTile>| {
            stored.as_ref().and_then(|stored| restore(face, stored)).unwrap_or_else(|| face.default_tree())
        };
        Layout {
            face: self.face,
            folded: self.folded,
            pose: tree(Face::Pose, &self.pose),
            lab: tree(Face::Lab, &self.lab),
            ..Layout::default()
        }
    }
}

fn store(tiles: &Tiles<Pane>, id: TileId) -> Option<StoredTile> {
    let container = match tiles.get(id)? {
        Tile::Pane(pane) => return Some(StoredTile::Tabs(vec![*pane], 0)),
        Tile::Container(container) => container,
    };
    match container {
        Container::Tabs(tabs) => {
            let panes = tabs.children.iter().filter_map(|child| tiles.get_pane(child).copied()).collect();
            let active = tabs.children.iter().position(|child| Some(*child) == tabs.active);
            Some(StoredTile::Tabs(panes, active.unwrap_or(0)))
        }
        Container::Linear(linear) => {
            // The scene tile's size depends on the window.
            let child = |&id: &TileId| {
                let tile = store(tiles, id)?;
                Some((if tile.has_scene() { 0.0 } else { linear.shares[id].round() }, tile))
            };
            let children = linear.children.iter().map(child).collect::<Option<_>>()?;
            Some(match linear.dir {
                LinearDir::Horizontal => StoredTile::Row(children),
                LinearDir::Vertical => StoredTile::Column(children),
            })
        }
        // Arrangements have no grids.
        Container::Grid(_) => None,
    }
}

/// Returns the arrangement if it contains every pane of the face once and the scene is not one of several tabs.
fn restore(face: Face, stored: &StoredTile) -> Option<Tree<Pane>> {
    let mut wanted: Vec<Pane> = face.panes().to_vec();
    wanted.push(Pane::Scene);
    let mut tiles = Tiles::default();
    let root = insert(&mut tiles, stored, &mut wanted)?;
    let tree = Tree::new(face.id(), root, tiles);
    (wanted.is_empty() && super::fit::is_scene_alone(&tree)).then_some(tree)
}

/// Inserts a tile and removes its panes from `wanted`.
fn insert(tiles: &mut Tiles<Pane>, stored: &StoredTile, wanted: &mut Vec<Pane>) -> Option<TileId> {
    let (dir, children) = match stored {
        StoredTile::Tabs(panes, active) => {
            let mut children = Vec::new();
            for pane in panes {
                wanted.remove(wanted.iter().position(|w| w == pane)?);
                children.push(tiles.insert_pane(*pane));
            }
            let mut tabs = egui_tiles::Tabs::new(children);
            tabs.set_active(*tabs.children.get(*active)?);
            return Some(tiles.insert_container(tabs));
        }
        StoredTile::Row(children) => (LinearDir::Horizontal, children),
        StoredTile::Column(children) => (LinearDir::Vertical, children),
    };
    let mut linear = Linear::new(dir, Vec::new());
    for (size, child) in children {
        let id = insert(tiles, child, wanted)?;
        linear.children.push(id);
        linear.shares.set_share(id, if size.is_finite() { size.clamp(0.0, MAX_SIZE) } else { 0.0 });
    }
    (!linear.children.is_empty()).then(|| tiles.insert_container(linear))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_layout_is_restored() {
        let mut layout = Layout { face: Face::Lab, ..Layout::default() };
        layout.folded.below = true;
        layout.show_pane(Pane::Clips);
        let stored = StoredLayout::of(&layout);
        let text = serde_json::to_string(&stored).unwrap();
        let read: StoredLayout = serde_json::from_str(&text).unwrap();
        assert_eq!(StoredLayout::of(&read.layout()), stored);
    }

    #[test]
    fn invalid_arrangements_are_replaced_by_the_default() {
        let tabs = |panes: &[Pane]| StoredTile::Tabs(panes.to_vec(), 0);
        let all = [Face::Pose.panes(), &[Pane::Scene]].concat();
        let invalid = [
            tabs(&[]),
            tabs(&[Pane::Scene]),
            tabs(&all),
            StoredTile::Tabs(vec![Pane::Scene], 4),
            StoredTile::Row(Vec::new()),
            StoredTile::Row(vec![(9.0, tabs(&[Pane::Scene])), (f32::NAN, tabs(&[Pane::Scene]))]),
        ];
        for pose in invalid {
            let stored = StoredLayout { pose: Some(pose.clone()), ..StoredLayout::default() };
            assert_eq!(StoredLayout::of(&stored.layout()), StoredLayout::of(&Layout::default()), "{pose:?}");
        }
    }
}
