// An instance whose palette is on the GPU.
struct Placed {
    sphere: vec4<f32>,        // centre in world metres and radius. A negative radius means that there is nothing to draw
    tint: vec4<f32>,          // linear RGBA, a factor of the base colour
    scale: f32,               // factor from lengths of the model to world metres
    reserved: array<u32, 3>,
}
