// Two-bone limbs in closed form, one limb per lane: a port of src/ik/methods/limb/degenerate.rs. It handles every limb and every goal, and
// needs square roots but no trigonometry. The CPU twin is src/render/gpu_ik/twin/limb.rs. Lengths are fractions of the limb's length, and
// targets are at most a few lengths away.
// #import rotation

struct LimbProblem {
    // The bones: from the first joint to the middle joint, and from there to the end.
    upper: vec4<f32>,
    lower: vec4<f32>,
    // The axis about which a straight limb bends.
    bend: vec4<f32>,
    // The target of the end, relative to the first joint.
    goal: vec4<f32>,
    // The direction of the pole from the first joint, or zero.
    pole: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> limbs: array<LimbProblem>;
// The rotations of both bones of each limb.
@group(0) @binding(1) var<storage, read_write> turns: array<vec4<f32>>;

// A squared length below this fraction of its maximum counts as zero.
const TINY: f32 = 1e-10;

struct Turns {
    first: vec4<f32>,
    second: vec4<f32>,
}

// Returns an unnormalised rotation about an axis by the angle with cosine cosine/whole and sine sine/whole. Of the two pairs that
// are multiples of the half angle's cosine and sine, the one without cancellation is used.
fn half_angle_turn(axis: vec3<f32>, cosine: f32, sine: f32, whole: f32) -> vec4<f32> {
    if cosine > 0.0 {
        return vec4<f32>(axis * sine, whole + cosine);
    }
    if whole > 0.0 {
        return vec4<f32>(axis * (whole - cosine), sine);
    }
    return IDENTITY;
}

// Composes three rotations. Each bone turns within the limb's plane, the shortest arc turns the line to the end onto the target,
// and the limb turns about this line towards the pole.
fn solve_limb(limb: LimbProblem) -> Turns {
    let upper = limb.upper.xyz;
    let lower = limb.lower.xyz;
    let line_to_end = upper + lower;
    let a2 = dot(upper, upper);
    let b2 = dot(lower, lower);
    let e2 = dot(line_to_end, line_to_end);
    let d2 = dot(limb.goal.xyz, limb.goal.xyz);
    // The line from the first joint to the end, or along the upper bone if the two coincide.
    let is_open = e2 > TINY * a2;
    let line = select(upper, line_to_end, is_open);
    let line2 = select(a2, e2, is_open);
    let area = cross(upper, lower);
    let is_bent = dot(area, area) > TINY * a2 * b2;
    var normal = select(limb.bend.xyz * line2 - line * dot(limb.bend.xyz, line), area, is_bent);
    let normal2 = dot(normal, normal);
    normal = select(vec3<f32>(1.0, 0.0, 0.0), normal / sqrt(max(normal2, 1e-30)), normal2 > 1e-24);
    // The squared distance to the target, clamped to the reach of the limb.
    let twice_ab = 2.0 * sqrt(a2 * b2);
    let most = a2 + b2 + twice_ab;
    let least = a2 + b2 - twice_ab;
    let out2 = max(min(d2, most), least);
    // Coordinates of the middle joint along the line (law of cosines) and across it (Heron's formula), both multiplied by
    // twice the distance.
    let is_folded = out2 <= TINY * most;
    let far2 = select(out2, 1.0, is_folded);
    let along = out2 + a2 - b2;
    let rest = out2 + b2 - a2;
    let aside = sqrt(max(select((most - out2) * (out2 - least), 4.0 * a2, is_folded), 0.0));
    let height = dot(normal, area);
    let ux = dot(upper, line);
    let uy = select(0.0, height, is_open);
    let lx = dot(lower, line);
    let ly = -height;
    let both = 2.0 * sqrt(far2 * line2);
    let first = half_angle_turn(-normal, along * ux + aside * uy, aside * ux - along * uy, a2 * both);
    let second = half_angle_turn(-normal, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both);
    // The shortest arc from the line to the target. If their directions are opposite, the arc is in the limb's plane.
    let has_way = d2 > TINY * most;
    let way = select(line, limb.goal.xyz, has_way);
    let way2 = select(line2, d2, has_way);
    let whole = sqrt(way2 * line2);
    let w = whole + dot(line, way);
    var carry = select(vec4<f32>(normal, 0.0), vec4<f32>(cross(line, way), w), w > 1e-6 * whole);
    carry = quat_normalize(carry);
    let wanted = limb.pole.xyz * way2 - way * dot(limb.pole.xyz, way);
    let wanted2 = dot(wanted, wanted);
    if (wanted2 - TINY * dot(limb.pole.xyz, limb.pole.xyz) * way2 * way2) * line2 > 0.0 {
        let now = quat_rotate(carry, cross(line, normal));
        let cosine = dot(now, wanted);
        let length_of_way = sqrt(way2);
        let sine = dot(way, cross(now, wanted)) / length_of_way;
        let swivel = half_angle_turn(way / length_of_way, cosine, sine, sqrt(line2 * wanted2));
        carry = quat_mul(swivel, carry);
    }
    return Turns(quat_normalize(quat_mul(carry, first)), quat_normalize(quat_mul(carry, second)));
}

@compute @workgroup_size(64)
fn solve_limbs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = (group.x + group.y * groups.x) * 64u + lane;
    if index >= arrayLength(&limbs) || 2u * index + 1u >= arrayLength(&turns) {
        return;
    }
    let solved = solve_limb(limbs[index]);
    turns[2u * index] = solved.first;
    turns[2u * index + 1u] = solved.second;
}
