//! The shader modules, each concatenated from several files.

const ROTATION: &str = sinew_shaders::ROTATION;
const TRIGONOMETRY: &str = sinew_shaders::TRIGONOMETRY;
const LIMITS: &str = sinew_shaders::JOINT_LIMITS;
const CHAIN_STEPS: &str = sinew_shaders::IK_CHAIN;
const CHAIN_RESTARTS: &str = sinew_shaders::IK_CHAIN_RESTART;

/// Maximum number of joints of a chain.
pub(super) const MAX_CHAIN: usize = 16;

/// The constants that precede the files of [`chain`], for chains of the largest size with every kind of limit.
#[cfg(test)]
const LARGEST: &str = "const JOINTS: u32 = 16u;\nconst UNROLLED: bool = true;\nconst KINDS: u32 = 15u;\n";
/// The constant that precedes the files of whole bodies.
const ALL_KINDS: &str = "const KINDS: u32 = 15u;\n";
/// The files of chains after the constants.
pub(super) const CHAIN_FILES: [&str; 5] = [ROTATION, TRIGONOMETRY, LIMITS, CHAIN_STEPS, CHAIN_RESTARTS];

/// The files for chains of the largest size.
#[cfg(test)]
const CHAIN: &[&str] = &[LARGEST, ROTATION, TRIGONOMETRY, LIMITS, CHAIN_STEPS, CHAIN_RESTARTS];
/// The files for single limbs.
pub(super) const LIMB: &[&str] = &[ROTATION, sinew_shaders::IK_LIMB];
/// The files for whole bodies.
pub(super) const BODY: &[&str] = &[ALL_KINDS, ROTATION, TRIGONOMETRY, LIMITS, sinew_shaders::IK_BODY];

/// All modules with their files in order, for tests without an adapter.
#[cfg(test)]
pub(crate) const SOURCES: [(&str, &[&str]); 3] = [("ik_chain", CHAIN), ("ik_limb", LIMB), ("ik_body", BODY)];

/// Returns the constants of the module for chains with the given number of joints, or `None` if the number is zero or too large. `kinds`
/// has a bit for each kind of limit that occurs. If `unrolled` is set, the loops over joints have constant bounds.
pub(super) fn chain_constants(joints: usize, kinds: u32, unrolled: bool) -> Option<String> {
    let constants = format!(
        "const JOINTS: u32 = {joints}u;\nconst UNROLLED: bool = {unrolled};\nconst KINDS: u32 = {kinds}u;\n"
    );
    (1..=MAX_CHAIN).contains(&joints).then_some(constants)
}
