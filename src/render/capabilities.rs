//! The capabilities of an adapter, determined once when it is opened.

use wgpu::{
    Adapter, Backend, DeviceType, DownlevelFlags, Features, Limits, TextureFormat, TextureFormatFeatureFlags,
    TextureUsages,
};

/// Number of storage buffers that vertex shaders read through `shaders/fetch_storage.wgsl`.
const VERTEX_BUFFERS: u32 = 5;

/// The capabilities of an adapter. All differences between adapters depend on these values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Whether the adapter draws on the CPU. `render/software` contains the code for such adapters.
    pub(crate) is_software: bool,
    /// Whether the adapter supports indirect draws, and compute shaders with eight storage buffers.
    pub(crate) has_compute: bool,
    /// Whether indirect draws can begin with any instance.
    pub(crate) has_first_instance: bool,
    /// Whether vertex shaders read storage buffers. Otherwise, they read textures (`data_texture.rs`).
    pub(crate) has_vertex_storage: bool,
    /// Whether fragment shaders can write sample masks.
    pub(crate) has_sample_masks: bool,
    /// Whether a depth texture can be both compared and read as numbers. GLSL allows only one of these.
    pub(crate) loads_compared_depth: bool,
    /// Whether a pass can draw into one level of a texture while it reads another.
    pub(crate) fills_levels_in_place: bool,
    /// Whether a texture can be used with and without conversion to sRGB.
    pub(crate) has_view_formats: bool,
}

impl Capabilities {
    /// Capabilities of WebGL2 on a GPU.
    #[cfg(test)]
    pub(super) const WEBGL2: Self = Self {
        is_software: false,
        has_compute: false,
        has_first_instance: false,
        has_vertex_storage: false,
        has_sample_masks: false,
        loads_compared_depth: false,
        fills_levels_in_place: true,
        has_view_formats: false,
    };

    /// Returns the capabilities of an adapter opened with all of its limits.
    pub(super) fn of_adapter(adapter: &Adapter) -> Self {
        let flags = adapter.get_downlevel_capabilities().flags;
        Self::new(&adapter.get_info(), &adapter.limits(), flags).with(adapter.features())
    }

    /// Returns the capabilities of a device with an unknown adapter. If the limits of the device include no storage buffers, it is treated
    /// like WebGL2, and otherwise like WebGPU.
    pub(super) fn of_device(device: &wgpu::Device, info: &wgpu::AdapterInfo) -> Self {
        let limits = device.limits();
        let has_storage = limits.max_storage_buffers_per_shader_stage >= VERTEX_BUFFERS;
        let flags = if has_storage { DownlevelFlags::all() } else { DownlevelFlags::empty() };
        Self::new(info, &limits, flags).with(device.features())
    }

    fn with(self, features: Features) -> Self {
        Self { has_first_instance: features.contains(Features::INDIRECT_FIRST_INSTANCE), ..self }
    }

    fn new(info: &wgpu::AdapterInfo, limits: &Limits, flags: DownlevelFlags) -> Self {
        let has_vertex_storage = shades_with_storage(info)
            && flags.contains(DownlevelFlags::VERTEX_STORAGE)
            && limits.max_storage_buffers_per_shader_stage >= VERTEX_BUFFERS;
        let computes = DownlevelFlags::COMPUTE_SHADERS | DownlevelFlags::INDIRECT_EXECUTION;
        let has_compute = has_vertex_storage
            && flags.contains(computes)
            && limits.max_storage_buffers_per_shader_stage >= 8
            && limits.max_compute_invocations_per_workgroup >= 256;
        Self {
            is_software: info.device_type == DeviceType::Cpu,
            has_compute,
            has_first_instance: false,
            has_vertex_storage,
            has_sample_masks: flags.contains(DownlevelFlags::MULTISAMPLED_SHADING),
            loads_compared_depth: info.backend != Backend::Gl,
            fills_levels_in_place: has_fixed_levels(info),
            has_view_formats: flags.contains(DownlevelFlags::VIEW_FORMATS),
        }
    }
}

/// Returns the version of desktop OpenGL, which is at the start of a driver's description. Returns `None` for OpenGL ES, whose descriptions
/// begin with words.
fn desktop_opengl(info: &wgpu::AdapterInfo) -> Option<(u32, u32)> {
    let version = info.driver_info.split(' ').next()?;
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    (info.backend == Backend::Gl).then_some((numbers.next()?, numbers.next()?))
}

/// Returns whether shaders may declare storage buffers. OpenGL contexts before 4.3 can have them as an extension, but wgpu translates
/// shaders into the GLSL of the context's version, which has no storage buffers.
fn shades_with_storage(info: &wgpu::AdapterInfo) -> bool {
    desktop_opengl(info).is_none_or(|version| version >= (4, 3))
}

/// Returns whether all levels of a texture are created at once, as in OpenGL since 4.2. In older versions, a pass that draws into a level
/// draws nothing while another level is bound alone, or if a level is missing.
fn has_fixed_levels(info: &wgpu::AdapterInfo) -> bool {
    desktop_opengl(info).is_none_or(|version| version >= (4, 2))
}

/// Returns the reason why an adapter cannot draw at all, or `None` if it can. Drawing needs at least the features of WebGL2.
pub(super) fn shortcoming(adapter: &Adapter) -> Option<String> {
    let flags = adapter.get_downlevel_capabilities().flags;
    missing_limit(&adapter.limits())
        .or_else(|| lost_bindings(&adapter.get_info(), flags))
        .or_else(|| missing_flag(flags))
        .or_else(|| missing_format(|format| adapter.get_texture_format_features(format)))
}

/// Returns an error for OpenGL contexts that mix up textures and buffers. Before OpenGL 4.2, shaders cannot specify the bindings of their
/// resources, and wgpu 30 assigns them itself only if the context does not have compute shaders as an extension.
fn lost_bindings(info: &wgpu::AdapterInfo, flags: DownlevelFlags) -> Option<String> {
    let (major, minor) = desktop_opengl(info)?;
    let is_lost = (major, minor) < (4, 2) && flags.contains(DownlevelFlags::COMPUTE_SHADERS);
    is_lost.then(|| {
        format!(
            "wgpu does not bind resources in a context of OpenGL {major}.{minor} with GL_ARB_compute_shader"
        )
    })
}

fn missing_limit(limits: &Limits) -> Option<String> {
    let mut missing = None;
    Limits::downlevel_webgl2_defaults().check_limits_with_fail_fn(limits, true, |name, needed, found| {
        missing = Some(format!("its limit {name} is {found}, and {needed} is needed"));
    });
    missing
}

fn missing_flag(flags: DownlevelFlags) -> Option<String> {
    let is_missing = !flags.contains(DownlevelFlags::COMPARISON_SAMPLERS);
    is_missing.then(|| "it cannot compare depths in textures".to_owned())
}

fn missing_format(features: impl Fn(TextureFormat) -> wgpu::TextureFormatFeatures) -> Option<String> {
    const DRAWN: TextureUsages = TextureUsages::RENDER_ATTACHMENT.union(TextureUsages::TEXTURE_BINDING);
    const SMOOTH: TextureFormatFeatureFlags = TextureFormatFeatureFlags::FILTERABLE;
    const FOUR_SAMPLES: TextureFormatFeatureFlags = TextureFormatFeatureFlags::MULTISAMPLE_X4;
    let needed = [
        (TextureFormat::Rgba8UnormSrgb, DRAWN, SMOOTH.union(FOUR_SAMPLES)),
        (TextureFormat::Rgba8Unorm, DRAWN, SMOOTH.union(FOUR_SAMPLES)),
        (TextureFormat::Rgba16Float, TextureUsages::TEXTURE_BINDING, SMOOTH),
        (TextureFormat::Rgba32Float, TextureUsages::TEXTURE_BINDING, TextureFormatFeatureFlags::empty()),
        (TextureFormat::Depth32Float, DRAWN, FOUR_SAMPLES),
        (TextureFormat::Depth16Unorm, DRAWN, TextureFormatFeatureFlags::empty()),
    ];
    let lacks = |&(format, usages, flags): &(TextureFormat, TextureUsages, TextureFormatFeatureFlags)| {
        let found = features(format);
        !(found.allowed_usages.contains(usages) && found.flags.contains(flags))
    };
    let (format, ..) = needed.into_iter().find(lacks)?;
    Some(format!("it does not draw into or read textures of the format {format:?} as needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(backend: Backend) -> wgpu::AdapterInfo {
        wgpu::AdapterInfo::new(DeviceType::DiscreteGpu, backend)
    }

    #[test]
    fn opengl_3_3_reads_textures_in_place_of_storage_buffers() {
        let limits = Limits::downlevel_webgl2_defaults();
        let found = Capabilities::new(&info(Backend::Gl), &limits, DownlevelFlags::COMPARISON_SAMPLERS);
        assert!(!(found.has_compute || found.has_vertex_storage || found.has_sample_masks));
        assert!(!found.loads_compared_depth);
        // Some drivers have storage buffers, but not in vertex shaders.
        let flags = DownlevelFlags::all() - DownlevelFlags::VERTEX_STORAGE;
        let found = Capabilities::new(&info(Backend::Gl), &Limits::default(), flags);
        assert!(!(found.has_compute || found.has_vertex_storage));
        // wgpu relies on the extension even if the context's GLSL is too old for it.
        for (version, expected) in [("3.3.0 NVIDIA 535.1", false), ("4.5 (Core Profile) Mesa 22.3.6", true)] {
            let info = wgpu::AdapterInfo { driver_info: version.to_owned(), ..info(Backend::Gl) };
            let found = Capabilities::new(&info, &Limits::default(), DownlevelFlags::all());
            assert_eq!(found.has_vertex_storage, expected, "{version}");
        }
        let found = Capabilities::new(&info(Backend::Vulkan), &Limits::default(), DownlevelFlags::all());
        assert!(found.has_compute && found.has_vertex_storage && found.loads_compared_depth);
    }

    /// NVIDIA's driver returns such contexts, and every image drawn with them was wrong.
    #[test]
    fn old_opengl_with_new_extensions_is_refused() {
        let refused = |version: &str, flags| {
            let info = wgpu::AdapterInfo { driver_info: version.to_owned(), ..info(Backend::Gl) };
            lost_bindings(&info, flags).is_some()
        };
        assert!(refused("3.3.0 NVIDIA 535.1", DownlevelFlags::COMPUTE_SHADERS));
        assert!(!refused("3.3.0 NVIDIA 535.1", DownlevelFlags::empty()));
        assert!(!refused("4.5 (Core Profile) Mesa 22.3.6", DownlevelFlags::COMPUTE_SHADERS));
        assert!(!refused("OpenGL ES 3.2 Mesa 22.3.6", DownlevelFlags::COMPUTE_SHADERS));
    }

    #[test]
    fn an_adapter_below_webgl2_is_refused_with_a_reason() {
        let webgl2 = Limits::downlevel_webgl2_defaults();
        assert_eq!(missing_limit(&webgl2), None);
        let small = Limits { max_uniform_buffer_binding_size: 4096, ..webgl2 };
        let reason = "its limit max_uniform_buffer_binding_size is 4096, and 16384 is needed";
        assert_eq!(missing_limit(&small).as_deref(), Some(reason));
        assert_eq!(missing_flag(DownlevelFlags::COMPARISON_SAMPLERS), None);
        assert!(missing_flag(DownlevelFlags::all() - DownlevelFlags::COMPARISON_SAMPLERS).is_some());
        let guaranteed = |format: TextureFormat| format.guaranteed_format_features(wgpu::Features::empty());
        assert_eq!(missing_format(guaranteed), None);
        let no_half_floats = |format: TextureFormat| {
            let mut found = guaranteed(format);
            if format == TextureFormat::Rgba16Float {
                found.flags -= TextureFormatFeatureFlags::FILTERABLE;
            }
            found
        };
        assert!(missing_format(no_half_floats).is_some_and(|reason| reason.contains("Rgba16Float")));
    }
}
