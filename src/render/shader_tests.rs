//! The structs and constants of shaders have the same layouts and values as those in Rust.

use std::mem::{offset_of, size_of};

use wgpu::naga;

use crate::body::stance::{Foot, GoalFade, Stance};
use crate::body::types::{CrowdJoint, Local, Rows};
use crate::body::{self, BodyParts, CrowdChain, CrowdLimb, JointLimit, PackedGoal, Sole};
use crate::crowd::{Character, ClipInfo, CrowdLayer, PickRay, Step};
use crate::gpu_types::{
    CullSize, CullViews, Globals, Instance, LEVELS, Line, PartConstants, Placed, PunctualLightRecord,
    UvTransform, Vertex, VertexSurface, flags,
};
use crate::shader_module_tests::module;

/// Returns the name, offset and size of each member of a struct in a shader, and the size of the whole struct.
fn layout(module: &naga::Module, name: &str) -> (Vec<(String, usize, usize)>, usize) {
    let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
    let naga::TypeInner::Struct { members, span } = &found.unwrap().1.inner else {
        panic!("{name} is not a struct")
    };
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let member =
        |m: &naga::StructMember| (m.name.clone().unwrap(), m.offset as usize, layouter[m.ty].size as usize);
    (members.iter().map(member).collect(), *span as usize)
}

macro_rules! assert_twins {
    ($shader:literal, $type:ident { $($field:ident),* $(,)? }) => {
        // Destructure the struct, so that the code does not compile if a field is missing from the list.
        let twin: $type = bytemuck::Zeroable::zeroed();
        let $type { $($field),* } = twin;
        let here = vec![$((stringify!($field).to_owned(), offset_of!($type, $field), size_of_val(&$field))),*];
        assert_eq!(layout(&module($shader), stringify!($type)), (here, size_of::<$type>()));
    };
}

#[test]
fn globals_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!(
        "surface",
        Globals {
            clip_from_world,
            shadow_from_world,
            eye,
            light,
            floor,
            viewport,
            grid,
            key,
            environment,
            background,
            irradiance,
            occlusion,
            lights,
        }
    );
    assert_twins!("surface", PunctualLightRecord { place, color, direction, cone });
}

#[test]
fn parts_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!(
        "surface",
        PartConstants {
            base_color,
            emissive_normal_scale,
            surface,
            dielectric,
            specular,
            clearcoat,
            sheen,
            volume,
            iridescence,
            anisotropy,
            shade,
            toon,
            rim,
            matcap,
            outline,
            outline_width,
            uv_motion,
            uv,
            morph_targets,
            first_delta,
            first_influence,
            vertices,
        }
    );
    assert_twins!("surface", Instance { tint, first_matrix, first_weight, reserved });
    assert_twins!("surface", UvTransform { linear, offset_set });
}

/// Checks that the attributes of a stream are the members of its struct in the shader, at the offsets of the fields in Rust.
macro_rules! assert_stream {
    ($type:ident { $($field:ident),* $(,)? }) => {
        let twin: $type = bytemuck::Zeroable::zeroed();
        let $type { $($field),* } = twin;
        let fields = [$((stringify!($field), offset_of!($type, $field), size_of_val(&$field))),*];
        let module = module("surface");
        let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(stringify!($type)));
        let naga::TypeInner::Struct { members, .. } = &found.unwrap().1.inner else { panic!("not a struct") };
        assert_eq!(members.len(), fields.len());
        for ((member, (name, offset, size)), attribute) in members.iter().zip(fields).zip($type::ATTRIBUTES) {
            assert_eq!(member.name.as_deref(), Some(name));
            let Some(naga::Binding::Location { location, .. }) = member.binding else { panic!("{name}") };
            let here = (attribute.shader_location, attribute.offset as usize, attribute.format.size() as usize);
            assert_eq!((location, offset, size), here, "{name}");
        }
    };
}

#[test]
fn vertices_have_the_same_layout_in_shaders_and_rust() {
    assert_stream!(Vertex { position, weights, joints });
    assert_stream!(VertexSurface { normal, texcoord_0, texcoord_1, tangent, color });
    let words = |name: &str| constant("skin_vertices", name) as usize;
    assert_eq!(words("VERTEX_WORDS") * 4, size_of::<Vertex>());
    assert_eq!(words("SURFACE_WORDS") * 4, size_of::<VertexSurface>());
}

#[test]
fn bodies_of_crowds_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!(
        "bodies",
        JointLimit { axis, side_swing, side, other_swing, ranges, kind, order, reserved }
    );
    assert_twins!("bodies", Sole { position, joint });
    assert_twins!(
        "bodies",
        CrowdLimb { first, middle, end, soles, hinge, least_cos, most_cos, heel, toe, flags, limit, sole }
    );
    assert_twins!("bodies", CrowdChain { links, reserved, joints, limits });
    assert_twins!(
        "bodies",
        PackedGoal { rotation, position, limb, pole, flags, weight, rate, frame, change }
    );
    assert_twins!(
        "bodies",
        CrowdJoint { rest_rotation, rest_translation, parent, rest_scale, radius, masks }
    );
    assert_twins!("bodies", Local { rotation, translation, reserved, scale, reserved_2 });
    assert_twins!("bodies", Rows { x, y, z });
    for (name, here) in [
        ("HAS_ROTATION", body::HAS_ROTATION),
        ("HAS_POLE", body::HAS_POLE),
        ("IS_SET", body::IS_SET),
        ("FOLLOWS_HIPS", body::FOLLOWS_HIPS),
        ("TAKES_OVER", body::TAKES_OVER),
        ("HEAD", body::HEAD),
        ("WORLD", body::WORLD),
        ("CHARACTER", body::CHARACTER),
        ("DETACHED", body::DETACHED),
        ("BELOW_HIPS", body::BELOW_HIPS),
        ("HINGED", body::HINGED),
        ("NONE", body::types::NONE),
    ] {
        assert_eq!(constant("bodies", name), here, "{name}");
    }
    assert_eq!(constant("bodies", "GOALS") as usize, body::GOALS);
    assert_twins!("bodies", Foot { heel, toe, offset, heading, weight, yaw });
    assert_twins!(
        "bodies",
        Stance {
            aim,
            aim_weight,
            hips,
            is_known,
            held,
            spent,
            tilt,
            on_toes,
            reserved,
            feet,
            changes,
            fades
        }
    );
    assert_twins!("bodies", GoalFade { offset, left, turn, last, limb, last_turn });
    // The contacts follow the parts.
    let (members, _) = layout(&module("bodies"), "CrowdBody");
    let contacts = members.iter().find(|(name, ..)| name == "contacts").unwrap();
    assert_eq!(contacts.1, size_of::<BodyParts>());
}

#[test]
fn characters_of_crowds_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!(
        "advance",
        Step {
            seconds,
            characters,
            joints,
            bones,
            eye,
            clips,
            columns,
            rows,
            cell,
            weights,
            origin,
            levels,
            reserved
        }
    );
    assert_twins!("pick", PickRay { origin, reserved, direction, reserved_2 });
    assert_twins!("advance", ClipInfo { stride, seconds, jump, reserved });
    assert_twins!("advance", CrowdLayer { clip, time, speed, weight, rate, mask, loops, stands });
    assert_twins!(
        "advance",
        Character {
            rotation,
            position,
            scale,
            tint,
            pace,
            turn,
            is_present,
            looks,
            looked_at,
            looks_at_point,
            destination,
            radius,
            steering,
            layers
        }
    );
}

#[test]
fn lines_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!("lines", Line { start, end, corner, color });
}

#[test]
fn culling_has_the_same_layout_in_shaders_and_rust() {
    assert_twins!("cull", CullViews { planes, pixels, camera, area, reserved });
    assert_twins!(
        "cull",
        CullSize { instances, bones, weights, stride, groups, parts, view, pixel_error, errors }
    );
    assert_twins!("cull", Placed { sphere, tint, scale, reserved });
    assert_eq!(constant("cull", "LEVELS") as usize, LEVELS);
    assert_eq!(constant("cull", "LANES"), crate::indirect::LANES);
}

#[test]
fn occlusion_culling_has_the_same_constants_in_shaders_and_rust() {
    use crate::culling::occlusion::{
        DEPTH_MARGIN, DRAWN, GROWTH, MOST_TEXELS, NEAREST, PIXEL_MARGIN, VISIBLE,
    };
    for (name, here) in [("MOST_TEXELS", MOST_TEXELS), ("VISIBLE", VISIBLE), ("DRAWN", DRAWN)] {
        assert_eq!(constant("occlusion", name), here, "{name}");
    }
    for (name, here) in [
        ("GROWTH", GROWTH),
        ("DEPTH_MARGIN", DEPTH_MARGIN),
        ("PIXEL_MARGIN", PIXEL_MARGIN),
        ("NEAREST", NEAREST),
    ] {
        assert_eq!(literal("occlusion", name), naga::Literal::F32(here), "{name}");
    }
    // The shader reads the smallest level of a pyramid as a whole.
    assert_eq!(crate::depth_pyramid::SMALLEST, MOST_TEXELS);
}

#[test]
fn inverse_kinematics_has_the_same_layout_in_shaders_and_rust() {
    use crate::gpu_ik::gpu_types::{
        ChainConstants, ChainTarget, GoalError, LimbProblem, MeasureConstants, NO_PARENT, PackedJoint,
        TreeConstants, TreeGoal,
    };
    assert_twins!("ik_chain", PackedJoint { before, offset, limit, parent, depth, limit_error, reserved });
    assert_twins!(
        "ik_chain",
        ChainConstants {
            end,
            tolerances,
            problems,
            restarts,
            iterations,
            poses,
            joints,
            reserved_0,
            reserved_1,
            reserved_2
        }
    );
    assert_twins!("ik_chain", ChainTarget { position, orientation });
    assert_twins!(
        "ik_body",
        TreeConstants { joints, goals, problems, iterations, depth, root_weight, damping, rows }
    );
    assert_twins!("ik_body", TreeGoal { end, tolerances, above, joint });
    assert_twins!(
        "ik_measure",
        MeasureConstants { joints, goals, problems, stride, has_root, reserved_0, reserved_1, reserved_2 }
    );
    assert_twins!(
        "ik_measure",
        GoalError { offset, offset_bound, turn, turn_bound, iterations, reserved_0, reserved_1 }
    );
    assert_twins!("ik_limb", LimbProblem { upper, lower, bend, goal, pole });
    for (name, here) in [
        ("FREE", body::FREE),
        ("HINGE", body::HINGE),
        ("CONE", body::CONE),
        ("EULER", body::EULER),
        ("LOCKED", body::LOCKED),
        ("NO_PARENT", NO_PARENT),
    ] {
        assert_eq!(constant("ik_chain", name), here, "{name}");
    }
}

/// Returns the value of a constant of a shader.
fn literal(shader: &str, name: &str) -> naga::Literal {
    let module = module(shader);
    let (_, constant) = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name)).unwrap();
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(value) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

/// Returns the value of an integer constant of a shader.
fn constant(shader: &str, name: &str) -> u32 {
    match literal(shader, name) {
        naga::Literal::U32(value) => value,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn flags_have_the_same_values_in_shaders_and_rust() {
    for (name, here) in [
        ("HAS_NORMALS", flags::HAS_NORMALS),
        ("HAS_TANGENTS", flags::HAS_TANGENTS),
        ("ALPHA_MASK", flags::ALPHA_MASK),
        ("ALPHA_BLEND", flags::ALPHA_BLEND),
        ("UNLIT", flags::UNLIT),
        ("CLEARCOAT", flags::CLEARCOAT),
        ("SHEEN", flags::SHEEN),
        ("TRANSMISSION", flags::TRANSMISSION),
        ("IRIDESCENCE", flags::IRIDESCENCE),
        ("ANISOTROPY", flags::ANISOTROPY),
        ("DISPERSION", flags::DISPERSION),
        ("GLOSSINESS", flags::GLOSSINESS),
    ] {
        assert_eq!(constant("surface", name), here, "{name}");
    }
}
