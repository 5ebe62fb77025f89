//! Finds nodes by name in files with many nodes.

use std::cell::OnceCell;
use std::collections::HashMap;

use toml_edit::Item;

use crate::api::Missing;
use crate::asset::Skeleton;
use crate::rig::bone_names::Bones;
use crate::text::toml::{SpannedError, table_like};

/// The names of a skeleton's nodes, and of the bones of its body. The names are hashed when the first one is looked up.
#[derive(Debug)]
pub struct NodeNames<'a> {
    skeleton: &'a Skeleton,
    bones: Option<&'a Bones>,
    by_name: OnceCell<HashMap<&'a str, usize>>,
}

impl<'a> NodeNames<'a> {
    /// Creates a lookup of the names and indices of nodes.
    pub fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, bones: None, by_name: OnceCell::new() }
    }

    /// Creates a lookup that also finds nodes by bone name, for example with the bones of a [`Rig`](crate::rig::Rig).
    pub fn with_bones(skeleton: &'a Skeleton, bones: &'a Bones) -> Self {
        Self { bones: Some(bones), ..Self::new(skeleton) }
    }

    /// Finds a node by its name, by an index after `#`, or by a bone name that no node has. If several nodes have the same name, it finds
    /// the first one.
    pub fn find(&self, name: &str) -> Option<usize> {
        let nodes = &self.skeleton.nodes;
        let index = name.strip_prefix('#').and_then(|i| i.parse().ok());
        let by_name = || {
            let mut by_name = HashMap::new();
            let named = nodes.iter().enumerate().filter_map(|(i, node)| Some((i, node.name.as_deref()?)));
            named.for_each(|(index, name)| {
                by_name.entry(name).or_insert(index);
            });
            by_name
        };
        let named = || self.by_name.get_or_init(by_name).get(name).copied();
        let bone = || self.bones.and_then(|bones| bones.get(name).copied()).filter(|&n| n < nodes.len());
        index.filter(|&i: &usize| i < nodes.len()).or_else(named).or_else(bone)
    }

    /// Like [`Self::find`], with an error.
    ///
    /// # Errors
    /// [`Missing`] with a similar name, or with the number of nodes, if the node does not exist.
    pub fn get(&self, name: &str) -> Result<usize, Missing> {
        let count = self.skeleton.nodes.len();
        let missing = || match name.strip_prefix('#').and_then(|index| index.parse().ok()) {
            Some(index) => Missing { what: name.to_owned(), ..Missing::index("node", index, count) },
            None => Missing::name("node", name, self.known()),
        };
        self.find(name).ok_or_else(missing)
    }

    /// Returns the names of the nodes and of the bones.
    pub fn known(&self) -> impl Iterator<Item = &'a str> {
        let nodes = self.skeleton.nodes.iter().filter_map(|node| node.name.as_deref());
        nodes.chain(self.bones.into_iter().flat_map(|bones| bones.keys().map(String::as_str)))
    }

    /// Returns the name of a node, or `#INDEX` if [`Self::find`] would find another node by that name.
    pub fn name(&self, node: usize) -> String {
        let own = self.skeleton.label(node);
        if self.find(&own) == Some(node) { own } else { format!("#{node}") }
    }
}

/// Finds a node by name, with an error at a value of a TOML file.
pub fn node_at(names: &NodeNames<'_>, item: &Item, name: &str) -> Result<usize, SpannedError> {
    names.get(name).map_err(|missing| SpannedError::at(item, missing.to_string()))
}

/// Finds the node whose name is a value of a TOML file. `cause` is the error for a value that is not a string.
pub fn read_node(
    names: &NodeNames<'_>,
    item: &Item,
    cause: impl Into<String>,
) -> Result<usize, SpannedError> {
    node_at(names, item, item.as_str().ok_or_else(|| SpannedError::at(item, cause))?)
}

/// Reads a table whose keys are names of nodes. `cause` is the error for any other value.
pub fn read_node_entries<T>(
    names: &NodeNames<'_>,
    item: &Item,
    cause: impl Into<String>,
    read: impl Fn(usize, &Item) -> Result<T, SpannedError>,
) -> Result<Vec<(usize, T)>, SpannedError> {
    let entry = |(name, item): (&str, &Item)| {
        let node = node_at(names, item, name)?;
        Ok((node, read(node, item)?))
    };
    table_like(item, cause)?.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::asset::{Node, Transform};

    fn skeleton(names: impl Iterator<Item = Option<String>>) -> Skeleton {
        let node = |name| Node { name, ..Node::unnamed(None, Transform::IDENTITY) };
        Skeleton { nodes: names.map(node).collect(), ..Skeleton::default() }
    }

    #[test]
    fn names_that_are_not_unique_are_indices() {
        let named = ["a", "b", "a", "", "#1"].map(|name| Some(name.to_owned()).filter(|n| !n.is_empty()));
        let skeleton = skeleton(named.into_iter());
        let names = NodeNames::new(&skeleton);
        assert_eq!([0, 1, 2, 3, 4].map(|node| names.name(node)), ["a", "b", "#2", "#3", "#4"]);
        assert_eq!(
            ["a", "#2", "#9", "c", "#1"].map(|name| names.find(name)),
            [Some(0), Some(2), None, None, Some(1)]
        );
        let missing = names.get("#9").unwrap_err().to_string();
        assert_eq!(missing, "node #9 does not exist; the file has 5, counted from 0");
    }

    /// Regression test: each lookup of a name searched all nodes, which took minutes for large files.
    #[test]
    fn names_of_a_large_skeleton_are_found_in_linear_time() {
        let count = 100_000;
        let skeleton = skeleton((0..count).map(|i| Some(format!("joint {i}"))));
        let (names, start) = (NodeNames::new(&skeleton), Instant::now());
        assert!((0..count).all(|node| names.find(&names.name(node)) == Some(node)));
        assert!((0..count).all(|node| names.find(&format!("missing {node}")).is_none()));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
