//! Decodes textures, computes their mip levels and uploads them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use wgpu::TextureFormat;

use crate::asset::{AlphaMode, Character, DecodedImage, Filter, ImageError, Part, Sampler, TextureRef, Wrap};
use crate::files::Progress;

use super::layout::CORE_MAPS;
use super::material::{TextureUse, core_maps, extra_maps, missing_slots};
use super::mips::MipLevels;
use super::software::mip_levels::halve;
use super::{Gpu, ShadingMode};

/// The decoded images of a character. They contain no GPU resources, so they can be created on any thread.
#[derive(Debug, Default)]
pub struct DecodedImages {
    images: Vec<Option<DecodedImage>>,
    /// One line for each image that could not be decoded.
    pub warnings: Vec<String>,
}

impl DecodedImages {
    /// Decodes the images that the given parts use in a mode, on all cores. [`ShadingMode::Shaded`] uses every image
    /// that any other mode uses. An image that is missing is replaced by a neutral colour.
    pub fn decode(character: &Character, parts: &[Part], mode: ShadingMode) -> Self {
        Self::decode_with(character, parts, mode, &Progress::default())
    }

    /// Like [`Self::decode`], but decodes no further images after it has been stopped from another thread.
    pub fn decode_with(
        character: &Character,
        parts: &[Part],
        mode: ShadingMode,
        progress: &Progress,
    ) -> Self {
        let mut wanted = vec![false; character.images.len()];
        let material = |part: &Part| character.materials.get(character.primitive(*part).material?);
        let mut warned = HashSet::new();
        let mut warnings = Vec::new();
        for material in parts.iter().filter_map(material) {
            let missing = missing_slots(material);
            if missing > 0 && mode.is_shaded() && warned.insert(&raw const *material) {
                let name = material.name.as_deref().unwrap_or("without a name");
                warnings.push(format!(
                    "material {name}: has too many textures, so {missing} of them are not drawn"
                ));
            }
            let masked = matches!(material.alpha_mode, AlphaMode::Mask(_));
            let core = core_maps(material).into_iter().zip(used_textures(mode, masked));
            let core = core.filter_map(|((texture, _), is_used)| texture.filter(|_| is_used));
            let extra = extra_maps(material).map(|(_, texture, _)| texture).filter(|_| mode.is_shaded());
            for texture in core.chain(extra) {
                let image = character.textures.get(texture.texture).and_then(|texture| texture.image);
                if let Some(wanted) = image.and_then(|i| wanted.get_mut(i)) {
                    *wanted = true;
                }
            }
        }
        let wanted: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i]).collect();
        let mut decoded = Self { images: vec![None; character.images.len()], warnings };
        for (&index, result) in wanted.iter().zip(decode_all(character, &wanted, progress)) {
            match result {
                Ok(pixels) => decoded.images[index] = Some(pixels),
                Err(cause) => {
                    decoded.warnings.push(format!("images[{index}]: {cause}; using a neutral colour"));
                }
            }
        }
        decoded
    }
}

/// Decodes images by index, on all cores. Each thread takes the next image that no other thread has taken.
fn decode_all(
    character: &Character,
    wanted: &[usize],
    progress: &Progress,
) -> Vec<Result<DecodedImage, ImageError>> {
    let next = AtomicUsize::new(0);
    let decode_some = || {
        let take_next = || {
            let at = next.fetch_add(1, Ordering::Relaxed);
            wanted.get(at).map(|image| (at, image))
        };
        std::iter::from_fn(take_next)
            .map(|(at, &image)| (at, character.images[image].decode_with(progress)))
            .collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut result: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (1..cores.min(wanted.len())).map(|_| scope.spawn(decode_some)).collect();
        let own = decode_some();
        own.into_iter().chain(threads.into_iter().flat_map(|t| t.join().unwrap_or_default())).collect()
    });
    result.sort_by_key(|(at, _)| *at);
    result.into_iter().map(|(_, result)| result).collect()
}

/// Returns which of glTF's core textures a mode samples. `masked` must be true if the material has an alpha cutoff.
pub(super) fn used_textures(mode: ShadingMode, masked: bool) -> [bool; CORE_MAPS] {
    match mode {
        ShadingMode::Shaded | ShadingMode::Skeleton => [true; CORE_MAPS],
        ShadingMode::Lambert => [true, false, false, false, false],
        ShadingMode::Normal => [masked, false, false, false, false],
        ShadingMode::Mask => [false; CORE_MAPS],
    }
}

impl TextureUse {
    fn format(self) -> TextureFormat {
        if self == Self::Color { TextureFormat::Rgba8UnormSrgb } else { TextureFormat::Rgba8Unorm }
    }

    fn neutral(self) -> DecodedImage {
        let pixel = if self == Self::Normal { [128, 128, 255, 255] } else { [255; 4] };
        DecodedImage { width: 1, height: 1, rgba: pixel.to_vec() }
    }
}

/// Textures and samplers of one character. Each texture is uploaded once, even if several materials use it.
pub(super) struct Textures<'a> {
    gpu: &'a Gpu,
    character: &'a Character,
    decoded: &'a DecodedImages,
    views: HashMap<(Option<usize>, TextureUse), wgpu::TextureView>,
    samplers: HashMap<Sampler, wgpu::Sampler>,
    /// Computes mip levels, on GPUs only. Created on first use.
    mips: Option<MipLevels>,
}

impl<'a> Textures<'a> {
    pub(super) fn new(gpu: &'a Gpu, character: &'a Character, decoded: &'a DecodedImages) -> Self {
        Self { gpu, character, decoded, views: HashMap::new(), samplers: HashMap::new(), mips: None }
    }

    /// Returns the index of the image that a reference points to, if it was decoded and the adapter supports its size.
    pub(super) fn pixels(&self, texture: Option<TextureRef>) -> Option<usize> {
        let image = self.character.textures.get(texture?.texture)?.image?;
        let pixels = self.decoded.images.get(image)?.as_ref()?;
        let limit = self.gpu.device.limits().max_texture_dimension_2d;
        (pixels.width <= limit && pixels.height <= limit).then_some(image)
    }

    /// Returns the view and the sampler of a texture. If the image is missing, the view shows the neutral colour.
    pub(super) fn get(
        &mut self,
        texture: Option<TextureRef>,
        usage: TextureUse,
    ) -> (wgpu::TextureView, wgpu::Sampler) {
        let image = self.pixels(texture);
        let sampler = texture.and_then(|t| self.character.textures.get(t.texture)).map(|t| t.sampler);
        let view = match self.views.get(&(image, usage)) {
            Some(view) => view.clone(),
            None => {
                let pixels = image.and_then(|i| self.decoded.images.get(i)?.as_ref());
                let is_gpu = !self.gpu.capabilities.is_software;
                let mips = is_gpu.then(|| self.mips.get_or_insert_with(|| MipLevels::new(self.gpu)));
                let texture = match pixels {
                    Some(pixels) => upload(self.gpu, pixels, usage, mips),
                    None => upload(self.gpu, &usage.neutral(), usage, mips),
                };
                let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
                self.views.entry((image, usage)).or_insert(view).clone()
            }
        };
        let sampler = sampler.unwrap_or_default();
        let device = &self.gpu.device;
        let anisotropy = if self.gpu.capabilities.is_software { 1 } else { ANISOTROPY };
        let sampler = self
            .samplers
            .entry(sampler)
            .or_insert_with(|| device.create_sampler(&sampler_descriptor(sampler, anisotropy)))
            .clone();
        (view, sampler)
    }
}

/// Maximum anisotropy of filtered textures on a GPU. Without anisotropic filtering, textures would be blurred at grazing angles. On a
/// software adapter, it would be slow and would make Mesa 22.3 draw white pixels at the edges of triangles.
const ANISOTROPY: u16 = 8;

/// A texture with smooth magnification is filtered as well as possible. Most files that request less only contain the default of their
/// exporter. A texture that shows its pixels is filtered as its file requests.
fn sampler_descriptor(sampler: Sampler, anisotropy: u16) -> wgpu::SamplerDescriptor<'static> {
    let is_smooth = sampler.magnify == Filter::Linear;
    let linear = Sampler { minify: Filter::Linear, mipmap: Some(Filter::Linear), ..sampler };
    let sampler = if is_smooth { linear } else { sampler };
    let wrap = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    wgpu::SamplerDescriptor {
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        mag_filter: filter(sampler.magnify),
        min_filter: filter(sampler.minify),
        mipmap_filter: match sampler.mipmap {
            Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        lod_max_clamp: if sampler.mipmap.is_some() { 32.0 } else { 0.0 },
        anisotropy_clamp: if is_smooth { anisotropy } else { 1 },
        ..Default::default()
    }
}

/// Uploads an image with all its mip levels, which the GPU computes if `mips` is given.
fn upload(
    gpu: &Gpu,
    pixels: &DecodedImage,
    usage: TextureUse,
    mips: Option<&mut MipLevels>,
) -> wgpu::Texture {
    use wgpu::TextureUsages;
    let read_by_tests = if cfg!(test) { TextureUsages::COPY_SRC } else { TextureUsages::empty() };
    let rendered = if mips.is_some() { TextureUsages::RENDER_ATTACHMENT } else { TextureUsages::empty() };
    let (width, height) = (pixels.width, pixels.height);
    let levels = 32 - width.max(height).max(1).leading_zeros();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: usage.format(),
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST | rendered | read_by_tests,
        view_formats: &[],
    });
    let mut reduced;
    let mut level_pixels = pixels;
    for level in 0..if mips.is_some() { 1 } else { levels } {
        let (width, height) = (level_pixels.width, level_pixels.height);
        let destination = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
        let rows =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: None };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        gpu.queue.write_texture(destination, &level_pixels.rgba, rows, size);
        if level + 1 < levels && mips.is_none() {
            reduced = halve(level_pixels, usage == TextureUse::Color);
            level_pixels = &reduced;
        }
    }
    if let Some(mips) = mips {
        mips.fill(gpu, &texture);
    }
    texture
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    /// Reads a level of a texture back, with rows padded to 256 bytes.
    fn read(gpu: &Gpu, texture: &wgpu::Texture, mip_level: u32) -> Vec<u8> {
        let (width, height) = ((texture.width() >> mip_level).max(1), (texture.height() >> mip_level).max(1));
        let row = (width * 4).next_multiple_of(256);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(row * height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        gpu.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let mapped = buffer.get_mapped_range(..).unwrap();
        mapped.chunks(row as usize).flat_map(|line| line[..width as usize * 4].to_vec()).collect()
    }

    #[test]
    fn the_gpu_computes_the_same_mip_levels_as_the_cpu() {
        let gpu = Gpu::new(&"cpu".parse().unwrap()).unwrap();
        let mut mips = MipLevels::new(&gpu);
        for (width, height) in [(64, 64), (37, 22), (1, 9)] {
            let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0];
            let pixels = DecodedImage { width, height, rgba: (0..width * height * 4).map(noise).collect() };
            for usage in [TextureUse::Color, TextureUse::Data] {
                let expected = upload(&gpu, &pixels, usage, None);
                let found = upload(&gpu, &pixels, usage, Some(&mut mips));
                for level in 0..found.mip_level_count() {
                    let pairs = read(&gpu, &expected, level).into_iter().zip(read(&gpu, &found, level));
                    let worst = pairs.map(|(a, b)| a.abs_diff(b)).max().unwrap();
                    // Each level is computed from rounded texels of the previous one.
                    assert!(worst <= 1, "{worst} at level {level} of {width}x{height}, {usage:?}");
                }
            }
        }
    }
}
