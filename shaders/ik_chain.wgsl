// Poses of chains of hinges and ball joints by damped least squares, one lane for each start. The CPU twin is
// src/render/gpu_ik/twin/tree.rs.
//
// Damped least squares as in `Method::Dls`: λ² falls with the squared error, and a step that does not reduce the error is repeated with
// more damping. Joints that would leave their limits are moved to the limit and locked there, and the others are solved again.
// ik_chain_restart.wgsl follows this file and restarts problems whose solve from the current pose failed.
//
// src/render/gpu_ik/shaders.rs generates the constants JOINTS, UNROLLED and KINDS. Lengths are fractions of the chain's length.
// #import ik_goal, ik_joint, joint_limits, rotation, trigonometry

struct ChainConstants {
    // The effector in the frame of the last joint, and the scale of position errors: zero if the goal has no position.
    end: vec4<f32>,
    // Tolerances of position and orientation, the scale of orientation errors, and the damping for a unit error.
    tolerances: vec4<f32>,
    problems: u32,
    // Number of restarts, a power of two up to 64. Zero disables restarts.
    restarts: u32,
    iterations: u32,
    // Number of poses in the table.
    poses: u32,
    // The number of joints (see joint_count).
    joints: u32,
    reserved_0: u32,
    reserved_1: u32,
    reserved_2: u32,
}

struct Unsolved {
    count: atomic<u32>,
    problems: array<u32>,
}

@group(0) @binding(0) var<uniform> chain: ChainConstants;
@group(0) @binding(1) var<storage, read> joints: array<PackedJoint>;
@group(0) @binding(2) var<storage, read> targets: array<ChainTarget>;
// The rotations of each problem's start pose.
@group(0) @binding(3) var<storage, read> starts: array<vec4<f32>>;
// Each pose of the table: rotations, position of the effector, orientation of the last joint.
@group(0) @binding(4) var<storage, read> poses: array<vec4<f32>>;
// Each answer: rotations; then squared error, position error, orientation error and number of iterations.
@group(0) @binding(5) var<storage, read_write> answers: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> unsolved: Unsolved;

const LANES: u32 = 64u;
// As in src/ik/damping.rs.
const MORE_DAMPING: f32 = 8.0;
const LESS_DAMPING: f32 = 0.25;
// Lower bound of λ² and of pivots. Smaller numbers are rounding errors of the normal matrix.
const DAMPING_FLOOR: f32 = 1e-7;
// A step must reduce the squared error to less than this fraction of its previous value.
const PROGRESS: f32 = 0.9999;
const REJECTIONS: u32 = 5u;
// Number of times that a step is solved with more joints locked.
const ROUNDS: u32 = 4u;
// A joint is locked if a step would turn it beyond its limit by more than the sum of this margin, in radians, and this fraction of its
// turn. The direction of a smaller excess would be noise.
const LOCK_MARGIN: f32 = 1e-6;
const LOCK_FRACTION: f32 = 0.01;

struct Lower {
    inverse: vec3<f32>,
    below: vec3<f32>,
}

var<private> own: array<vec4<f32>, JOINTS>;
var<private> kept: array<vec4<f32>, JOINTS>;
var<private> orientations: array<vec4<f32>, JOINTS>;
var<private> places: array<vec3<f32>, JOINTS>;
// For each joint, the locked direction in its own frame, and the turn about it. A zero vector means that no direction is locked.
var<private> locks: array<vec4<f32>, JOINTS>;
var<private> end_place: vec3<f32>;
var<private> error: vec3<f32>;
var<private> turn: vec3<f32>;
var<private> cost: f32;
// The cost of the kept pose.
var<private> least: f32;
// The factor by which λ² is multiplied.
var<private> boost: f32;
var<private> rejections: u32;
var<private> iteration: u32;
var<private> stopped: bool;
// The solution y of the normal equations.
var<private> pull: vec3<f32>;
var<private> twist: vec3<f32>;

// Returns the number of joints. Usually it is a constant, so that compilers unroll loops and keep the joints in registers. For software
// adapters it is a variable, because compiling unrolled loops takes them longer than solving.
fn joint_count() -> u32 {
    return select(chain.joints, JOINTS, UNROLLED);
}

// Computes the frames of the joints and the errors of the effector.
fn forward(target_pose: ChainTarget) {
    var orientation = IDENTITY;
    var place = vec3<f32>(0.0);
    for (var j = 0u; j < joint_count(); j++) {
        place += quat_rotate(orientation, joints[j].offset.xyz);
        orientation = quat_mul(quat_mul(orientation, joints[j].before), own[j]);
        orientations[j] = orientation;
        places[j] = place;
    }
    end_place = place + quat_rotate(orientation, chain.end.xyz);
    error = (target_pose.position.xyz - end_place) * chain.end.w;
    turn = rotation_vector(quat_mul(target_pose.orientation, quat_conjugate(orientation))) * chain.tolerances.z;
    cost = dot(error, error) + dot(turn, turn);
}

fn is_met() -> bool {
    return length(error) <= chain.tolerances.x && length(turn) <= chain.tolerances.y * chain.tolerances.z;
}

// The Cholesky decomposition of a symmetric matrix with the diagonal d and the elements o (10, 20, 21).
fn cholesky(d: vec3<f32>, o: vec3<f32>) -> Lower {
    let i0 = 1.0 / sqrt(max(d.x, DAMPING_FLOOR));
    let l10 = o.x * i0;
    let l20 = o.y * i0;
    let i1 = 1.0 / sqrt(max(d.y - l10 * l10, DAMPING_FLOOR));
    let l21 = (o.z - l20 * l10) * i1;
    let i2 = 1.0 / sqrt(max(d.z - l20 * l20 - l21 * l21, DAMPING_FLOOR));
    return Lower(vec3<f32>(i0, i1, i2), vec3<f32>(l10, l20, l21));
}

fn solve_lower(l: Lower, b: vec3<f32>) -> vec3<f32> {
    let x = b.x * l.inverse.x;
    let y = (b.y - l.below.x * x) * l.inverse.y;
    return vec3<f32>(x, y, (b.z - l.below.y * x - l.below.z * y) * l.inverse.z);
}

fn solve_upper(l: Lower, b: vec3<f32>) -> vec3<f32> {
    let z = b.z * l.inverse.z;
    let y = (b.y - l.below.z * z) * l.inverse.y;
    return vec3<f32>((b.x - l.below.x * y - l.below.y * z) * l.inverse.x, y, z);
}

// Solves (J W Jᵀ + λ²) y = e, where the rotations about locked directions are known. A rotation ω of a joint at distance r from
// the effector moves the effector by ω × r.
fn solve(damping: f32) {
    // The rows of the position block, of the block below it, and of the orientation block.
    var pp0 = vec3<f32>(damping, 0.0, 0.0);
    var pp1 = vec3<f32>(0.0, damping, 0.0);
    var pp2 = vec3<f32>(0.0, 0.0, damping);
    var op0 = vec3<f32>(0.0);
    var op1 = vec3<f32>(0.0);
    var op2 = vec3<f32>(0.0);
    var oo0 = pp0;
    var oo1 = pp1;
    var oo2 = pp2;
    var e = error;
    var t = turn;
    let radian = chain.tolerances.z;
    for (var j = 0u; j < joint_count(); j++) {
        let weight = joints[j].offset.w;
        let r = (end_place - places[j]) * chain.end.w;
        let lock = locks[j];
        let is_locked = dot(lock.xyz, lock.xyz) > 0.0;
        var axis = vec3<f32>(0.0);
        var sign = weight;
        if joints[j].limit.kind == HINGE {
            axis = quat_rotate(orientations[j], joints[j].limit.axis);
            if is_locked {
                sign = 0.0;
            }
        } else {
            // All directions except the locked one.
            let square = dot(r, r);
            pp0 += weight * (vec3<f32>(square, 0.0, 0.0) - r.x * r);
            pp1 += weight * (vec3<f32>(0.0, square, 0.0) - r.y * r);
            pp2 += weight * (vec3<f32>(0.0, 0.0, square) - r.z * r);
            op0 += weight * radian * vec3<f32>(0.0, -r.z, r.y);
            op1 += weight * radian * vec3<f32>(r.z, 0.0, -r.x);
            op2 += weight * radian * vec3<f32>(-r.y, r.x, 0.0);
            oo0.x += weight * radian * radian;
            oo1.y += weight * radian * radian;
            oo2.z += weight * radian * radian;
            axis = quat_rotate(orientations[j], lock.xyz);
            sign = -weight;
        }
        let p = cross(axis, r);
        let o = axis * radian;
        pp0 += sign * p.x * p;
        pp1 += sign * p.y * p;
        pp2 += sign * p.z * p;
        op0 += sign * o.x * p;
        op1 += sign * o.y * p;
        op2 += sign * o.z * p;
        oo0 += sign * o.x * o;
        oo1 += sign * o.y * o;
        oo2 += sign * o.z * o;
        if is_locked {
            let known = quat_rotate(orientations[j], lock.xyz) * lock.w;
            e -= cross(known, r);
            t -= known * radian;
        }
    }
    let upper = cholesky(vec3<f32>(pp0.x, pp1.y, pp2.z), vec3<f32>(pp1.x, pp2.x, pp2.y));
    let l0 = solve_lower(upper, op0);
    let l1 = solve_lower(upper, op1);
    let l2 = solve_lower(upper, op2);
    let lower = cholesky(
        vec3<f32>(oo0.x - dot(l0, l0), oo1.y - dot(l1, l1), oo2.z - dot(l2, l2)),
        vec3<f32>(oo1.x - dot(l1, l0), oo2.x - dot(l2, l0), oo2.y - dot(l2, l1)),
    );
    let z = solve_lower(upper, e);
    twist = solve_upper(lower, solve_lower(lower, t - vec3<f32>(dot(l0, z), dot(l1, z), dot(l2, z))));
    pull = solve_upper(upper, z - l0 * twist.x - l1 * twist.y - l2 * twist.z);
}

// Returns the step of a joint in its own rotated frame: W Jᵀ y without the locked direction, whose rotation is known.
fn joint_step(j: u32) -> vec3<f32> {
    let r = (end_place - places[j]) * chain.end.w;
    let wanted = joints[j].offset.w * (cross(r, pull) + chain.tolerances.z * twist);
    let local = quat_rotate(quat_conjugate(orientations[j]), wanted);
    let lock = locks[j];
    let is_locked = dot(lock.xyz, lock.xyz) > 0.0;
    if joints[j].limit.kind == HINGE {
        return select(joints[j].limit.axis * dot(joints[j].limit.axis, local), lock.xyz * lock.w, is_locked);
    }
    return local + lock.xyz * (lock.w - dot(local, lock.xyz));
}

// Applies the step of a joint to the kept pose. Locks the joint if the step would turn it beyond its limit, and returns whether it did.
fn turn_joint(j: u32) -> bool {
    let wanted = joint_step(j);
    let allowed = nearest_allowed(quat_normalize(quat_mul(kept[j], retract(wanted))), joints[j].limit);
    own[j] = allowed;
    let lock = locks[j];
    let is_hinge = joints[j].limit.kind == HINGE;
    if joints[j].limit.kind == FREE || (is_hinge && dot(lock.xyz, lock.xyz) > 0.0) {
        return false;
    }
    let most = step_of(quat_mul(quat_conjugate(kept[j]), allowed));
    let beyond = wanted - most;
    let distance = length(beyond);
    if distance <= LOCK_MARGIN + LOCK_FRACTION * length(wanted) {
        return false;
    }
    let direction = select(beyond / distance, joints[j].limit.axis, is_hinge);
    locks[j] = vec4<f32>(direction, dot(most, direction));
    return true;
}

// Takes a step from the kept pose, whose frames have been computed.
fn take_step(damping: f32) {
    for (var j = 0u; j < joint_count(); j++) {
        locks[j] = vec4<f32>(0.0);
    }
    for (var round = 0u; round < ROUNDS; round++) {
        solve(damping);
        var changed = false;
        for (var j = 0u; j < joint_count(); j++) {
            changed = turn_joint(j) || changed;
        }
        if !changed {
            break;
        }
    }
}

// Begins a descent from the loaded pose.
fn begin() {
    least = 1e30;
    boost = 1.0;
    rejections = 0u;
    iteration = 0u;
    stopped = false;
}

// Takes steps until the goal is met, the error no longer falls, or the iterations are used up. Ends in the best pose.
fn descend(target_pose: ChainTarget, iterations: u32) {
    // Whether the pose is the kept one, which need not be evaluated again.
    var is_kept = iteration > 0u;
    loop {
        forward(target_pose);
        if is_kept {
            is_kept = false;
        } else if cost < PROGRESS * least {
            least = cost;
            kept = own;
            boost = max(1.0, boost * LESS_DAMPING);
            rejections = 0u;
            stopped = stopped || is_met();
        } else {
            own = kept;
            is_kept = true;
            boost *= MORE_DAMPING;
            rejections++;
            stopped = stopped || rejections > REJECTIONS;
            continue;
        }
        if stopped || iteration >= iterations {
            break;
        }
        iteration++;
        take_step(boost * (chain.tolerances.w * cost + DAMPING_FLOOR));
    }
    own = kept;
}

fn store_answer(problem: u32) {
    let first = problem * (JOINTS + 1u);
    for (var j = 0u; j < joint_count(); j++) {
        answers[first + j] = own[j];
    }
    let radian = select(0.0, length(turn) / chain.tolerances.z, chain.tolerances.z > 0.0);
    answers[first + JOINTS] = vec4<f32>(cost, length(error), radian, f32(iteration));
}

// Solves each problem from its start pose, and lists the problems that remain unsolved.
@compute @workgroup_size(64)
fn descend_from_start(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let problem = (group.x + group.y * groups.x) * LANES + lane;
    if problem >= chain.problems {
        return;
    }
    for (var j = 0u; j < joint_count(); j++) {
        own[j] = starts[problem * JOINTS + j];
    }
    let target_pose = targets[problem];
    begin();
    descend(target_pose, chain.iterations);
    store_answer(problem);
    if chain.restarts > 0u && !is_met() {
        unsolved.problems[atomicAdd(&unsolved.count, 1u)] = problem;
    }
}
