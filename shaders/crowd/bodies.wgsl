// Inverse kinematics of all characters: feet and hips, goals of limbs and chains, and the head. Only local rotations and the translation
// of the hips change. At most one limb or chain turns each joint. The CPU twin is src/character/body/pose.rs.
// #import crowd/aim, crowd/body, crowd/chain, crowd/fade, crowd/frames, crowd/goal, crowd/hips
// #import crowd/limb, crowd/plant, crowd/types, rotation

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> characters: array<Character>;
@group(0) @binding(2) var<storage, read> joints: array<CrowdJoint>;
@group(0) @binding(3) var<storage, read> body: CrowdBody;
@group(0) @binding(4) var<storage, read> heights: array<f32>;
@group(0) @binding(5) var<storage, read> goals: array<PackedGoal>;
@group(0) @binding(6) var<storage, read_write> stances: array<Stance>;
@group(0) @binding(7) var<storage, read_write> locals: array<Local>;
// The pose of the clips. It does not change here.
@group(0) @binding(8) var<storage, read> models: array<Rows>;

// Converts a position from world space to model space.
fn in_model(character: u32, position: vec3<f32>) -> vec3<f32> {
    return unplaced(character, position - characters[character].position);
}

// Converts a position from the frame of a goal to model space, after the hips moved.
fn goal_point(character: u32, base: Base, goal: PackedGoal, position: vec3<f32>) -> vec3<f32> {
    if goal.frame == WORLD {
        return in_model(character, position);
    }
    if goal.frame == CHARACTER {
        return position;
    }
    let at = row_point(models[character * crowd.joints + goal.frame], position);
    if (goal.flags & FOLLOWS_HIPS) != 0u {
        return moved(base, at);
    }
    return at;
}

// Converts the rotation of a goal from its frame to model space, after the hips moved.
fn goal_turn(character: u32, base: Base, goal: PackedGoal) -> vec4<f32> {
    if goal.frame == WORLD {
        return quat_mul(quat_conjugate(characters[character].rotation), goal.rotation);
    }
    if goal.frame == CHARACTER {
        return goal.rotation;
    }
    let turn = quat_mul(orientation(character * crowd.joints, goal.frame), goal.rotation);
    if (goal.flags & FOLLOWS_HIPS) != 0u {
        return quat_mul(base.turn, turn);
    }
    return turn;
}

// The target of a limb.
struct LimbGoal {
    turn: vec4<f32>,          // rotation of the end from the pose of the clip, before the hips moved
    position: vec3<f32>,      // of the end in model space, before the hips moved
    pole: vec3<f32>,          // relative to the first joint, or zero
    is_moved: bool,
}

fn is_standing(index: u32) -> bool {
    return index < body.legs && crowd.columns > 0u;
}

// Returns the target of a limb: its foot or its pose in the clip, over which its goals are blended in order.
fn limb_goal(character: u32, index: u32, base: Base, foot: FootGoal) -> LimbGoal {
    let first = character * crowd.joints;
    let end = body.limb[index].end;
    let is_below = (body.limb[index].flags & BELOW_HIPS) != 0u;
    var at = position_of(models[first + end]);
    var turn = IDENTITY;
    if is_below {
        at = moved(base, at);
        turn = base.turn;
    }
    var is_moved = false;
    if is_standing(index) {
        is_moved = foot.is_moved || any(base.shift != vec3<f32>(0.0));
        at = unplaced(character, foot.ankle);
        turn = unplaced_turn(character, foot.turn);
    }
    var pole = vec3<f32>(0.0);
    for (var i = 0u; i < GOALS; i++) {
        if !is_moved_by(character, i, index) {
            continue;
        }
        let goal = goals[character * GOALS + i];
        at = faded(character, i, at, within_reach(first, index, base, goal_point(character, base, goal, goal.position)));
        is_moved = true;
        var rotation = IDENTITY;
        if (goal.flags & HAS_ROTATION) != 0u && is_finite(goal.rotation) {
            let now = orientation(first, end);
            let wanted = goal_turn(character, base, goal);
            rotation = part_of(quat_mul(wanted, quat_conjugate(quat_mul(turn, now))), min(goal.weight, 1.0));
        }
        turn = quat_mul(faded_turn(character, i, rotation), turn);
        if (goal.flags & HAS_POLE) != 0u && goal.weight > 0.0 && is_finite3(goal.pole) {
            let origin = position_of(models[first + body.limb[index].first]);
            pole = unmoved(base, goal_point(character, base, goal, goal.pole)) - origin;
        }
    }
    return LimbGoal(quat_mul(quat_conjugate(base.turn), turn), unmoved(base, at), pole, is_moved);
}

fn pose_limb(character: u32, index: u32, base: Base, goal: LimbGoal) {
    if goal.is_moved {
        // The ground takes precedence over the limits of hip joints, because a foot must not sink into it.
        let is_limited = !is_standing(index);
        solve_limb(character * crowd.joints, index, base, goal.position, goal.turn, goal.pole, is_limited);
    }
}

// Moves the joint of the hips.
fn pose_hips(character: u32, base: Base) {
    let first = character * crowd.joints;
    if all(base.shift == vec3<f32>(0.0)) {
        return;
    }
    let above = parent_rows(first, body.hips);
    let hips = position_of(models[first + body.hips]);
    translate(first, body.hips, vector_in_frame(above, moved(base, hips) - hips));
    if any(base.turn != IDENTITY) {
        let rotation = quat_mul(to_parent(above, base.turn), locals[first + body.hips].rotation);
        set_rotation(first, body.hips, rotation);
    }
}

fn pose_chain(character: u32, chain: u32, base: Base) {
    let first = character * crowd.joints;
    var at = position_of(models[first + body.chain[chain].joints[min(body.chain[chain].links, LINKS)]]);
    var is_moved = false;
    for (var i = 0u; i < GOALS; i++) {
        if is_moved_by(character, i, body.limbs + chain) {
            let goal = goals[character * GOALS + i];
            let target_at = unmoved(base, goal_point(character, base, goal, goal.position));
            at = faded(character, i, at, within_chain(first, chain, target_at));
            is_moved = true;
        }
    }
    if is_moved {
        solve_chain(first, chain, at);
    }
}

// Turns the head to the last of its goals. Without one, it turns to `looked_at` or to `eye`.
fn pose_head(character: u32, base: Base) {
    var at = crowd.eye;
    if characters[character].looks_at_point != 0u {
        at = characters[character].looked_at;
    }
    at = in_model(character, at);
    var weight = characters[character].looks;
    for (var i = 0u; i < GOALS; i++) {
        if is_moved_by(character, i, HEAD) {
            let goal = goals[character * GOALS + i];
            at = goal_point(character, base, goal, goal.position);
            weight = faded_look(character, i);
        }
    }
    aim_head(character, unmoved(base, at), weight);
    stances[character].is_known = 1u;
}

// Returns how the hips move.
fn stand(character: u32, feet: ptr<function, array<FootGoal, LIMBS>>) -> Base {
    if crowd.columns == 0u {
        return Base(IDENTITY, vec3<f32>(0.0));
    }
    remember_feet(character, feet);
    if body.hips == NONE || body.legs == 0u {
        return Base(IDENTITY, vec3<f32>(0.0));
    }
    return move_hips(character, feet);
}

// Uses one lane per character, for short skeletons.
@compute @workgroup_size(LANES)
fn bodies_by_lane(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character >= crowd.characters || characters[character].is_present == 0u {
        return;
    }
    var feet: array<FootGoal, LIMBS>;
    for (var leg = 0u; leg < min(body.legs, LIMBS) && crowd.columns > 0u; leg++) {
        feet[leg] = place_foot(character, leg);
    }
    let base = stand(character, &feet);
    update_fades(character);
    // All goals are computed first, because they depend on the pose of the clips.
    var limb_goals: array<LimbGoal, LIMBS>;
    for (var limb = 0u; limb < min(body.limbs, LIMBS); limb++) {
        limb_goals[limb] = limb_goal(character, limb, base, feet[limb]);
    }
    for (var limb = 0u; limb < min(body.limbs, LIMBS); limb++) {
        pose_limb(character, limb, base, limb_goals[limb]);
    }
    pose_hips(character, base);
    for (var chain = 0u; chain < min(body.chains, CHAINS); chain++) {
        pose_chain(character, chain, base);
    }
    pose_head(character, base);
}

// The lanes of a workgroup that poses one character: one for each limb and each chain, one for the hips and one for the head.
const HIPS_LANE: u32 = 12u;   // LIMBS + CHAINS
const HEAD_LANE: u32 = 13u;
const BODY_LANES: u32 = 16u;

var<workgroup> group_feet: array<FootGoal, LIMBS>;
var<workgroup> group_base: Base;

// Uses one workgroup per character, for long skeletons.
@compute @workgroup_size(BODY_LANES)
fn bodies_by_group(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    // Lanes without a character must also reach all barriers.
    let character = min(index, crowd.characters - 1u);
    let is_posed = index < crowd.characters && characters[character].is_present != 0u;
    let is_limb = is_posed && lane < min(body.limbs, LIMBS);
    if is_posed && lane < min(body.legs, LIMBS) && crowd.columns > 0u {
        group_feet[lane] = place_foot(character, lane);
    }
    workgroupBarrier();
    if is_posed && lane == 0u {
        var feet = group_feet;
        group_base = stand(character, &feet);
        update_fades(character);
    }
    workgroupBarrier();
    storageBarrier();
    let base = group_base;
    var goal: LimbGoal;
    if is_limb {
        goal = limb_goal(character, lane, base, group_feet[lane]);
    }
    storageBarrier();
    if is_limb {
        pose_limb(character, lane, base, goal);
    } else if is_posed && lane >= LIMBS && lane < LIMBS + min(body.chains, CHAINS) {
        pose_chain(character, lane - LIMBS, base);
    } else if is_posed && lane == HIPS_LANE {
        pose_hips(character, base);
    } else if is_posed && lane == HEAD_LANE {
        pose_head(character, base);
    }
}
