// The goals of an IK problem, as fractions of the length of the longest chain.

struct TreeGoal {
    // The effector in the frame of its joint, and the scale of position errors.
    end: vec4<f32>,
    // Tolerances of position and orientation, and the scale of orientation errors.
    tolerances: vec4<f32>,
    // One bit for each ancestor of the effector.
    above: array<u32, 3>,
    joint: u32,
}

struct ChainTarget {
    position: vec4<f32>,
    orientation: vec4<f32>,
}
