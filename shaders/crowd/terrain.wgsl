// The ground as a height field. The CPU twin is src/render/crowd/terrain.rs.
// #import crowd/advance | crowd/bodies, crowd/types

fn height_at(x: u32, z: u32) -> f32 {
    return heights[z * crowd.columns + x];
}

// Returns the height of the ground in world metres. Each cell is two triangles that share the diagonal from its first to its
// last corner. Outside the field, its border determines the height. Without a field it is 0.
fn terrain_height(at: vec2<f32>) -> f32 {
    if crowd.columns < 2u || crowd.rows < 2u {
        return 0.0;
    }
    let last = vec2<f32>(f32(crowd.columns - 1u), f32(crowd.rows - 1u));
    let p = clamp((at - crowd.origin) / crowd.cell, vec2<f32>(0.0), last);
    let corner = min(floor(p), last - 1.0);
    let f = p - corner;
    let x = u32(corner.x);
    let z = u32(corner.y);
    let low = height_at(x, z);
    let high = height_at(x + 1u, z + 1u);
    if f.x > f.y {
        let side = height_at(x + 1u, z);
        return low + f.x * (side - low) + f.y * (high - side);
    }
    let side = height_at(x, z + 1u);
    return low + f.y * (side - low) + f.x * (high - side);
}

// Returns the upward normal of the ground at a point, computed from the heights at `distance` around it.
fn terrain_normal(at: vec2<f32>, distance: f32) -> vec3<f32> {
    let dx = vec2<f32>(distance, 0.0);
    let dz = vec2<f32>(0.0, distance);
    let x = terrain_height(at - dx) - terrain_height(at + dx);
    let z = terrain_height(at - dz) - terrain_height(at + dz);
    return vec3<f32>(x, 2.0 * distance, z);
}
