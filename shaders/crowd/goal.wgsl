// Goals of limbs, chains and heads. The Rust twin is src/character/body/goal.rs.

const GOALS: u32 = 4u;        // per character
const HAS_ROTATION: u32 = 1u;
const HAS_POLE: u32 = 2u;
// The goals of a new character are zeros, which are not goals of the first limb.
const IS_SET: u32 = 4u;
// The goal is in the frame of a joint that moves along with the hips.
const FOLLOWS_HIPS: u32 = 8u;
// The goal fades in, and takes over from the goal that it replaces. Later changes of the rate do not change this.
const TAKES_OVER: u32 = 16u;
// The value of `limb` in a goal that the head looks at.
const HEAD: u32 = 0xfffffffeu;
// The values of `frame` that are not the index of a joint: the world, and the model space of the character.
const WORLD: u32 = 0xffffffffu;
const CHARACTER: u32 = 0xfffffffeu;

// The target of a limb, a chain or the head.
struct PackedGoal {
    rotation: vec4<f32>,      // of the end in the frame, if HAS_ROTATION is set
    position: vec3<f32>,      // in the frame
    limb: u32,                // index of a limb; the number of limbs plus the index of a chain; HEAD; or NONE
    pole: vec3<f32>,          // position in the frame to which the middle bends, if HAS_POLE is set
    flags: u32,
    weight: f32,              // 0 to 1
    rate: f32,                // change of the weight per second
    frame: u32,               // WORLD, CHARACTER, or the index of a joint
    change: u32,              // a number that differs from that of the goal before, or 0 if no goal was ever set
}
