//! Alternative materials of a character.

use std::collections::BTreeMap;

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

/// The character has no variant with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("variant \"{name}\" does not exist; {}", list(names))]
pub struct UnknownVariant {
    /// The requested name.
    pub name: String,
    /// Names of the existing variants.
    pub names: Vec<String>,
}

fn list(names: &[String]) -> String {
    match names {
        [] => "the model has no variants".to_owned(),
        names => format!("the model has {}", names.join(", ")),
    }
}
