//! Alternative materials of a character.

use std::collections::BTreeMap;

use crate::api::Missing;

/// Named sets of alternative materials (`KHR_materials_variants`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variants {
    /// Names in the file.
    pub names: Vec<String>,
    /// Primitives whose material depends on the variant.
    pub parts: Vec<VariantPart>,
    /// Index of the selected variant. `None` shows the materials of the file.
    pub selected: Option<usize>,
}

/// A primitive whose material depends on the variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariantPart {
    /// Mesh index.
    pub mesh: usize,
    /// Position in the mesh's list of primitives.
    pub primitive: usize,
    /// Index of the material that is shown if no variant is selected.
    pub default: Option<usize>,
    /// Index of the material for each variant. Variants without an entry show the default.
    pub materials: BTreeMap<usize, usize>,
}

impl Variants {
    /// Finds a variant by its name.
    ///
    /// # Errors
    /// [`Missing`] with the nearest names.
    pub fn find(&self, name: &str) -> Result<usize, Missing> {
        let missing = || Missing::name("variant", name, self.names.iter().map(String::as_str));
        self.names.iter().position(|known| known == name).ok_or_else(missing)
    }
}
