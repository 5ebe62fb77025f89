//! Compute passes and the buffers that they read and write.

use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, BufferUsages, ShaderStages};

use super::offscreen::read_buffer;
use super::{Gpu, RenderError, shaders};

/// The largest number of workgroups in one dimension that every adapter supports.
const MAX_GROUPS: u32 = 65_535;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    Read,
    /// A storage buffer that is read and written.
    Write,
}

/// A compute pipeline whose buffers are in its first bind group, numbered from zero.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    label: &'static str,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Kernel {
    /// Creates the pipeline of an entry point. The module consists of `files` and their imports. `constants` are the values of its
    /// override constants. At most eight buffers may be storage buffers, so that every adapter can bind them.
    pub(crate) fn new(
        gpu: &Gpu,
        label: &'static str,
        files: &[&str],
        entry_point: &str,
        constants: &[(&str, f64)],
        buffers: &[Access],
    ) -> Self {
        Self::with_groups(gpu, label, files, entry_point, constants, buffers, &[])
    }

    /// Like [`Kernel::new`], with the layouts of more bind groups, numbered from one. The limit of storage buffers holds for all groups
    /// together.
    pub(crate) fn with_groups(
        gpu: &Gpu,
        label: &'static str,
        files: &[&str],
        entry_point: &str,
        constants: &[(&str, f64)],
        buffers: &[Access],
        others: &[&wgpu::BindGroupLayout],
    ) -> Self {
        let layout = buffer_layout(gpu, label, buffers);
        let layouts: Vec<_> = std::iter::once(&layout).chain(others.iter().copied()).map(Some).collect();
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&pipeline_layout),
            module: &shaders::module(&gpu.device, label, files),
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
            cache: None,
        });
        Self { label, pipeline, layout }
    }

    /// Binds the buffers of the kernel, in order.
    pub(crate) fn bind(&self, gpu: &Gpu, buffers: &[wgpu::BufferBinding<'_>]) -> wgpu::BindGroup {
        bind_buffers(gpu, self.label, &self.layout, buffers)
    }

    /// Encodes a dispatch of at least `groups` workgroups. If one dimension cannot hold them all, they are spread over rows of equal
    /// length, so there may be a few more. The shader computes its index from the workgroup's id and the number of workgroups, and returns
    /// if the index is too large.
    pub(crate) fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup, groups: u32) {
        self.dispatch_with(pass, group, &[], groups);
    }

    /// Like [`Kernel::dispatch`], with more bind groups, numbered from one.
    pub(crate) fn dispatch_with(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group: &wgpu::BindGroup,
        others: &[&wgpu::BindGroup],
        groups: u32,
    ) {
        if groups == 0 {
            return;
        }
        let rows = groups.div_ceil(MAX_GROUPS);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        for (index, other) in (1..).zip(others) {
            pass.set_bind_group(index, *other, &[]);
        }
        pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }
}

/// Creates the layout of a bind group of buffers for compute shaders, numbered from zero.
pub(crate) fn buffer_layout(gpu: &Gpu, label: &'static str, buffers: &[Access]) -> wgpu::BindGroupLayout {
    let entry = |(binding, access): (u32, &Access)| BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: match access {
                Access::Uniform => BufferBindingType::Uniform,
                Access::Read => BufferBindingType::Storage { read_only: true },
                Access::Write => BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(buffers).map(entry).collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// Binds the buffers of a layout, in order.
pub(crate) fn bind_buffers(
    gpu: &Gpu,
    label: &'static str,
    layout: &wgpu::BindGroupLayout,
    buffers: &[wgpu::BufferBinding<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(buffer.clone()),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

/// Creates a storage buffer of a size in bytes for copies in both directions. It is never empty.
///
/// # Errors
/// [`RenderError::Buffer`] if it exceeds the limits of the adapter.
pub(crate) fn storage(gpu: &Gpu, label: &'static str, size: u64) -> Result<wgpu::Buffer, RenderError> {
    gpu.check_storage(label, size)?;
    Ok(gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(256).next_multiple_of(16),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    }))
}

/// Creates a storage buffer with initial contents.
///
/// # Errors
/// See [`storage`].
pub(crate) fn storage_with(
    gpu: &Gpu,
    label: &'static str,
    bytes: &[u8],
) -> Result<wgpu::Buffer, RenderError> {
    let buffer = storage(gpu, label, bytes.len() as u64)?;
    // Writes must be multiples of four bytes, as all shader structs are.
    gpu.queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

/// Creates a uniform buffer that contains `bytes`. Their number must be a multiple of 16.
pub(crate) fn uniform(gpu: &Gpu, label: &'static str, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.len() as u64,
        usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Submits an encoder and waits for the contents of a range of a buffer. For tests and for reading results; never called while a frame is
/// drawn.
///
/// # Errors
/// [`RenderError`] if the driver reports an error or the device is lost.
pub(crate) fn read_back<T>(
    gpu: &Gpu,
    mut encoder: wgpu::CommandEncoder,
    buffer: &wgpu::Buffer,
    range: std::ops::Range<u64>,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, RenderError> {
    let size = range.end.saturating_sub(range.start);
    gpu.check_buffer("read back", size)?;
    let target = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: size.max(4),
        usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(buffer, range.start, &target, 0, size);
    let work = gpu.queue.submit([encoder.finish()]);
    read_buffer(gpu, &target, work, read)
}

/// Returns a kernel that is created once. Kernels with errors are not kept.
pub(crate) fn kept<K: Clone>(
    gpu: &Gpu,
    slot: &mut Option<K>,
    create: impl FnOnce(&Gpu) -> K,
) -> Result<K, RenderError> {
    if let Some(kernel) = slot {
        return Ok(kernel.clone());
    }
    let kernel = create(gpu);
    gpu.check()?;
    Ok(slot.insert(kernel).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_with_errors_are_not_kept() {
        let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
        let gpu = Gpu::new(&adapter.parse().unwrap()).unwrap();
        let mut slot = None::<u32>;
        let invalid = |gpu: &Gpu| {
            // A shader that cannot be parsed.
            let source = wgpu::ShaderSource::Wgsl("fn".into());
            drop(gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }));
            1
        };
        assert!(kept(&gpu, &mut slot, invalid).is_err());
        assert_eq!(slot, None);
        assert!(matches!(kept(&gpu, &mut slot, |_| 2), Ok(2)));
        assert!(matches!(kept(&gpu, &mut slot, |_| 3), Ok(2)));
    }
}
