// Data that the passes of a crowd share. The Rust twins are in src/render/crowd/types.rs.
// #import rotation

const NONE: u32 = 0xffffffffu;
const LAYERS: u32 = 4u;
// Characters per workgroup if one lane poses one character, otherwise elements per workgroup.
const LANES: u32 = 64u;

// The size of a batch and the input of a step.
struct Step {
    seconds: f32,             // since the last step
    characters: u32,
    joints: u32,              // per character
    bones: u32,               // matrices in a palette
    eye: vec3<f32>,           // position of the camera, at which heads may look
    clips: u32,
    columns: u32,             // of the terrain's heights
    rows: u32,
    cell: f32,                // distance between neighbouring heights in metres
    weights: u32,             // morph weights per character
    origin: vec2<f32>,        // x and z of the first height, world metres
    levels: u32,              // of the skeleton
    reserved: u32,
}

// A joint of the skeleton. Joints are sorted by depth, so that each comes after its parent.
struct CrowdJoint {
    rest_rotation: vec4<f32>,
    rest_translation: vec3<f32>,
    parent: u32,              // or NONE
    rest_scale: vec3<f32>,
    radius: f32,              // of a sphere around the joint with all vertices that it moves, in its own frame
    masks: vec4<f32>,         // weight of the joint in each mask
}

// A local transform: scale, then rotation, then translation.
struct Local {
    rotation: vec4<f32>,
    translation: vec3<f32>,
    reserved: f32,
    scale: vec3<f32>,
    reserved_2: f32,
}

// An affine matrix as three rows.
struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// A clip as a character plays it. Later layers are blended over earlier ones.
struct CrowdLayer {
    clip: u32,                // or NONE
    time: f32,                // seconds in the clip
    speed: f32,               // seconds of the clip per second
    weight: f32,              // 0 to 1
    rate: f32,                // change of the weight per second
    mask: u32,                // index into the masks of a joint, or NONE for the whole body
    loops: u32,               // 1 if the clip starts again at its end
    stands: u32,              // 1 if the clip is played only while the character stands at its destination
}

// The state of a character. The first three fields are world_from_model.
struct Character {
    rotation: vec4<f32>,
    position: vec3<f32>,      // world metres
    scale: f32,
    tint: vec4<f32>,          // linear RGBA
    pace: f32,                // factor of the speed at which its clips walk
    turn: f32,                // radians per second about the vertical axis
    is_present: u32,          // 0 for a free slot
    looks: f32,               // weight of the head's aim at `eye` or at `looked_at`, from 0 to 1
    looked_at: vec3<f32>,     // world metres
    looks_at_point: u32,      // 1 if the head looks at `looked_at`, 0 if it looks at `eye`
    destination: vec2<f32>,   // x and z of the point to which the character walks, world metres
    radius: f32,              // distance from the destination at which the character stops, or 0 if it has no destination
    steering: f32,            // turn rate towards the destination, in radians per second
    layers: array<CrowdLayer, 4>,
}

fn row_point(m: Rows, p: vec3<f32>) -> vec3<f32> {
    let v = vec4<f32>(p, 1.0);
    return vec3<f32>(dot(m.x, v), dot(m.y, v), dot(m.z, v));
}

fn row_vector(m: Rows, p: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(m.x.xyz, p), dot(m.y.xyz, p), dot(m.z.xyz, p));
}

// Returns the matrix that applies b first and then a.
fn rows_mul(a: Rows, b: Rows) -> Rows {
    return Rows(row_mul(a.x, b), row_mul(a.y, b), row_mul(a.z, b));
}

fn row_mul(row: vec4<f32>, b: Rows) -> vec4<f32> {
    return row.x * b.x + row.y * b.y + row.z * b.z + vec4<f32>(0.0, 0.0, 0.0, row.w);
}

fn rows_of(rotation: vec4<f32>, translation: vec3<f32>, scale: vec3<f32>) -> Rows {
    let x = quat_rotate(rotation, vec3<f32>(scale.x, 0.0, 0.0));
    let y = quat_rotate(rotation, vec3<f32>(0.0, scale.y, 0.0));
    let z = quat_rotate(rotation, vec3<f32>(0.0, 0.0, scale.z));
    return Rows(
        vec4<f32>(x.x, y.x, z.x, translation.x),
        vec4<f32>(x.y, y.y, z.y, translation.y),
        vec4<f32>(x.z, y.z, z.z, translation.z),
    );
}

// Returns the largest factor by which a matrix stretches a vector, rounded up.
fn stretch(m: Rows) -> f32 {
    let x = vec3<f32>(m.x.x, m.y.x, m.z.x);
    let y = vec3<f32>(m.x.y, m.y.y, m.z.y);
    let z = vec3<f32>(m.x.z, m.y.z, m.z.z);
    // Maximum squared length of a column. Perpendicular columns stretch a vector by no more than the longest column. The second term is an
    // upper bound on the amount that sheared columns can add.
    let longest = max(dot(x, x), max(dot(y, y), dot(z, z)));
    let skewed = max(abs(dot(x, y)), max(abs(dot(y, z)), abs(dot(z, x))));
    return sqrt(longest + 2.0 * skewed);
}

// Returns the index of a lane. Workgroups that do not fit into one row are spread over several.
fn lane_index(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.y * groups.x * LANES + id.x;
}
