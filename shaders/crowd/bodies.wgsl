// Inverse kinematics of all characters, one lane for each: feet and hips, goals of limbs and chains, and the head. Only local
// rotations and the translation of the hips change. Requires rotation.wgsl, types.wgsl, body.wgsl, terrain.wgsl, limit.wgsl,
// limb.wgsl, plant.wgsl, hips.wgsl, aim.wgsl and chain.wgsl. The CPU twin is src/crowd/body/bodies.rs.

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> characters: array<Character>;
@group(0) @binding(2) var<storage, read> joints: array<Joint>;
@group(0) @binding(3) var<storage, read> body: Body;
@group(0) @binding(4) var<storage, read> heights: array<f32>;
@group(0) @binding(5) var<storage, read> goals: array<Goal>;
@group(0) @binding(6) var<storage, read_write> stances: array<Stance>;
@group(0) @binding(7) var<storage, read_write> locals: array<Local>;
// The pose of the clips. It does not change here.
@group(0) @binding(8) var<storage, read> models: array<Rows>;

// Returns the index of the goal of a limb, a chain or the head, or NONE.
fn goal_of(character: u32, limb: u32) -> u32 {
    for (var i = character * GOALS; i < character * GOALS + GOALS; i++) {
        if goals[i].limb == limb && goals[i].weight > 0.0 && is_finite3(goals[i].position) {
            return i;
        }
    }
    return NONE;
}

// Returns a world position in model space.
fn in_model(character: u32, position: vec3<f32>) -> vec3<f32> {
    return unplaced(character, position - characters[character].position);
}

// Moves a limb to the place of its foot, and towards its goal if it has one.
fn pose_limb(character: u32, index: u32, base: Base, foot: FootGoal) {
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
    // The limits of hips give way to the ground, because a foot must not sink into it.
    let is_standing = index < body.legs && crowd.columns > 0u;
    if is_standing {
        is_moved = foot.is_moved || any(base.shift != vec3<f32>(0.0));
        at = unplaced(character, foot.ankle);
        turn = unplaced_turn(character, foot.turn);
    }
    var pole = vec3<f32>(0.0);
    let found = goal_of(character, index);
    if found != NONE {
        let goal = goals[found];
        let weight = min(goal.weight, 1.0);
        at = mix(at, in_model(character, goal.position), weight);
        is_moved = true;
        if (goal.flags & HAS_ROTATION) != 0u && is_finite(goal.rotation) {
            let now = orientation(first, end);
            let wanted = quat_mul(quat_conjugate(characters[character].rotation), goal.rotation);
            turn = quat_mul(part_of(quat_mul(wanted, quat_conjugate(quat_mul(turn, now))), weight), turn);
        }
        if (goal.flags & HAS_POLE) != 0u && is_finite3(goal.pole) {
            let origin = position_of(models[first + body.limb[index].first]);
            pole = unmoved(base, in_model(character, goal.pole)) - origin;
        }
    }
    if is_moved {
        turn = quat_mul(quat_conjugate(base.turn), turn);
        solve_limb(first, index, base, unmoved(base, at), turn, pole, !is_standing);
    }
}

@compute @workgroup_size(LANES)
fn pose_bodies(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character >= crowd.characters || characters[character].is_present == 0u {
        return;
    }
    let first = character * crowd.joints;
    var feet: array<FootGoal, LIMBS>;
    var base = Base(IDENTITY, vec3<f32>(0.0));
    if crowd.columns > 0u {
        for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
            feet[leg] = place_foot(character, leg);
        }
        if body.hips != NONE && body.legs > 0u {
            base = move_hips(character, &feet);
        }
    }
    for (var limb = 0u; limb < min(body.limbs, LIMBS); limb++) {
        pose_limb(character, limb, base, feet[limb]);
    }
    if any(base.shift != vec3<f32>(0.0)) {
        let above = parent_rows(first, body.hips);
        let hips = position_of(models[first + body.hips]);
        translate(first, body.hips, vector_in_frame(above, moved(base, hips) - hips));
        if any(base.turn != IDENTITY) {
            let rotation = quat_mul(to_parent(above, base.turn), locals[first + body.hips].rotation);
            set_rotation(first, body.hips, rotation);
        }
    }
    for (var chain = 0u; chain < min(body.chains, CHAINS); chain++) {
        let found = goal_of(character, body.limbs + chain);
        if found != NONE {
            let end = body.chain[chain].joints[min(body.chain[chain].links, LINKS)];
            let now = position_of(models[first + end]);
            let goal = unmoved(base, in_model(character, goals[found].position));
            solve_chain(first, chain, mix(now, goal, min(goals[found].weight, 1.0)));
        }
    }
    var at = crowd.eye;
    var weight = characters[character].looks;
    let found = goal_of(character, HEAD);
    if found != NONE {
        at = goals[found].position;
        weight = goals[found].weight;
    }
    aim_head(character, unmoved(base, in_model(character, at)), weight);
    stances[character].is_known = 1u;
}
