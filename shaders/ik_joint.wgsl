// The joints of an IK problem.
// #import joint_limits

// Marks the joint that has no parent.
const NO_PARENT: u32 = 0xffffffffu;

struct PackedJoint {
    // Rotation from the parent's rotated frame to the rest frame of this joint.
    before: vec4<f32>,
    // Position in the parent's rotated frame, and the weight.
    offset: vec4<f32>,
    limit: JointLimit,
    parent: u32,
    // Number of ancestors.
    depth: u32,
    // Bound of the angle by which the CPU turns a rotation when it applies the limit again, in radians.
    limit_error: f32,
    reserved: u32,
}
