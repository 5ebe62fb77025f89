//! The options that choose the rig of a character.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::asset::Character;
use crate::rig::{self, Bones, Rig};

use super::failure::Failure;
use super::names;

#[derive(Args, Clone, Debug, Default)]
pub(super) struct RigArgs {
    /// Rig file with chains and limits [default: NAME.rig.toml beside the model, or found in the model]
    #[arg(long, value_name = "FILE")]
    pub(super) rig: Option<PathBuf>,
    /// Node of a bone of the body, named as in VRM 1.0, instead of the one that would be recognised (repeatable)
    #[arg(long, value_name = "BONE=NODE")]
    pub(super) bone: Vec<String>,
}

impl RigArgs {
    pub(super) fn file(&self) -> Option<&Path> {
        self.rig.as_deref()
    }

    /// Returns whether the rig depends only on the character and the rig file.
    pub(super) fn names_no_bones(&self) -> bool {
        self.bone.is_empty()
    }

    /// Loads the rig of a character, with the bones that the options name.
    pub(super) fn load(&self, character: &Character) -> Result<Rig, Failure> {
        let nodes = names::Nodes { character, bones: &Bones::new() };
        let mut bones = Bones::new();
        for text in &self.bone {
            let (bone, node) = text.split_once('=').ok_or_else(|| {
                Failure::Usage(format!("--bone {text}: '=' is missing after the name of the bone"))
            })?;
            bones.insert(bone.to_owned(), nodes.find(node)?);
        }
        rig::load_with(character, self.file(), &bones).map_err(|e| Failure::Usage(e.to_string()))
    }
}
