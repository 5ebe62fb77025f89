// Solves for poses of whole bodies with several goals by damped least squares. Each workgroup solves one body. The CPU twin is
// src/render/gpu_ik/twin/tree.rs.
//
// The steps are as in ik_chain.wgsl. The normal equations have three rows for each position and each orientation. Their matrix, its Cholesky
// decomposition and the frames of the joints are in workgroup memory. Each lane owns up to two joints. Lengths are fractions of the length of the
// longest chain.
// #import ik_goal, ik_joint, joint_limits, rotation, trigonometry

// Every kind of limit occurs except LOCKED: locked joints are part of the joint above (src/render/gpu_ik/structure.rs).
const KINDS: u32 = ALL_KINDS ^ (1u << LOCKED);

struct TreeConstants {
    joints: u32,
    goals: u32,
    problems: u32,
    iterations: u32,
    // Number of joints on the longest path from the base.
    depth: u32,
    // The weight of translations of the base. Zero if the base does not move.
    root_weight: f32,
    // The damping for a unit error.
    damping: f32,
    // Number of rows of the normal equations.
    rows: u32,
}

@group(0) @binding(0) var<uniform> tree: TreeConstants;
@group(0) @binding(1) var<storage, read> joints: array<PackedJoint>;
@group(0) @binding(2) var<storage, read> goals: array<TreeGoal>;
// One target for each goal of each problem.
@group(0) @binding(3) var<storage, read> targets: array<ChainTarget>;
@group(0) @binding(4) var<storage, read> starts: array<vec4<f32>>;
// Each answer: rotations; translation of the base; then squared error, number of goals met, zero, and number of iterations.
@group(0) @binding(5) var<storage, read_write> answers: array<vec4<f32>>;
// The error of each row: six times its goal, plus 0 to 2 for the position and 3 to 5 for the orientation.
@group(0) @binding(6) var<storage, read> row_errors: array<u32>;

const LANES: u32 = 64u;
const OWNED: u32 = 2u;
const MAX_JOINTS: u32 = 96u;
const MAX_GOALS: u32 = 8u;
const MAX_ROWS: u32 = 48u;
// The packed lower triangle of the matrix, with the errors as its last row.
const MAX_PACKED: u32 = 1225u;
const MORE_DAMPING: f32 = 8.0;
const LESS_DAMPING: f32 = 0.25;
const DAMPING_FLOOR: f32 = 1e-6;
const PROGRESS: f32 = 0.9999;
const REJECTIONS: u32 = 5u;
const ROUNDS: u32 = 3u;
const LOCK_MARGIN: f32 = 1e-6;
const LOCK_FRACTION: f32 = 0.01;

var<workgroup> orientations: array<vec4<f32>, MAX_JOINTS>;
var<workgroup> places: array<vec4<f32>, MAX_JOINTS>;
// In base space, the axis of a hinge that is not locked, or the locked direction of another joint.
var<workgroup> axes: array<vec4<f32>, MAX_JOINTS>;
// The known rotations of locked joints in base space.
var<workgroup> known: array<vec4<f32>, MAX_JOINTS>;
var<workgroup> ends: array<vec3<f32>, MAX_GOALS>;
var<workgroup> errors: array<f32, MAX_ROWS>;
var<workgroup> matrix: array<f32, MAX_PACKED>;
var<workgroup> pull: array<f32, MAX_ROWS>;
var<workgroup> root: vec3<f32>;
var<workgroup> cost: f32;
var<workgroup> goals_met: u32;
// `lock_added` is 1 if a joint was locked in this round. All lanes read its copy `changed`.
var<workgroup> lock_added: atomic<u32>;
var<workgroup> changed: u32;

var<private> own: array<vec4<f32>, OWNED>;
var<private> kept: array<vec4<f32>, OWNED>;
var<private> locks: array<vec4<f32>, OWNED>;

fn packed(row: u32, column: u32) -> u32 {
    return row * (row + 1u) / 2u + column;
}

fn is_above(goal: u32, joint: u32) -> bool {
    return (goals[goal].above[joint / 32u] & (1u << (joint % 32u))) != 0u;
}

// Computes the frames of the joints depth by depth, and then the errors of the goals.
fn forward(problem: u32, lane: u32) {
    for (var level = 0u; level < tree.depth; level++) {
        for (var i = 0u; i < OWNED; i++) {
            let j = lane + i * LANES;
            if j < tree.joints && joints[j].depth == level {
                var orientation = IDENTITY;
                var place = root;
                let parent = joints[j].parent;
                if parent != NO_PARENT {
                    orientation = orientations[parent];
                    place = places[parent].xyz;
                }
                places[j] = vec4<f32>(place + quat_rotate(orientation, joints[j].offset.xyz), joints[j].offset.w);
                orientations[j] = quat_mul(quat_mul(orientation, joints[j].before), own[i]);
            }
        }
        workgroupBarrier();
    }
    if lane < tree.goals {
        let goal = goals[lane];
        let wanted = targets[problem * tree.goals + lane];
        let orientation = orientations[goal.joint];
        let end = places[goal.joint].xyz + quat_rotate(orientation, goal.end.xyz);
        ends[lane] = end;
        let error = (wanted.position.xyz - end) * goal.end.w;
        let turn = rotation_vector(quat_mul(wanted.orientation, quat_conjugate(orientation))) * goal.tolerances.z;
        for (var i = 0u; i < 3u; i++) {
            errors[6u * lane + i] = error[i];
            errors[6u * lane + 3u + i] = turn[i];
        }
    }
    workgroupBarrier();
    if lane == 0u {
        var sum = 0.0;
        var met = 0u;
        for (var g = 0u; g < tree.goals; g++) {
            let e = vec3<f32>(errors[6u * g], errors[6u * g + 1u], errors[6u * g + 2u]);
            let t = vec3<f32>(errors[6u * g + 3u], errors[6u * g + 4u], errors[6u * g + 5u]);
            sum += dot(e, e) + dot(t, t);
            let goal = goals[g];
            if length(e) <= goal.tolerances.x * goal.end.w && length(t) <= goal.tolerances.y * goal.tolerances.z {
                met++;
            }
        }
        cost = sum;
        goals_met = met;
    }
    workgroupBarrier();
}

// Returns a row of the Jacobian for a joint, as a vector in base space. Its dot product with a rotation of the joint is the change of an
// error.
fn row_of(index: u32, joint: u32) -> vec3<f32> {
    let goal = index / 6u;
    let component = index % 6u;
    var unit = vec3<f32>(0.0);
    unit[component % 3u] = 1.0;
    if component >= 3u {
        return unit * goals[goal].tolerances.z;
    }
    return cross((ends[goal] - places[joint].xyz) * goals[goal].end.w, unit);
}

// Fills the packed matrix J W Jᵀ + λ² and its last row, which contains the errors minus the effect of the known rotations.
fn assemble(lane: u32, rows: u32, damping: f32) {
    for (var index = lane; index < packed(rows + 1u, 0u); index += LANES) {
        // The row of a packed element. Rounding errors of the square root are corrected.
        var row = u32((sqrt(8.0 * f32(index) + 1.0) - 1.0) * 0.5);
        row = select(row, row + 1u, packed(row + 1u, 0u) <= index);
        row = select(row, row - 1u, packed(row, 0u) > index);
        let column = index - packed(row, 0u);
        var sum = 0.0;
        let b = row_errors[min(column, rows - 1u)];
        if row == rows {
            sum = errors[b];
            for (var j = 0u; j < tree.joints; j++) {
                if is_above(b / 6u, j) {
                    sum -= dot(row_of(b, j), known[j].xyz);
                }
            }
        } else {
            let a = row_errors[row];
            sum = select(0.0, damping, row == column);
            if a % 6u == b % 6u && a % 6u < 3u {
                sum += tree.root_weight * goals[a / 6u].end.w * goals[b / 6u].end.w;
            }
            for (var j = 0u; j < tree.joints; j++) {
                if is_above(a / 6u, j) && is_above(b / 6u, j) {
                    let from_a = row_of(a, j);
                    let from_b = row_of(b, j);
                    let axis = axes[j];
                    // The last component is one for a hinge.
                    let across = dot(axis.xyz, from_a) * dot(axis.xyz, from_b);
                    sum += places[j].w * select(dot(from_a, from_b) - across, across, axis.w > 0.0);
                }
            }
        }
        matrix[index] = sum;
    }
    workgroupBarrier();
}

// Solves the normal equations by Cholesky decomposition. The last row becomes the solution of the lower triangle.
fn solve(lane: u32, rows: u32) {
    for (var k = 0u; k < rows; k++) {
        let inverse = 1.0 / sqrt(max(matrix[packed(k, k)], DAMPING_FLOOR));
        workgroupBarrier();
        for (var i = k + lane; i <= rows; i += LANES) {
            // The diagonal stores its inverse.
            matrix[packed(i, k)] = select(matrix[packed(i, k)] * inverse, inverse, i == k);
        }
        workgroupBarrier();
        // Each lane updates some of the rows below.
        for (var i = k + 1u + lane; i <= rows; i += LANES) {
            let factor = matrix[packed(i, k)];
            for (var c = k + 1u; c <= min(i, rows - 1u); c++) {
                matrix[packed(i, c)] -= factor * matrix[packed(c, k)];
            }
        }
        workgroupBarrier();
    }
    for (var n = rows; n > 0u; n--) {
        let k = n - 1u;
        let value = matrix[packed(rows, k)] * matrix[packed(k, k)];
        if lane < k {
            matrix[packed(rows, lane)] -= matrix[packed(k, lane)] * value;
        }
        if lane == k {
            pull[row_errors[k]] = value;
        }
        workgroupBarrier();
    }
}

// Returns the step of a joint in its own rotated frame.
fn joint_step(j: u32, lock: vec4<f32>) -> vec3<f32> {
    var wanted = vec3<f32>(0.0);
    for (var g = 0u; g < tree.goals; g++) {
        if is_above(g, j) {
            let y = vec3<f32>(pull[6u * g], pull[6u * g + 1u], pull[6u * g + 2u]);
            let t = vec3<f32>(pull[6u * g + 3u], pull[6u * g + 4u], pull[6u * g + 5u]);
            let r = (ends[g] - places[j].xyz) * goals[g].end.w;
            wanted += cross(r, y) + goals[g].tolerances.z * t;
        }
    }
    let local = quat_rotate(quat_conjugate(orientations[j]), places[j].w * wanted);
    let is_locked = dot(lock.xyz, lock.xyz) > 0.0;
    if joints[j].limit.kind == HINGE {
        return select(joints[j].limit.axis * dot(joints[j].limit.axis, local), lock.xyz * lock.w, is_locked);
    }
    return local + lock.xyz * (lock.w - dot(local, lock.xyz));
}

// Applies the step of a joint to its kept rotation. Locks the joint if the step would turn it beyond its limit, and returns whether it did.
fn turn_joint(j: u32, i: u32) -> bool {
    let lock = locks[i];
    let wanted = joint_step(j, lock);
    let allowed = nearest_allowed(quat_normalize(quat_mul(kept[i], retract(wanted))), joints[j].limit);
    own[i] = allowed;
    let is_hinge = joints[j].limit.kind == HINGE;
    if joints[j].limit.kind == FREE || (is_hinge && dot(lock.xyz, lock.xyz) > 0.0) {
        return false;
    }
    let most = step_of(quat_mul(quat_conjugate(kept[i]), allowed));
    let beyond = wanted - most;
    let distance = length(beyond);
    if distance <= LOCK_MARGIN + LOCK_FRACTION * length(wanted) {
        return false;
    }
    let direction = select(beyond / distance, joints[j].limit.axis, is_hinge);
    locks[i] = vec4<f32>(direction, dot(most, direction));
    return true;
}

// Stores the axis of a hinge or the locked direction of another joint, and the known rotation.
fn store_lock(j: u32, lock: vec4<f32>) {
    let is_locked = dot(lock.xyz, lock.xyz) > 0.0;
    let direction = quat_rotate(orientations[j], lock.xyz);
    known[j] = vec4<f32>(direction * lock.w, 0.0);
    if joints[j].limit.kind == HINGE {
        let axis = select(quat_rotate(orientations[j], joints[j].limit.axis), vec3<f32>(0.0), is_locked);
        axes[j] = vec4<f32>(axis, 1.0);
    } else {
        axes[j] = vec4<f32>(direction, 0.0);
    }
}

// Takes a step from the kept pose, whose frames have been computed.
fn take_step(lane: u32, rows: u32, damping: f32) {
    for (var i = 0u; i < OWNED; i++) {
        locks[i] = vec4<f32>(0.0);
        let j = lane + i * LANES;
        if j < tree.joints {
            store_lock(j, locks[i]);
        }
    }
    workgroupBarrier();
    for (var round = 0u; round < ROUNDS; round++) {
        assemble(lane, rows, damping);
        solve(lane, rows);
        for (var i = 0u; i < OWNED; i++) {
            let j = lane + i * LANES;
            if j < tree.joints && turn_joint(j, i) {
                store_lock(j, locks[i]);
                atomicStore(&lock_added, 1u);
            }
        }
        workgroupBarrier();
        if lane == 0u {
            changed = atomicExchange(&lock_added, 0u);
        }
        if workgroupUniformLoad(&changed) == 0u {
            break;
        }
    }
    workgroupBarrier();
    if lane == 0u {
        for (var g = 0u; g < tree.goals; g++) {
            let y = vec3<f32>(pull[6u * g], pull[6u * g + 1u], pull[6u * g + 2u]);
            root += tree.root_weight * goals[g].end.w * y;
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn solve_bodies(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // The problem is the same for all lanes of a workgroup.
    let problem = min(group.x + group.y * groups.x, tree.problems - 1u);
    let rows = min(tree.rows, MAX_ROWS);
    for (var i = 0u; i < OWNED; i++) {
        let j = lane + i * LANES;
        if j < tree.joints {
            own[i] = starts[problem * tree.joints + j];
        }
    }
    if lane == 0u {
        root = vec3<f32>(0.0);
    }
    workgroupBarrier();
    var boost = 1.0;
    var rejections = 0u;
    var iteration = 0u;
    var least = 1e30;
    var root_kept = vec3<f32>(0.0);
    // Whether the pose is the kept one, which need not be evaluated again.
    var is_kept = false;
    var stopped = false;
    loop {
        forward(problem, lane);
        let now = workgroupUniformLoad(&cost);
        if is_kept {
            is_kept = false;
        } else if now < PROGRESS * least {
            least = now;
            kept = own;
            root_kept = workgroupUniformLoad(&root);
            boost = max(1.0, boost * LESS_DAMPING);
            rejections = 0u;
            stopped = workgroupUniformLoad(&goals_met) == tree.goals;
        } else {
            own = kept;
            if lane == 0u {
                root = root_kept;
            }
            workgroupBarrier();
            is_kept = true;
            boost *= MORE_DAMPING;
            rejections++;
            stopped = rejections > REJECTIONS;
            continue;
        }
        if stopped || iteration >= tree.iterations {
            break;
        }
        iteration++;
        take_step(lane, rows, boost * (tree.damping * now + DAMPING_FLOOR));
    }
    let first = problem * (tree.joints + 2u);
    for (var i = 0u; i < OWNED; i++) {
        let j = lane + i * LANES;
        if j < tree.joints {
            answers[first + j] = own[i];
        }
    }
    if lane == 0u {
        answers[first + tree.joints] = vec4<f32>(root, 0.0);
        answers[first + tree.joints + 1u] = vec4<f32>(cost, f32(goals_met), 0.0, f32(iteration));
    }
}
