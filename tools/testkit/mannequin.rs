//! The built-in character, which is loaded only once in each test binary.

use std::sync::{Arc, LazyLock};

use sinew_character::asset::{self, Character};
use sinew_character::rig::{self, Rig};

static MANNEQUIN: LazyLock<Arc<Character>> = LazyLock::new(|| Arc::new(asset::mannequin().unwrap()));
static RIG: LazyLock<Rig> = LazyLock::new(|| rig::load(&MANNEQUIN, None).unwrap());

/// Returns the built-in character.
pub fn mannequin() -> Arc<Character> {
    Arc::clone(&MANNEQUIN)
}

/// Returns the own rig of the built-in character.
pub fn mannequin_rig() -> Rig {
    RIG.clone()
}
