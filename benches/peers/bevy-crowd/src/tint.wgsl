// The standard material of Bevy, with a base colour that is multiplied by the tag of the instance.
#import bevy_pbr::{
    forward_io::{FragmentOutput, VertexOutput},
    mesh_functions::get_tag,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var surface = pbr_input_from_standard_material(in, is_front);
    let tag = get_tag(in.instance_index);
    let tint = vec3<f32>(vec3<u32>(tag, tag >> 10u, tag >> 20u) & vec3<u32>(1023u)) / 512.0;
    let color = surface.material.base_color;
    surface.material.base_color = vec4<f32>(tint * color.rgb, color.a);
    var out: FragmentOutput;
    out.color = main_pass_post_lighting_processing(surface, apply_pbr_lighting(surface));
    return out;
}
