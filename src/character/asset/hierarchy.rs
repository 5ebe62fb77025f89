//! Builds the hierarchy of a skeleton from the parents of its nodes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Node, NotFinite, Skeleton, Transform};

/// An error in a list of nodes: an invalid hierarchy or transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The parent of a node does not exist.
    #[error("node \"{node}\": parent {parent} does not exist; the skeleton has {count} nodes")]
    Parent {
        /// Name of the node, or `#INDEX`.
        node: String,
        /// Index of the missing parent.
        parent: usize,
        /// Number of nodes.
        count: usize,
    },
    /// A node is its own ancestor.
    #[error("node \"{node}\" is its own ancestor")]
    Cycle {
        /// Name of the node, or `#INDEX`.
        node: String,
    },
    /// The rotation of a node is not a unit quaternion.
    #[error("node \"{node}\": rotation does not have unit length")]
    Rotation {
        /// Name of the node, or `#INDEX`.
        node: String,
    },
    /// A transform is not finite, or the product of the transforms from the root to a node is not.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
}

impl Node {
    /// Returns a root at the origin, without a mesh.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::unnamed(None, Transform::IDENTITY) }
    }

    /// Returns a child of the node with the index `parent`. `rest` is in the parent's space.
    pub fn child(name: impl Into<String>, parent: usize, rest: Transform) -> Self {
        Self { name: Some(name.into()), ..Self::unnamed(Some(parent), rest) }
    }

    /// Returns a node without a name, mesh or children.
    pub(crate) fn unnamed(parent: Option<usize>, rest: Transform) -> Self {
        let children = Vec::new();
        Self { name: None, parent, children, rest, mesh: None, skin: None, morph_weights: 0..0 }
    }
}

impl Skeleton {
    /// Creates a skeleton from nodes and the indices of their parents. A parent may come after its children. The other fields that describe
    /// the hierarchy are computed, so the nodes' [`Node::children`] and [`Node::morph_weights`] are ignored. The skeleton has no morph
    /// weights.
    ///
    /// ```
    /// use sinew_character::asset::{Node, Skeleton, SkeletonError, Transform};
    /// use sinew_character::glam::Vec3;
    ///
    /// let below = |metres| Transform::from_translation(Vec3::NEG_Y * metres);
    /// let leg = Skeleton::new(vec![
    ///     Node { rest: Transform::from_translation(Vec3::Y), ..Node::new("hip") },
    ///     Node::child("knee", 0, below(0.5)),
    ///     Node::child("ankle", 1, below(0.45)),
    /// ])?;
    /// assert_eq!(leg.find("ankle"), Some(2));
    /// assert_eq!(leg.nodes[0].children, [1]);
    ///
    /// let loops = Skeleton::new(vec![Node::child("snake", 0, Transform::IDENTITY)]);
    /// assert_eq!(loops.unwrap_err().to_string(), "node \"snake\" is its own ancestor");
    /// # Ok::<(), SkeletonError>(())
    /// ```
    ///
    /// # Errors
    /// [`SkeletonError`], which names the node and the cause.
    pub fn new(nodes: Vec<Node>) -> Result<Self, SkeletonError> {
        let count = nodes.len();
        let mut skeleton = Self { nodes, instances: count..count, ..Self::default() };
        for node in 0..count {
            if let Some(parent) = skeleton.nodes[node].parent.filter(|p| *p >= count) {
                return Err(SkeletonError::Parent { node: skeleton.label(node), parent, count });
            }
            if let Some(property) = skeleton.nodes[node].rest.not_finite() {
                return Err(NotFinite { joint: skeleton.label(node), property }.into());
            }
            if !skeleton.nodes[node].rest.rotation.is_normalized() {
                return Err(SkeletonError::Rotation { node: skeleton.label(node) });
            }
        }
        let children = children(count, |node| skeleton.nodes[node].parent);
        for (node, children) in skeleton.nodes.iter_mut().zip(children) {
            (node.children, node.morph_weights) = (children, Range::default());
        }
        skeleton.parents_first = skeleton
            .sort_parents_first()
            .map_err(|node| SkeletonError::Cycle { node: skeleton.label(node) })?;
        skeleton.check_rest().map_err(|(_, error)| error)?;
        Ok(skeleton)
    }

    /// Computes [`Self::parents_first`] from the parents and the children of the nodes.
    ///
    /// # Errors
    /// The index of the first node that is its own ancestor.
    pub(super) fn sort_parents_first(&self) -> Result<Vec<(usize, Option<usize>)>, usize> {
        let node = |n: usize| self.nodes.get(n);
        let children = |n| node(n).map_or(&[][..], |n| n.children.as_slice());
        sort_parents_first(self.nodes.len(), |n| node(n).and_then(|n| n.parent), children)
    }

    /// Returns the nodes without a parent, in file order.
    pub(super) fn roots(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.parent.is_none()).map(|(index, _)| index).collect()
    }
}

/// Returns the children of each node, in file order. A parent that does not exist is ignored.
pub(super) fn children(count: usize, parent: impl Fn(usize) -> Option<usize>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); count];
    for node in 0..count {
        if let Some(siblings) = parent(node).and_then(|p| children.get_mut(p)) {
            siblings.push(node);
        }
    }
    children
}

/// Returns every node with its parent, roots first, then their children, and so on.
///
/// # Errors
/// The index of the first node that is its own ancestor, and therefore not a descendant of any root.
pub(super) fn sort_parents_first<'a>(
    count: usize,
    parent: impl Fn(usize) -> Option<usize>,
    children: impl Fn(usize) -> &'a [usize],
) -> Result<Vec<(usize, Option<usize>)>, usize> {
    let roots = (0..count).filter(|&node| parent(node).is_none());
    let mut order: Vec<_> = roots.map(|node| (node, None)).collect();
    let mut next = 0;
    while let Some(&(node, _)) = order.get(next) {
        order.extend(children(node).iter().map(|&child| (child, Some(node))));
        next += 1;
    }
    if order.len() < count {
        let reached: BTreeSet<usize> = order.into_iter().map(|(node, _)| node).collect();
        return Err((0..count).find(|node| !reached.contains(node)).unwrap_or_default());
    }
    Ok(order)
}
