// In place of soft_shadow.wgsl where a driver cannot read depths from the map: shadows with edges of a fixed width. Requires
// shadow_map.wgsl.

fn soft_light_on_surface(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    return key_light_on_surface(world, normal);
}

fn soft_light_on_floor(world: vec3<f32>) -> f32 {
    return key_light_on_floor(world);
}
