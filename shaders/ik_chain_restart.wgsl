// Restarts of chains from a table of poses. Follows ik_chain.wgsl.
// #import ik_chain

// The iterations of restarts are divided into this many parts. After each part, all restarts of a problem end if one of them has met the
// goal.
const PARTS: u32 = 4u;

// Loads the pose whose effector is nearest to the target. Each restart considers its own part of the table.
fn load_nearest(target_pose: ChainTarget, restart: u32) {
    var nearest = restart;
    var least_distance = 1e30;
    for (var pose = restart; pose < chain.poses; pose += chain.restarts) {
        let end = pose * (JOINTS + 2u) + JOINTS;
        let away = (target_pose.position.xyz - poses[end].xyz) * chain.end.w;
        let cosine = dot(target_pose.orientation, poses[end + 1u]);
        let radian = chain.tolerances.z;
        // The chord of a rotation is shorter than its angle, but results in the same order.
        let distance = dot(away, away) + 4.0 * radian * radian * (1.0 - cosine * cosine);
        if distance < least_distance {
            least_distance = distance;
            nearest = pose;
        }
    }
    for (var j = 0u; j < joint_count(); j++) {
        own[j] = poses[nearest * (JOINTS + 2u) + j];
    }
}

// Returns a measure of the rotation of the joints from the start pose. Among the answers that meet the goal, the one with the smallest
// rotation wins.
fn turned(problem: u32) -> f32 {
    var sum = 0.0;
    for (var j = 0u; j < joint_count(); j++) {
        let cosine = dot(own[j], starts[problem * JOINTS + j]);
        sum += 1.0 - cosine * cosine;
    }
    return sum;
}

var<workgroup> met: array<atomic<u32>, 64>;
var<workgroup> scores: array<f32, 64>;

// Solves the listed problems from other poses. Of the answers that meet the goal, the one that turns the joints least is
// stored. If no start reaches the goal, the one with the least error is stored.
@compute @workgroup_size(64)
fn restart(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let slot = lane / chain.restarts;
    let number = (group.x + group.y * groups.x) * (LANES / chain.restarts) + slot;
    let is_active = number < atomicLoad(&unsolved.count);
    var problem = 0u;
    var target_pose = targets[0];
    begin();
    stopped = true;
    if is_active {
        problem = unsolved.problems[number];
        target_pose = targets[problem];
        load_nearest(target_pose, lane % chain.restarts);
        begin();
    }
    for (var part = 1u; part <= PARTS; part++) {
        descend(target_pose, chain.iterations * part / PARTS);
        if is_active && is_met() {
            atomicStore(&met[slot], 1u);
        }
        workgroupBarrier();
        stopped = stopped || atomicLoad(&met[slot]) == 1u;
        // No lane continues before all lanes have read the flag.
        workgroupBarrier();
    }
    var score = 1e30;
    if is_active {
        // The score of an answer that meets the goal is negative.
        score = select(cost, -1.0 / (1.0 + turned(problem)), is_met());
    }
    scores[lane] = score;
    workgroupBarrier();
    var is_best = is_active && score < answers[problem * (JOINTS + 1u) + JOINTS].x;
    for (var other = slot * chain.restarts; other < (slot + 1u) * chain.restarts; other++) {
        is_best = is_best && (score < scores[other] || (score == scores[other] && lane <= other));
    }
    if is_best {
        store_answer(problem);
    }
}
