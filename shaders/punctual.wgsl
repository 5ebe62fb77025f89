// Lights at a point or from one direction (src/render/light/punctual.rs), with the falloff of KHR_lights_punctual.
// #import globals

// Whether the frame has such lights. `globals` contains their number.
override PUNCTUAL_LIGHTS: bool = false;

// The direction towards a light, and the illuminance of a surface that faces it.
struct Received {
    towards: vec3<f32>,
    color: vec3<f32>,
}

fn receive(index: u32, world: vec3<f32>) -> Received {
    let light = globals.lights[index];
    if light.place.w == 0.0 {
        return Received(light.place.xyz, light.color.rgb);
    }
    let away = light.place.xyz - world;
    let distance2 = max(dot(away, away), 1e-4);
    let towards = away * inverseSqrt(distance2);
    let ratio2 = distance2 * light.color.w;
    let fade = clamp(1.0 - ratio2 * ratio2, 0.0, 1.0);
    let inside = clamp(dot(-towards, light.direction.xyz) * light.direction.w + light.cone.x, 0.0, 1.0);
    return Received(towards, light.color.rgb * (fade * inside * inside / distance2));
}
