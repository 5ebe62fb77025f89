// Turns the neck and the head so that the face looks at a point. The CPU twin is src/character/body/aim.rs.
// #import crowd/bodies, crowd/body, crowd/frames, crowd/types, rotation

// Time constant of the head when it follows its target, in seconds.
const AIM_FOLLOW: f32 = 0.12;
// Distance outside the field of view at which the weight reaches zero, as a difference of cosines.
const AIM_FADE: f32 = 0.25;

// Turns the head towards the point `at`, in model space as it was before the hips moved.
fn aim_head(character: u32, at: vec3<f32>, weight: f32) {
    let first = character * crowd.joints;
    let count = min(body.necks, NECK);
    if count == 0u {
        return;
    }
    let head = body.neck[count - 1u];
    var eye = position_of(models[first + head]);
    var face = normalize_or(row_vector(models[first + head], body.facing), vec3<f32>(0.0, 0.0, 1.0));
    let forward = normalize_or(row_vector(models[first + body.chest], body.forward), face);
    let offset = at - eye;
    let distance = length(offset);
    var aim = stances[character].aim;
    var strength = stances[character].aim_weight;
    let follow = crowd.seconds / (crowd.seconds + AIM_FOLLOW);
    var wanted = 0.0;
    if weight > 0.0 && is_finite3(at) && distance > 1e-3 * body.size {
        let direction = offset / distance;
        let t = clamp((dot(forward, direction) - body.field_cos) / AIM_FADE + 1.0, 0.0, 1.0);
        wanted = min(weight, 1.0) * t * t * (3.0 - 2.0 * t);
        // A head that was not looking at anything aims at the target at once, because only its weight must be continuous.
        let is_new = stances[character].is_known == 0u || strength < 1e-3;
        aim = normalize_or(mix(aim, direction, select(follow, 1.0, is_new)), direction);
    }
    strength = select(strength + (wanted - strength) * follow, wanted, stances[character].is_known == 0u);
    stances[character].aim = aim;
    stances[character].aim_weight = strength;
    if !(strength > 1e-4) {
        return;
    }
    let goal = eye + normalize_or(mix(face, aim, strength), face) * max(distance, body.size);
    // The rotation of the joint's ancestors, and the corresponding translation.
    var total = IDENTITY;
    var shift = vec3<f32>(0.0);
    for (var i = 0u; i < count; i++) {
        let joint = body.neck[i];
        let pivot = quat_rotate(total, position_of(models[first + joint])) + shift;
        let arc = part_of(shortest_arc(face, goal - eye), 1.0 / f32(count - i));
        let above = parent_rows(first, joint);
        let before = locals[first + joint].rotation;
        let turn = to_parent(above, quat_mul(quat_conjugate(total), quat_mul(arc, total)));
        let rotation = turned(first, joint, body.neck_limits[i], turn);
        let made = quat_mul(total, from_parent(above, quat_mul(rotation, quat_conjugate(before))));
        set_rotation(first, joint, rotation);
        let step = quat_mul(made, quat_conjugate(total));
        face = quat_rotate(step, face);
        eye = pivot + quat_rotate(step, eye - pivot);
        shift = pivot + quat_rotate(step, shift - pivot);
        total = made;
    }
}
