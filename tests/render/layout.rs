//! The shaders are valid, and their structs have the same layout as those in Rust.

use std::mem::{offset_of, size_of};

use sinew::render::SOURCES;
use sinew::render::gpu_types::{Globals, Line, Part, UvTransform, Vertex, flags};
use wgpu::naga;

fn module(name: &str) -> naga::Module {
    let (_, files) = SOURCES.into_iter().find(|(n, _)| *n == name).unwrap();
    let source = files.concat();
    naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)))
}

#[test]
fn every_shader_is_valid() {
    for (name, _) in SOURCES {
        let flags = naga::valid::ValidationFlags::all();
        let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::default());
        validator.validate(&module(name)).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    }
}

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
        // Destructured, so that a field missing from the list does not compile.
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
        Globals { clip_from_world, shadow_from_world, eye, light, floor, viewport, grid }
    );
}

#[test]
fn parts_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!(
        "surface",
        Part {
            base_color,
            emissive_normal_scale,
            surface,
            uv,
            first_matrix,
            morph_targets,
            first_delta,
            first_weight,
            vertices,
            flags,
            reserved,
        }
    );
    assert_twins!("surface", UvTransform { linear, offset_set });
}

#[test]
fn vertices_have_the_same_layout_as_attributes_and_in_storage() {
    assert_twins!(
        "skin_vertices",
        Vertex {
            position_u,
            normal_v,
            tangent,
            color,
            weights_0,
            weights_1,
            bones_0,
            bones_1,
            texcoord_1,
            padding,
        }
    );
    let (members, _) = layout(&module("surface"), "Vertex");
    let attributes: Vec<usize> =
        Vertex::ATTRIBUTES.iter().map(|a| usize::try_from(a.offset).unwrap()).collect();
    assert_eq!(attributes, members.iter().map(|(_, offset, _)| *offset).collect::<Vec<_>>());
}

#[test]
fn lines_have_the_same_layout_in_shaders_and_rust() {
    assert_twins!("lines", Line { start, end, corner, color });
}

#[test]
fn flags_have_the_same_values_in_shaders_and_rust() {
    let module = module("surface");
    let value = |name: &str| {
        let (_, constant) = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name)).unwrap();
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => value,
            ref other => panic!("{name} is {other:?}"),
        }
    };
    for (name, here) in [
        ("HAS_NORMALS", flags::HAS_NORMALS),
        ("HAS_TANGENTS", flags::HAS_TANGENTS),
        ("ALPHA_MASK", flags::ALPHA_MASK),
        ("ALPHA_BLEND", flags::ALPHA_BLEND),
        ("DOUBLE_SIDED", flags::DOUBLE_SIDED),
        ("UNLIT", flags::UNLIT),
    ] {
        assert_eq!(value(name), here, "{name}");
    }
}
