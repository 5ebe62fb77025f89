// The data for inverse kinematics: the body of a model, and the state that is kept between steps. The Rust twins are in
// src/character/body/mod.rs and src/character/body/stance.rs.
// #import crowd/goal, joint_limits

const LIMBS: u32 = 8u;
const CHAINS: u32 = 4u;
const LINKS: u32 = 8u;        // joints of a chain that turn
const SOLES: u32 = 6u;        // points of a sole
const NECK: u32 = 4u;
const INTERVALS: u32 = 8u;    // contacts of a foot in a clip

// Every kind of limit occurs.
const KINDS: u32 = ALL_KINDS;

// Flags of a limb: its end is not a descendant of its bones in the file, its end is a descendant of the hips, and its middle
// turns only about its hinge.
const DETACHED: u32 = 1u;
const BELOW_HIPS: u32 = 2u;
const HINGED: u32 = 4u;

// A point of a sole.
struct Sole {
    position: vec3<f32>,      // in the frame of its joint
    joint: u32,
}

// A limb of two bones. Joints between its three joints turn with the bone above them.
struct CrowdLimb {
    first: u32,
    middle: u32,
    end: u32,
    soles: u32,               // number of points, 0 for an arm
    hinge: vec3<f32>,         // axis about which the middle bends, in its own frame
    least_cos: f32,           // least and largest cosine of the angle between both bones
    most_cos: f32,
    heel: u32,                // the backmost and the foremost point of the sole
    toe: u32,
    flags: u32,
    limit: JointLimit,        // of the first joint
    sole: array<Sole, SOLES>,
}

// A tail or another chain. Its last joint is the end, which does not turn.
struct CrowdChain {
    links: u32,
    reserved: array<u32, 3>,
    joints: array<u32, 12>,
    limits: array<JointLimit, LINKS>,
}

struct CrowdBody {
    limbs: u32,
    legs: u32,                // the first limbs
    chains: u32,
    necks: u32,               // joints from above the chest to the head
    hips: u32,
    size: f32,                // length of a leg, in model space
    floor: f32,               // height of the floor at rest, in model space
    foot: f32,                // half the length of a foot, in model space
    facing: vec3<f32>,        // direction of the face in the frame of the head
    field_cos: f32,           // cosine of the largest angle between `forward` and what the head looks at
    forward: vec3<f32>,       // the same direction at rest in the frame of the chest
    chest: u32,
    neck: array<u32, NECK>,
    neck_limits: array<JointLimit, NECK>,
    limb: array<CrowdLimb, LIMBS>,
    chain: array<CrowdChain, CHAINS>,
    contacts: array<vec2<f32>>, // start and end in seconds: INTERVALS for each leg of each clip
}

// The state of a foot after the last step.
struct Foot {
    heel: vec2<f32>,          // x and z of both ends of the sole, world metres
    toe: vec2<f32>,
    offset: vec2<f32>,        // from the ankle in the clip to the actual ankle, world metres
    heading: vec2<f32>,       // x and z of the direction of the foot on level ground
    weight: f32,              // of the offset and the yaw while the foot is being released
    yaw: f32,                 // tangent of half the angle about the vertical axis by which the foot is turned
}

// How a goal takes over from the goal that it replaces. Displacements are in model space, relative to the pose without the goal. `last` and
// `last_turn` are zero and the identity if the goal has no effect. The displacement by a goal of the head is its weight, three times.
struct GoalFade {
    offset: vec3<f32>,        // displacement of the part when the goal was set
    left: f32,                // weight of `offset` and `turn`, which decreases to 0
    turn: vec4<f32>,          // rotation of the end when the goal was set
    last: vec3<f32>,          // displacement in the last step
    limb: u32,                // the part that the goal moves
    last_turn: vec4<f32>,     // rotation of the end in the last step
}

// The state that is kept for a character. It starts with all zeros.
struct Stance {
    aim: vec3<f32>,           // direction in which the head looks, in model space
    aim_weight: f32,
    hips: f32,                // height of the hips above their height in the clip, world metres
    is_known: u32,            // 0 before the first step
    held: u32,                // bit per leg: the foot stands
    spent: u32,               // bit per leg: the foot was released before its contact ended
    tilt: vec2<f32>,          // slope of the hips along x and z of the world
    on_toes: u32,             // bit per leg: the toes carry the foot, not the heel
    reserved: u32,
    feet: array<Foot, LIMBS>,
    changes: array<u32, GOALS>, // `change` of each goal in the last step
    fades: array<GoalFade, GOALS>,
}
