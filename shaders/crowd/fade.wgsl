// Changes of goals without jumps: the displacement by the previous goal fades out while the new goal fades in. The CPU twin is
// src/character/body/fade.rs.
// #import crowd/bodies, crowd/body, crowd/frames, crowd/goal, rotation

// Updates the fades of a character's goals. A goal that was set since the last step takes over the displacement by the goal that it
// replaces.
fn update_fades(character: u32) {
    for (var i = 0u; i < GOALS; i++) {
        let goal = goals[character * GOALS + i];
        let before = stances[character].changes[i];
        if goal.change == 0u && before == 0u {
            continue;
        }
        var fade = stances[character].fades[i];
        if goal.change == before {
            fade.left = max(fade.left - abs(goal.rate) * crowd.seconds, 0.0);
        } else {
            let is_known = before != 0u && is_finite3(fade.last) && is_finite(fade.last_turn);
            let is_same = is_known && fade.limb == goal.limb;
            fade.offset = select(vec3<f32>(0.0), fade.last, is_same);
            fade.turn = select(IDENTITY, fade.last_turn, is_same);
            // The weight of the goal and the rest of the fade add up to 1. The rate may have changed since the goal was set.
            let takes_over = is_same && (goal.flags & TAKES_OVER) != 0u;
            fade.left = select(0.0, max(1.0 - goal.weight, 0.0), takes_over);
            fade.limb = goal.limb;
            stances[character].changes[i] = goal.change;
        }
        if !(goal.weight > 0.0 || fade.left > 0.0) {
            fade.last = vec3<f32>(0.0);
            fade.last_turn = IDENTITY;
        }
        stances[character].fades[i] = fade;
    }
}

// Returns whether goal `i` of a character has an effect on a limb, a chain or the head.
fn is_moved_by(character: u32, i: u32, limb: u32) -> bool {
    let index = character * GOALS + i;
    if goals[index].limb != limb || !is_finite3(goals[index].position) {
        return false;
    }
    return goals[index].weight > 0.0 || stances[character].fades[i].left > 0.0;
}

// Returns the position to which goal `i` moves a part from the position `at`, and remembers the displacement.
fn faded(character: u32, i: u32, at: vec3<f32>, target_at: vec3<f32>) -> vec3<f32> {
    let left = stances[character].fades[i].left;
    var next = mix(at, target_at, min(goals[character * GOALS + i].weight, 1.0));
    if left > 0.0 {
        next += stances[character].fades[i].offset * left;
    }
    stances[character].fades[i].last = next - at;
    return next;
}

// Adds the rest of the previous goal's rotation to the rotation by goal `i`, and remembers the result.
fn faded_turn(character: u32, i: u32, turn: vec4<f32>) -> vec4<f32> {
    let left = stances[character].fades[i].left;
    var next = turn;
    if left > 0.0 {
        next = quat_mul(part_of(stances[character].fades[i].turn, left), turn);
    }
    stances[character].fades[i].last_turn = next;
    return next;
}

// Returns the weight of goal `i` of the head, which takes over from an earlier weight as the displacement of a hand does. The aim itself
// follows its target smoothly.
fn faded_look(character: u32, i: u32) -> f32 {
    return faded(character, i, vec3<f32>(0.0), vec3<f32>(1.0)).x;
}

// Returns the target of a limb, or the farthest point in its direction that the limb can reach. A fade to or from a distant target would
// otherwise move the limb only at one of its ends. Positions are in model space after the hips moved.
fn within_reach(first: u32, limb: u32, base: Base, target_at: vec3<f32>) -> vec3<f32> {
    let top = position_of(models[first + body.limb[limb].first]);
    let middle = position_of(models[first + body.limb[limb].middle]);
    let end = position_of(models[first + body.limb[limb].end]);
    let reach = length(middle - top) + length(end - middle);
    let offset = unmoved(base, target_at) - top;
    let distance = length(offset);
    if distance > reach {
        return moved(base, top + offset * (reach / distance));
    }
    return target_at;
}

// Returns the target of a chain, or the farthest point in its direction that the straight chain can reach. Positions are in model space
// before the hips move.
fn within_chain(first: u32, chain: u32, target_at: vec3<f32>) -> vec3<f32> {
    let top = position_of(models[first + body.chain[chain].joints[0]]);
    var reach = 0.0;
    var last = top;
    for (var i = 1u; i <= min(body.chain[chain].links, LINKS); i++) {
        let next = position_of(models[first + body.chain[chain].joints[i]]);
        reach += length(next - last);
        last = next;
    }
    let offset = target_at - top;
    let distance = length(offset);
    if distance > reach {
        return top + offset * (reach / distance);
    }
    return target_at;
}
