//! The shader modules: the files with their entry points.

use sinew_shaders::{IK_BODY, IK_CHAIN, IK_CHAIN_RESTART, IK_LIMB, IK_MEASURE};

/// Maximum number of joints of a chain.
pub(super) const MAX_CHAIN: usize = 16;

/// The constants of chains of the largest size with every kind of limit except LOCKED: locked joints are part of the joint above
/// (`structure.rs`).
#[cfg(test)]
pub(crate) const LARGEST: &str = "const JOINTS: u32 = 16u;\nconst UNROLLED: bool = true;\nconst KINDS: u32 = ALL_KINDS ^ (1u << LOCKED);\n";
/// The files of chains, which also need constants.
pub(super) const CHAIN_FILES: [&str; 2] = [IK_CHAIN, IK_CHAIN_RESTART];
/// The files of single limbs.
pub(super) const LIMB: &[&str] = &[IK_LIMB];
/// The files of whole bodies.
pub(super) const BODY: &[&str] = &[IK_BODY];
/// The files that measure errors.
pub(super) const MEASURE: &[&str] = &[IK_MEASURE];

/// All modules, for tests without an adapter.
#[cfg(test)]
pub(crate) const SOURCES: [(&str, &[&str]); 4] = [
    ("ik_chain", &[LARGEST, IK_CHAIN, IK_CHAIN_RESTART]),
    ("ik_limb", LIMB),
    ("ik_body", BODY),
    ("ik_measure", MEASURE),
];

/// Returns the constants of the module for chains with the given number of joints, or `None` if the number is zero or too large. `kinds`
/// has a bit for each kind of limit that occurs. If `unrolled` is set, the loops over joints have constant bounds.
pub(super) fn chain_constants(joints: usize, kinds: u32, unrolled: bool) -> Option<String> {
    let constants = format!(
        "const JOINTS: u32 = {joints}u;\nconst UNROLLED: bool = {unrolled};\nconst KINDS: u32 = {kinds}u;\n"
    );
    (1..=MAX_CHAIN).contains(&joints).then_some(constants)
}
