//! The shader modules, each concatenated from several files.

const ROTATION: &str = include_str!("../../shaders/rotation.wgsl");
const TRIGONOMETRY: &str = include_str!("../../shaders/trigonometry.wgsl");
const LIMITS: &str = include_str!("../../shaders/joint_limits.wgsl");
const CHAIN_SOURCE: &str = include_str!("../../shaders/ik_chain.wgsl");

/// The largest number of joints of a chain.
pub(super) const MAX_CHAIN: usize = 16;

/// The constant that precedes the files of [`chain`]. A constant lets drivers unroll the loops over joints and keep the joints
/// in registers.
const COUNTS: [&str; MAX_CHAIN] = [
    "const JOINTS: u32 = 1u;",
    "const JOINTS: u32 = 2u;",
    "const JOINTS: u32 = 3u;",
    "const JOINTS: u32 = 4u;",
    "const JOINTS: u32 = 5u;",
    "const JOINTS: u32 = 6u;",
    "const JOINTS: u32 = 7u;",
    "const JOINTS: u32 = 8u;",
    "const JOINTS: u32 = 9u;",
    "const JOINTS: u32 = 10u;",
    "const JOINTS: u32 = 11u;",
    "const JOINTS: u32 = 12u;",
    "const JOINTS: u32 = 13u;",
    "const JOINTS: u32 = 14u;",
    "const JOINTS: u32 = 15u;",
    "const JOINTS: u32 = 16u;",
];

/// Chains of the largest size.
const CHAIN: &[&str] = &[COUNTS[MAX_CHAIN - 1], ROTATION, TRIGONOMETRY, LIMITS, CHAIN_SOURCE];
/// Single limbs.
pub(super) const LIMB: &[&str] = &[ROTATION, include_str!("../../shaders/ik_limb.wgsl")];
/// Whole bodies.
pub(super) const BODY: &[&str] =
    &[ROTATION, TRIGONOMETRY, LIMITS, include_str!("../../shaders/ik_body.wgsl")];

/// All modules with their files in order, for tests without an adapter.
pub const SOURCES: [(&str, &[&str]); 3] = [("ik_chain", CHAIN), ("ik_limb", LIMB), ("ik_body", BODY)];

/// Returns the files of the module for chains of some joints, or `None` if there are too many or none.
pub(super) fn chain(joints: usize) -> Option<[&'static str; 5]> {
    let count = COUNTS.get(joints.checked_sub(1)?)?;
    Some([count, ROTATION, TRIGONOMETRY, LIMITS, CHAIN_SOURCE])
}
