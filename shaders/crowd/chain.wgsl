// Inverse kinematics of chains by cyclic coordinate descent (Wang & Chen 1991) with a fixed number of passes and a maximum rotation per
// step. The CPU twin is src/character/body/chain.rs.
// #import crowd/bodies, crowd/body, crowd/frames, rotation

const CHAIN_PASSES: u32 = 12u;
// Sine of half the maximum rotation in a step, which is about 30°.
const LARGEST_TURN: f32 = 0.25;

fn damped(q: vec4<f32>) -> vec4<f32> {
    let sine = length(q.xyz);
    if sine <= LARGEST_TURN {
        return q;
    }
    return vec4<f32>(q.xyz * (LARGEST_TURN / sine), sqrt(1.0 - LARGEST_TURN * LARGEST_TURN));
}

// Moves the end of a chain towards a point in model space as it was before the hips moved.
fn solve_chain(first: u32, index: u32, target_at: vec3<f32>) {
    let links = min(body.chain[index].links, LINKS);
    if links == 0u || !is_finite3(target_at) {
        return;
    }
    var points: array<vec3<f32>, 9>;
    // Rotations in model space relative to the pose of the clip. The first belongs to the joint above the chain, which does not turn.
    var turns: array<vec4<f32>, 9>;
    for (var i = 0u; i <= links; i++) {
        points[i] = position_of(models[first + body.chain[index].joints[i]]);
        turns[i] = IDENTITY;
    }
    let least = 1e-8 * body.size * body.size;
    for (var pass_index = 0u; pass_index < CHAIN_PASSES; pass_index++) {
        for (var left = links; left > 0u; left--) {
            let i = left - 1u;
            let joint = body.chain[index].joints[i];
            let from_dir = points[links] - points[i];
            let to_dir = target_at - points[i];
            if dot(from_dir, from_dir) > least && dot(to_dir, to_dir) > least {
                let parent = turns[i];
                let arc = damped(shortest_arc(from_dir, to_dir));
                let above = parent_rows(first, joint);
                let before = locals[first + joint].rotation;
                let turn = to_parent(above, quat_mul(quat_conjugate(parent), quat_mul(arc, turns[i + 1u])));
                let rotation = turned(first, joint, body.chain[index].limits[i], turn);
                let made = quat_mul(parent, from_parent(above, quat_mul(rotation, quat_conjugate(before))));
                let change = quat_normalize(quat_mul(made, quat_conjugate(turns[i + 1u])));
                for (var k = i; k < links; k++) {
                    turns[k + 1u] = quat_normalize(quat_mul(change, turns[k + 1u]));
                    points[k + 1u] = points[i] + quat_rotate(change, points[k + 1u] - points[i]);
                }
            }
        }
    }
    for (var i = 0u; i < links; i++) {
        let joint = body.chain[index].joints[i];
        let turn = to_parent(parent_rows(first, joint), quat_mul(quat_conjugate(turns[i]), turns[i + 1u]));
        set_rotation(first, joint, quat_mul(turn, locals[first + joint].rotation));
    }
}
