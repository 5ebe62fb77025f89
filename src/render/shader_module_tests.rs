//! The shader modules are valid with their imports, with and without each of their varyings, and can be translated for WebGL2.

use sinew_shaders::{FILES, imports, with_imports};
use wgpu::naga;

use crate::shaders::{SOURCES, webgl2_sources, with_varyings};
use crate::varyings::{NAMES, Varyings};
use crate::{crowd, gpu_ik};

/// Returns the modules of all shaders.
fn sources() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    SOURCES.into_iter().chain(crowd::SOURCES).chain(gpu_ik::SOURCES)
}

fn parse(name: &str, files: &[&str]) -> naga::Module {
    let source = files.concat();
    naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)))
}

fn validate(name: &str, module: &naga::Module) -> naga::valid::ModuleInfo {
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::default());
    validator.validate(module).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// Returns a module by its name.
pub(crate) fn module(name: &str) -> naga::Module {
    let (_, files) = sources().find(|(n, _)| *n == name).unwrap();
    parse(name, &with_imports(files))
}

#[test]
fn every_file_imports_what_it_uses() {
    let is_file = |name: &str| FILES.iter().any(|(n, _)| *n == name);
    for &(name, file) in FILES {
        for import in imports(file).flatten() {
            assert!(is_file(import), "{name} imports {import}");
        }
        let constants = match name {
            "joint_limits" | "ik_joint" => "const KINDS: u32 = ALL_KINDS;\n",
            name if name.starts_with("ik_chain") => gpu_ik::LARGEST,
            _ => "",
        };
        parse(name, &with_imports(&[constants, file]));
    }
}

#[test]
fn every_shader_is_valid() {
    for (name, _) in sources() {
        validate(name, &module(name));
    }
}

/// Fragment shaders read no value that the vertex shader does not pass on, because both use the same struct.
#[test]
fn surfaces_are_valid_with_each_value_alone_and_without_any() {
    for (name, files) in SOURCES.into_iter().filter(|(name, _)| name.ends_with("surface")) {
        for kept in 0..=NAMES.len() {
            let varyings = Varyings(std::array::from_fn(|value| value == kept)).source();
            validate(name, &parse(name, &with_varyings(&with_imports(files), &varyings)));
        }
    }
}

/// Only vertices that compute shadows may read the shadow map, because WebGL2-class adapters bind it to fragment shaders alone.
#[test]
fn only_vertices_with_light_read_the_shadow_map() {
    let mut checked = 0;
    for (name, files) in SOURCES.into_iter().filter(|(name, _)| name.ends_with("surface")) {
        let all = Varyings([true; NAMES.len()]);
        let without = Varyings(NAMES.map(|name| name != "light"));
        for varyings in [all, without] {
            let module = parse(name, &with_varyings(&with_imports(files), &varyings.source()));
            let info = validate(name, &module);
            let is_map = |v: &naga::GlobalVariable| v.name.as_deref() == Some("shadow_map");
            let (map, _) = module.global_variables.iter().find(|(_, variable)| is_map(variable)).unwrap();
            for (index, entry) in module.entry_points.iter().enumerate() {
                let reads = !info.get_entry_point(index)[map].is_empty();
                let may_read = entry.stage == naga::ShaderStage::Fragment || varyings.has_light();
                assert_eq!(reads, may_read, "{name}, {}", entry.name);
                checked += 1;
            }
        }
    }
    assert!(checked >= 14, "{checked} entry points");
}

/// Translates every shader into the GLSL of WebGL2, which has no storage buffers and cannot both compare a depth texture and read numbers
/// from it.
#[cfg(target_os = "linux")]
#[test]
fn every_shader_can_be_translated_for_webgl2() {
    use naga::back::glsl::{Options, PipelineOptions, Version, Writer};
    let mut translated = 0;
    for (name, files) in webgl2_sources() {
        let module = parse(name, &files);
        let flags = naga::valid::ValidationFlags::all();
        let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::default());
        let info = validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        // Sample masks need an extension. Without this extension, the entry point is not used.
        for entry in module.entry_points.iter().filter(|entry| entry.name != "smooth_holes") {
            let (stage, entry_point) = (entry.stage, entry.name.clone());
            let (module, info) = naga::back::pipeline_constants::process_overrides(
                &module,
                &info,
                Some((stage, &entry_point)),
                &Default::default(),
            )
            .unwrap();
            let options = Options { version: Version::new_gles(300), ..Options::default() };
            let pipeline =
                PipelineOptions { shader_stage: stage, entry_point: entry_point.clone(), multiview: None };
            let mut text = String::new();
            Writer::new(&mut text, &module, &info, &options, &pipeline, Default::default())
                .and_then(|mut writer| writer.write())
                .unwrap_or_else(|error| panic!("{name}, {entry_point}: {error}"));
            assert!(text.contains("void main()"), "{name}, {entry_point}");
            translated += 1;
        }
    }
    assert!(translated > 15, "{translated} entry points");
}
