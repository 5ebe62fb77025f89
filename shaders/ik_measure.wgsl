// Measures the errors of the answers of ik_chain.wgsl and ik_body.wgsl, one lane for each goal of each problem, and bounds of the rounding
// errors. The CPU twin is src/render/gpu_ik/twin/measure.rs.
//
// Errors consist only of sums, differences and products, because WGSL promises little about the precision of divisions, square roots and
// trigonometric functions. The CPU computes the lengths and angles of the errors. Lengths occur only in the bounds, whose constants are
// twice as large as necessary (docs/decisions/gpu-batches.md). Lengths are fractions of the length of the longest chain.
// #import ik_goal, ik_joint, joint_limits, rotation, trigonometry

// No limit is applied here, but the file of the joints needs the constant.
const KINDS: u32 = ALL_KINDS;

struct MeasureConstants {
    joints: u32,
    goals: u32,
    problems: u32,
    // Number of vectors in an answer. The last one ends with the number of iterations.
    stride: u32,
    // 1 if the rotations are followed by the translation of the base.
    has_root: u32,
    reserved_0: u32,
    reserved_1: u32,
    reserved_2: u32,
}

struct GoalError {
    // From the effector to its target in base space.
    offset: vec3<f32>,
    offset_bound: f32,
    // The rotation from the effector to its target in base space. Its length may differ from one.
    turn: vec4<f32>,
    // In radians.
    turn_bound: f32,
    iterations: f32,
    reserved_0: f32,
    reserved_1: f32,
}

@group(0) @binding(0) var<uniform> measure: MeasureConstants;
@group(0) @binding(1) var<storage, read> joints: array<PackedJoint>;
@group(0) @binding(2) var<storage, read> goals: array<TreeGoal>;
// One target for each goal of each problem.
@group(0) @binding(3) var<storage, read> targets: array<ChainTarget>;
@group(0) @binding(4) var<storage, read> answers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> goal_errors: array<GoalError>;

const LANES: u32 = 64u;
// Half the distance from 1 to the next number.
const ROUNDING: f32 = 5.9604645e-8;
// Bounds of the errors that one joint adds: to the place of the effector, as a fraction of its distance, and to its orientation in radians.
const PLACE_ROUNDING: f32 = 128.0 * ROUNDING;
const TURN_ROUNDING: f32 = 72.0 * ROUNDING;
// Bound of the error of the difference between two places, as a fraction of their distances from the base.
const OFFSET_ROUNDING: f32 = 8.0 * ROUNDING;

@compute @workgroup_size(64)
fn measure_goals(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = (group.x + group.y * groups.x) * LANES + lane;
    if index >= measure.problems * measure.goals {
        return;
    }
    let first = (index / measure.goals) * measure.stride;
    let goal = goals[index % measure.goals];
    let wanted = targets[index];
    // The effector in the frame of a joint, and in the end in base space. Errors hardly grow on the way from the effector to the base,
    // because each joint adds an error that is proportional to the distance of the effector from this joint.
    var place = goal.end.xyz;
    var orientation = IDENTITY;
    var offset_bound = 0.0;
    var turn_bound = 0.0;
    var joint = goal.joint;
    for (var n = 0u; n < measure.joints && joint != NO_PARENT; n++) {
        let own = answers[first + joint];
        let offset = joints[joint].offset.xyz;
        let limit_error = joints[joint].limit_error;
        let distance = length(place);
        // The CPU normalises the rotation.
        let excess = abs(dot(own, own) - 1.0);
        offset_bound += PLACE_ROUNDING * (distance + length(offset)) + distance * (2.0 * excess + limit_error);
        turn_bound += TURN_ROUNDING + limit_error;
        let rotation = quat_mul(joints[joint].before, own);
        place = offset + quat_rotate(rotation, place);
        orientation = quat_mul(rotation, orientation);
        joint = joints[joint].parent;
    }
    var root = vec3<f32>(0.0);
    if measure.has_root != 0u {
        root = answers[first + measure.joints].xyz;
    }
    offset_bound += OFFSET_ROUNDING * (length(wanted.position.xyz) + length(place) + length(root));
    goal_errors[index] = GoalError(
        wanted.position.xyz - (root + place),
        offset_bound,
        quat_mul(wanted.orientation, quat_conjugate(orientation)),
        turn_bound,
        answers[first + measure.stride - 1u].w,
        0.0,
        0.0,
    );
}
