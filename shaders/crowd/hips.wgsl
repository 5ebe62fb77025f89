// Moves the hips so that the legs reach the ground. The CPU twin is src/character/body/hips.rs.
// #import crowd/bodies, crowd/body, crowd/frames, crowd/plant, rotation

// Time constant of the hips when they follow the ground, in seconds.
const FOLLOW: f32 = 0.1;
// Largest vertical displacement of the hips, and largest extension of a leg, as fractions of the leg.
const LARGEST_DROP: f32 = 0.45;
const STRETCH: f32 = 0.99;
// Distance of a leg from its full reach at which the hips begin to give way on uneven ground, as a fraction of the leg.
const YIELD: f32 = 0.15;
// Tangent of the largest angle by which a body tilts, 20°.
const STEEPEST: f32 = 0.36;

// Returns the lowest and the highest position of the hips, relative to the clip, at which a leg can reach an ankle position.
fn hip_range(character: u32, leg: u32, ankle: vec3<f32>, base: Base) -> vec2<f32> {
    let first = character * crowd.joints;
    let scale = abs(characters[character].scale);
    let top = placed(character, moved(base, position_of(models[first + body.limb[leg].first])));
    let knee = placed(character, moved(base, position_of(models[first + body.limb[leg].middle])));
    let end = placed(character, moved(base, position_of(models[first + body.limb[leg].end])));
    let upper = length(knee - top);
    let lower = length(end - knee);
    let now = length(end - top);
    let square = upper * upper + lower * lower;
    let product = 2.0 * upper * lower;
    let most = sqrt(max(square + product * body.limb[leg].most_cos, 0.0));
    let far = max(min(STRETCH * (upper + lower), most), now);
    let near = min(sqrt(max(square + product * body.limb[leg].least_cos, 0.0)), now);
    let aside = ankle.xz - top.xz;
    let r2 = dot(aside, aside);
    let lowest = ankle.y + sqrt(max(near * near - r2, 0.0)) - top.y;
    return vec2<f32>(select(-1e30, lowest, near * near > r2), ankle.y + sqrt(max(far * far - r2, 0.0)) - top.y);
}

// Returns the slope of the ground below four or more feet, by least squares. The square of a tenth of a leg is added to the squared
// distances of the feet from their middle, so that a narrow body does not roll much.
fn tilt_of(character: u32, feet: ptr<function, array<FootGoal, LIMBS>>, middle: vec2<f32>, mean: f32) -> vec2<f32> {
    let size = body.size * abs(characters[character].scale);
    if body.legs < 4u {
        return vec2<f32>(0.0);
    }
    var squares = vec3<f32>(0.0);
    var sides = vec2<f32>(0.0);
    for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
        let weight = 0.1 + (*feet)[leg].weight;
        let d = (*feet)[leg].ankle.xz - middle;
        let least = 0.01 * size * size;
        squares += weight * vec3<f32>(d.x * d.x + least, d.x * d.y, d.y * d.y + least);
        sides += weight * d * ((*feet)[leg].change - mean);
    }
    let determinant = max(squares.x * squares.z - squares.y * squares.y, 1e-30);
    let slope = vec2<f32>(squares.z * sides.x - squares.y * sides.y, squares.x * sides.y - squares.y * sides.x) / determinant;
    let steepness = length(slope);
    if !(steepness > NOTHING) {
        return vec2<f32>(0.0);
    }
    return slope * (min(steepness, STEEPEST) / steepness);
}

// Returns a smooth minimum. If the numbers differ by less than `range`, the result is below the smaller one by up to a quarter of `range`.
fn smooth_min(a: f32, b: f32, range: f32) -> f32 {
    let near = max(range - abs(a - b), 0.0);
    return min(a, b) - select(0.0, 0.25 * near * near / range, range > 0.0);
}

// Returns how the hips move. They move as far up as the feet do on average, but not so far that a foot leaves the ground or a leg bends too
// far. The hips follow with a lag. They give way before a leg is straight, which makes up for the lag. A body with four legs or more also
// tilts with the slope.
fn move_hips(character: u32, feet: ptr<function, array<FootGoal, LIMBS>>) -> Base {
    let size = body.size * abs(characters[character].scale);
    let hips_at = position_of(models[character * crowd.joints + body.hips]);
    let follow = select(crowd.seconds / (crowd.seconds + FOLLOW), 1.0, stances[character].is_known == 0u);
    var sum = 0.0;
    var middle = vec2<f32>(0.0);
    var weights = 0.0;
    for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
        let weight = 0.1 + (*feet)[leg].weight;
        sum += (*feet)[leg].change * weight;
        middle += (*feet)[leg].ankle.xz * weight;
        weights += weight;
    }
    middle /= max(weights, 1e-6);
    var mean = sum / max(weights, 1e-6);
    let slope = tilt_of(character, feet, middle, mean);
    mean += dot(slope, placed(character, hips_at).xz - middle);
    mean = select(mean, 0.0, abs(mean) < NOTHING * size);
    let tilt = mix(stances[character].tilt, slope, follow);
    stances[character].tilt = select(vec2<f32>(0.0), tilt, is_finite_number(tilt.x) && is_finite_number(tilt.y));
    var base = Base(IDENTITY, vec3<f32>(0.0));
    if dot(tilt, tilt) > NOTHING * NOTHING {
        base.turn = unplaced_turn(character, shortest_arc(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(-tilt.x, 1.0, -tilt.y)));
        base.shift = hips_at - quat_rotate(base.turn, hips_at);
    }
    // The hips give way smoothly, but not at all on level ground, so that the pose of the clip does not change.
    var uneven = 0.0;
    for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
        uneven = max(uneven, abs((*feet)[leg].change - mean));
    }
    let range = min(3.0 * uneven, YIELD * size);
    var least = -LARGEST_DROP * size;
    var wanted = min(mean, LARGEST_DROP * size);
    for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
        let reach = hip_range(character, leg, (*feet)[leg].ankle, base);
        least = max(least, reach.x);
        wanted = smooth_min(wanted, reach.y, range);
    }
    wanted = max(wanted, min(least, LARGEST_DROP * size));
    let hips = mix(stances[character].hips, wanted, follow);
    let height = select(0.0, hips, is_finite_number(hips));
    stances[character].hips = height;
    if abs(height) > NOTHING * size {
        base.shift += unplaced(character, vec3<f32>(0.0, height, 0.0));
    }
    return base;
}
