//! Reduces a hierarchy to a tree of chosen nodes.

/// A hierarchy in which some nodes are *ends*, and a tree of chosen nodes that are at or above an end.
///
/// Nodes are plain indices. [`ReducedTree::set`] and [`ReducedTree::choose`] take time proportional to the number of
/// nodes. They allocate nothing if the hierarchy is not larger than the previous one.
#[derive(Clone, Debug, Default)]
pub struct ReducedTree {
    /// The nodes of the hierarchy, by index.
    nodes: Vec<Node>,
    /// The indices of all nodes, parents first.
    order: Vec<usize>,
    chosen: Vec<ChosenNode>,
    common_ancestor: Option<usize>,
    /// The first end whose root differs from the root of the first end.
    first_apart: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    parent: Option<usize>,
    depth: usize,
    /// Whether an end is at or below the node.
    is_involved: bool,
    /// The nearest chosen node at or above this node, as an index into the tree.
    nearest: Option<usize>,
}

/// A node of the reduced tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenNode {
    /// Index in the hierarchy.
    pub node: usize,
    /// The nearest chosen ancestor, as an index into the tree.
    pub parent: Option<usize>,
}

impl ReducedTree {
    /// Sets the hierarchy and the ends. The nodes at or above an end are *involved*, and only they can be chosen.
    ///
    /// `parents_first` contains every node of the hierarchy once, with its parent. Ends that do not exist are ignored.
    pub fn set(
        &mut self,
        parents_first: impl ExactSizeIterator<Item = (usize, Option<usize>)>,
        ends: impl IntoIterator<Item = usize>,
    ) {
        let count = parents_first.len();
        self.nodes.clear();
        self.nodes.resize(count, Node::default());
        self.order.clear();
        self.chosen.clear();
        (self.common_ancestor, self.first_apart) = (None, None);
        for (node, parent) in parents_first.filter(|(node, _)| *node < count) {
            let parent = parent.filter(|&p| p < count);
            let depth = parent.map_or(0, |p| self.nodes[p].depth + 1);
            self.nodes[node] = Node { parent, depth, ..Node::default() };
            self.order.push(node);
        }
        ends.into_iter().filter(|&end| end < count).for_each(|end| self.add_end(end));
    }

    /// Marks the nodes from an end up to the first node that is already marked, and updates the common ancestor.
    fn add_end(&mut self, end: usize) {
        let mut up = Some(end);
        while let Some(node) = up.filter(|&n| !self.nodes[n].is_involved) {
            self.nodes[node].is_involved = true;
            up = self.nodes[node].parent;
        }
        match (self.common_ancestor, up) {
            (None, _) => self.common_ancestor = Some(end),
            (Some(_), None) => self.first_apart = self.first_apart.or(Some(end)),
            // A marked node is either above the common ancestor of the earlier ends, or at or below it.
            (Some(common), Some(met)) if self.nodes[met].depth < self.nodes[common].depth => {
                self.common_ancestor = Some(met);
            }
            _ => {}
        }
    }

    /// Chooses the involved nodes for which `is_chosen` is true. The other involved nodes are folded away.
    pub fn choose(&mut self, is_chosen: impl Fn(usize) -> bool) {
        self.chosen.clear();
        for &node in &self.order {
            if self.nodes[node].is_involved {
                let mut nearest = self.nodes[node].parent.and_then(|p| self.nodes[p].nearest);
                if is_chosen(node) {
                    self.chosen.push(ChosenNode { node, parent: nearest });
                    nearest = Some(self.chosen.len() - 1);
                }
                self.nodes[node].nearest = nearest;
            }
        }
    }

    /// Returns whether an end is at or below a node.
    #[inline]
    pub fn is_involved(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|n| n.is_involved)
    }

    /// Returns the nearest chosen node at or above an involved node, as an index into the tree.
    #[inline]
    pub fn nearest(&self, node: usize) -> Option<usize> {
        self.nodes.get(node)?.nearest
    }

    /// Returns the node of the tree for a node of the hierarchy, or `None` if the node is not chosen.
    #[inline]
    pub fn get(&self, node: usize) -> Option<&ChosenNode> {
        self.chosen.get(self.nearest(node)?).filter(|own| own.node == node)
    }
}

/// Methods that only characters need.
impl ReducedTree {
    /// Returns a tree in which nothing is chosen yet. See [`ReducedTree::set`].
    pub fn new(
        parents_first: impl ExactSizeIterator<Item = (usize, Option<usize>)>,
        ends: impl IntoIterator<Item = usize>,
    ) -> Self {
        let mut tree = Self::default();
        tree.set(parents_first, ends);
        tree
    }

    /// Returns the lowest common ancestor of all ends, or `None` if there are no ends.
    ///
    /// # Errors
    /// Returns the first end whose root differs from the root of the first end.
    pub fn common_ancestor(&self) -> Result<Option<usize>, usize> {
        self.first_apart.map_or(Ok(self.common_ancestor), Err)
    }

    /// Returns the involved nodes with their parents in the hierarchy, parents first.
    pub fn involved(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let involved = self.order.iter().filter(|&&n| self.is_involved(n));
        involved.map(|&n| (n, self.nodes[n].parent))
    }
}

impl ReducedTree {
    /// Returns the chosen nodes, parents first.
    #[inline]
    pub fn chosen(&self) -> &[ChosenNode] {
        &self.chosen
    }

    /// Returns the nearest chosen descendants of each chosen node, as indices into the tree.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.chosen.len()];
        for (index, own) in self.chosen.iter().enumerate() {
            own.parent.into_iter().for_each(|p| children[p].push(index));
        }
        children
    }

    /// Returns the nodes between a chosen node and its nearest chosen ancestor, deepest first. For a node without a
    /// chosen ancestor, these are all its ancestors.
    pub fn between(&self, chosen: ChosenNode) -> impl Iterator<Item = usize> {
        let parent = |n: &usize| self.nodes.get(*n)?.parent;
        let is_folded = |n: &usize| self.get(*n).is_none();
        std::iter::successors(parent(&chosen.node), parent).take_while(is_folded)
    }

    /// Returns the involved nodes that descend from a chosen node but are not chosen themselves, parents first.
    pub fn folded(&self) -> impl Iterator<Item = usize> {
        let is_below = |n: &usize| self.nearest(*n).is_some() && self.get(*n).is_none();
        self.order.iter().copied().filter(is_below)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates the parents of a hierarchy. Every parent has a lower index than its children.
    fn parents() -> impl Strategy<Value = Vec<Option<usize>>> {
        let parent = |(node, (above, is_root)): (usize, (usize, bool))| {
            node.checked_sub(1).filter(|_| !is_root).map(|last| last - above % node)
        };
        // A small distance to the parent gives deep hierarchies.
        let above = prop_oneof![0..2_usize, 0..40_usize];
        let nodes = prop::collection::vec((above, prop::bool::weighted(0.05)), 1..40);
        nodes.prop_map(move |nodes| nodes.into_iter().enumerate().map(parent).collect())
    }

    /// Returns a node and all its ancestors, deepest first.
    fn up(parents: &[Option<usize>], node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |&n| parents[n]).collect()
    }

    proptest! {
        #[test]
        fn trees_agree_with_their_definition(
            parents in parents(), ends in prop::collection::vec(0..40_usize, 0..6), chosen in any::<[bool; 40]>(),
            offset in 0..40_usize,
        ) {
            let count = parents.len();
            // The order of the pairs may affect the result, but the order of the indices must not.
            let name = |n: usize| if offset % 2 == 0 { n } else { count - 1 - n };
            let order = parents.iter().enumerate().map(|(n, p)| (name(n), p.map(name)));
            let ends: Vec<usize> = ends.into_iter().filter(|&n| n < count).collect();
            let mut by_name = vec![None; count];
            parents.iter().enumerate().for_each(|(n, p)| by_name[name(n)] = p.map(name));
            let parents = by_name;
            let above_ends: Vec<Vec<usize>> = ends.iter().map(|&e| up(&parents, e)).collect();

            // Reuse the buffers of another hierarchy.
            let mut tree = ReducedTree::new((0..2 * offset).map(|n| (n, n.checked_sub(1))), [offset]);
            tree.choose(|_| true);
            tree.set(order.clone(), ends.iter().copied());
            prop_assert!(tree.chosen().is_empty() && (0..count).all(|n| tree.nearest(n).is_none()));
            tree.choose(|n| chosen[n]);

            let is_involved = |n: usize| above_ends.iter().any(|up| up.contains(&n));
            prop_assert!((0..count).all(|n| tree.is_involved(n) == is_involved(n)));
            prop_assert!(tree.involved().eq(order.clone().filter(|(n, _)| is_involved(*n))));

            let root = |up: &Vec<usize>| up.last().copied();
            let apart = above_ends.iter().find(|up| root(up) != root(&above_ends[0]));
            let common = above_ends.first().and_then(|first| {
                first.iter().find(|n| above_ends.iter().all(|up| up.contains(n))).copied()
            });
            prop_assert_eq!(tree.common_ancestor(), apart.map_or(Ok(common), |up| Err(up[0])));

            let expected: Vec<usize> = order.clone().map(|(n, _)| n).filter(|&n| is_involved(n) && chosen[n]).collect();
            prop_assert!(tree.chosen().iter().map(|c| c.node).eq(expected.iter().copied()));
            let nearest = |up: &[usize]| {
                let node = up.iter().find(|n| expected.contains(n));
                node.and_then(|n| expected.iter().position(|c| c == n))
            };
            for node in (0..count).filter(|&n| is_involved(n)) {
                prop_assert_eq!(tree.nearest(node), nearest(&up(&parents, node)));
                prop_assert_eq!(tree.get(node).is_some(), chosen[node]);
            }
            let children = tree.children();
            for (index, &own) in tree.chosen().iter().enumerate() {
                let above = &up(&parents, own.node)[1..];
                prop_assert_eq!(own.parent, nearest(above));
                let between = above.iter().take_while(|n| !expected.contains(n));
                prop_assert!(tree.between(own).eq(between.copied()));
                let below = (0..expected.len()).filter(|&c| tree.chosen()[c].parent == Some(index));
                prop_assert!(below.eq(children[index].iter().copied()));
            }
            let is_folded = |n: &usize| {
                is_involved(*n) && !chosen[*n] && nearest(&up(&parents, *n)).is_some()
            };
            prop_assert!(tree.folded().eq(order.map(|(n, _)| n).filter(is_folded)));
        }
    }

    #[test]
    fn ends_that_do_not_exist_are_ignored() {
        let tree = ReducedTree::new([(0, None), (1, Some(0))].into_iter(), [7, 1]);
        assert_eq!(tree.common_ancestor(), Ok(Some(1)));
        assert_eq!(ReducedTree::new(std::iter::empty(), [0]).common_ancestor(), Ok(None));
    }

    /// If every end were followed up to the root, the time would be quadratic, and this test would take too long.
    #[test]
    fn every_node_of_a_deep_chain_may_be_an_end() {
        let count = 100_000_usize;
        let mut tree = ReducedTree::new((0..count).map(|n| (n, n.checked_sub(1))), (0..count).rev());
        tree.choose(|n| n % 2 == 0);
        assert_eq!(tree.common_ancestor(), Ok(Some(0)));
        assert_eq!(tree.involved().count(), count);
        assert_eq!((tree.chosen().len(), tree.folded().count()), (count / 2, count / 2));
    }
}
