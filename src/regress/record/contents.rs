//! The part of a record that describes a character's file and does not depend on the pose. It is computed once per character.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::asset::Character;
use crate::asset::Part;
use crate::puppet::Puppet;

use super::shape::{Attribute, binds, digests, regions};
use super::vertices::{MAX_VERTICES, VerticesRecord, step};

/// The meshes, the inverse bind matrices and the images of a character.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// One element for each part of the puppet.
    pub(super) parts: Vec<PartContents>,
    pub(super) binds: BTreeMap<String, String>,
    /// CRC-32 of each encoded image of the file.
    pub(super) images: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct PartContents {
    pub(super) digests: BTreeMap<Attribute, String>,
    pub(super) vertices: Option<VerticesRecord>,
    pub(super) regions: BTreeMap<String, [String; 2]>,
}

impl Contents {
    pub(crate) fn of(puppet: &Puppet) -> Self {
        let character = puppet.character();
        let is_small = |part: &&Part| character.primitive(**part).vertices() <= MAX_VERTICES;
        let step = step(character, &puppet.parts().iter().filter(is_small).copied().collect::<Vec<Part>>());
        let mut left = MAX_VERTICES;
        let mut parts = Vec::with_capacity(puppet.parts().len());
        for part in puppet.parts() {
            let count = character.primitive(*part).vertices();
            let vertices = (count <= left).then(|| VerticesRecord::of(character, *part, step));
            left -= if vertices.is_some() { count } else { 0 };
            let regions = if vertices.is_some() { BTreeMap::new() } else { regions(character, *part) };
            parts.push(PartContents { digests: digests(character, *part), vertices, regions });
        }
        let images = character.images.iter().map(|image| crc32fast::hash(&image.bytes)).collect();
        Self { parts, binds: binds(character, puppet.parts()), images }
    }
}

/// The contents of the characters of a run.
#[derive(Debug, Default)]
pub(crate) struct ContentsCache(Mutex<Vec<Known>>);

/// A character, the parts of it that a puppet draws in the current scene, and the contents of these parts.
type Known = (Arc<Character>, Vec<Part>, Arc<Contents>);

impl ContentsCache {
    /// Maximum number of cached entries.
    const MAX: usize = 24;

    pub(crate) fn of(&self, puppet: &Puppet) -> Arc<Contents> {
        let character = puppet.shared_character();
        let known = |known: &[Known]| {
            let is_same =
                |(other, parts, _): &&Known| Arc::ptr_eq(other, &character) && parts == puppet.parts();
            known.iter().find(is_same).map(|(.., contents)| Arc::clone(contents))
        };
        if let Some(contents) = known(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return contents;
        }
        // The lock is not held here, so that other cases can continue. Two cases may therefore read the same character.
        let contents = Arc::new(Contents::of(puppet));
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() == Self::MAX {
            list.remove(0);
        }
        list.push((character, puppet.parts().to_vec(), Arc::clone(&contents)));
        contents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two scenes of a file may have different parts, but the same number of them.
    #[test]
    fn each_choice_of_parts_has_its_own_contents() {
        let mut character = crate::asset::load(&sinew_testkit::asset_path("awkward.glb")).unwrap();
        let first = character.default_scene;
        let mut other = character.scenes[first].clone();
        let node = |name: &str| character.skeleton.find(name).unwrap();
        other.roots = vec![node("head_mesh")];
        let mut own = other.clone();
        own.roots = vec![node("body")];
        character.scenes = vec![own, other];
        let (cache, character) = (ContentsCache::default(), Arc::new(character));
        let digests = [0, 1].map(|scene| {
            let puppet = Puppet::new(Arc::clone(&character), scene);
            cache.of(&puppet).parts[0].digests.clone()
        });
        assert_ne!(digests[0], digests[1]);
    }
}
