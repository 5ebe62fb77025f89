//! Choosing and opening a graphics adapter.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{Adapter, Backend, Backends, DeviceType};

use crate::api::ParseError;
use crate::platform::block_on;

use super::RenderError;
use super::capabilities::{Capabilities, shortcoming};

/// The choice of a graphics adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterChoice {
    /// The best adapter: hardware before software, and Vulkan, Metal and DirectX before OpenGL.
    #[default]
    Auto,
    /// A software adapter, preferably Vulkan.
    Cpu,
    /// An adapter of the given backend. If a string is given, the adapter's name must contain it.
    Backend(Backend, Option<String>),
}

impl FromStr for AdapterChoice {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (kind, name) = match text.split_once(':') {
            Some((kind, name)) => (kind, Some(name.to_owned())),
            None => (text, None),
        };
        match (kind, name) {
            ("auto", None) => Ok(Self::Auto),
            ("cpu", None) => Ok(Self::Cpu),
            ("vulkan", name) => Ok(Self::Backend(Backend::Vulkan, name)),
            ("gl", name) => Ok(Self::Backend(Backend::Gl, name)),
            ("metal", name) => Ok(Self::Backend(Backend::Metal, name)),
            ("dx12", name) => Ok(Self::Backend(Backend::Dx12, name)),
            _ => Err(ParseError::new(
                "adapter",
                text,
                "auto, cpu, vulkan[:TEXT], gl[:TEXT], metal[:TEXT] or dx12[:TEXT]",
            )),
        }
    }
}

impl fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Backend(backend, None) => write!(f, "{backend}"),
            Self::Backend(backend, Some(name)) => write!(f, "{backend}:{name}"),
        }
    }
}

impl AdapterChoice {
    /// Returns groups of backends in the order of the search. Starting the backends of a group takes time, and the first group is
    /// often sufficient.
    fn backends(&self) -> Vec<Backends> {
        match self {
            Self::Auto | Self::Cpu => vec![Backends::VULKAN | Backends::METAL | Backends::DX12, Backends::GL],
            Self::Backend(backend, _) => vec![Backends::from(*backend)],
        }
    }

    fn fits(&self, adapter: &Adapter) -> bool {
        let info = adapter.get_info();
        match self {
            Self::Auto => true,
            Self::Cpu => info.device_type == DeviceType::Cpu,
            Self::Backend(_, None) => true,
            Self::Backend(_, Some(text)) => info.name.to_lowercase().contains(&text.to_lowercase()),
        }
    }
}

/// Features that are used if the adapter has them: timestamps, which only measurements need, and levels of detail of crowds.
const OPTIONAL: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::INDIRECT_FIRST_INSTANCE);

/// The first message of a driver callback.
type FirstMessage = Arc<Mutex<Option<String>>>;

/// An open adapter. Clones share the same device.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device, which creates resources.
    pub device: wgpu::Device,
    /// The queue, which executes work.
    pub queue: wgpu::Queue,
    /// The driver's description of the adapter.
    pub info: wgpu::AdapterInfo,
    /// The capabilities of the adapter.
    pub(crate) capabilities: Capabilities,
    /// The first error that has not been returned to a caller yet.
    error: FirstMessage,
    /// The reason why the device was lost, if it was lost.
    lost: FirstMessage,
}

impl Gpu {
    /// Returns whether the adapter draws on the CPU.
    pub fn is_software(&self) -> bool {
        self.capabilities.is_software
    }

    /// Opens an adapter without a window system.
    ///
    /// # Errors
    /// [`RenderError::NoAdapter`] if no adapter matches, [`RenderError::Unfit`] if no matching adapter can draw, and
    /// [`RenderError::Device`] if the adapter cannot be opened.
    pub fn new(choice: &AdapterChoice) -> Result<Self, RenderError> {
        let mut search = Search::new(choice);
        for backends in choice.backends() {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            descriptor.backends = backends;
            // Validation layers only help shader authors, and searching for them would cost every user time.
            descriptor.flags = wgpu::InstanceFlags::empty();
            let instance = wgpu::Instance::new(descriptor);
            let adapters = block_on(instance.enumerate_adapters(backends)).unwrap_or_default();
            if let Some(opened) =
                search.best(adapters, |_| true).and_then(|adapter| block_on(Self::open(&adapter)))
            {
                return opened;
            }
        }
        Err(search.failure())
    }

    /// Uses a device that the caller has opened. It needs the default limits of WebGPU, or the limits of WebGL2
    /// ([`wgpu::Limits::downlevel_webgl2_defaults`]), which exclude compute shaders. `info` describes its adapter.
    ///
    /// The device keeps the caller's callbacks. Errors and losses that are reported only to these callbacks are not returned by this crate.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue, info: wgpu::AdapterInfo) -> Self {
        let capabilities = Capabilities::of_device(&device, &info);
        Self {
            device,
            queue,
            info,
            capabilities,
            error: FirstMessage::default(),
            lost: FirstMessage::default(),
        }
    }

    /// Opens an adapter that can present to a surface. `display` returns the connection to the window system and is
    /// called once per instance. `target` returns the window.
    ///
    /// # Errors
    /// Same as [`Gpu::new`].
    pub fn with_surface(
        choice: &AdapterChoice,
        display: impl Fn() -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle>,
        target: impl Fn() -> wgpu::SurfaceTarget<'static>,
    ) -> Result<(Self, wgpu::Surface<'static>, wgpu::SurfaceCapabilities), RenderError> {
        let mut search = Search::new(choice);
        for backends in choice.backends() {
            let mut descriptor = wgpu::InstanceDescriptor::new_with_display_handle(display());
            descriptor.backends = backends;
            descriptor.flags = wgpu::InstanceFlags::empty();
            let instance = wgpu::Instance::new(descriptor);
            let Ok(surface) = instance.create_surface(target()) else { continue };
            let adapters = block_on(instance.enumerate_adapters(backends)).unwrap_or_default();
            if let Some(adapter) = search.best(adapters, |adapter| adapter.is_surface_supported(&surface))
                && let Some(opened) = block_on(Self::open(&adapter))
            {
                let capabilities = surface.get_capabilities(&adapter);
                return Ok((opened?, surface, capabilities));
            }
        }
        Err(search.failure())
    }

    /// Opens an adapter that draws into a canvas of a web page: with WebGPU, or else with WebGL2.
    ///
    /// # Errors
    /// [`RenderError::NoCanvas`] if the browser supports neither, or an error of [`Gpu::open`].
    #[cfg(target_arch = "wasm32")]
    pub async fn with_canvas(
        target: wgpu::SurfaceTarget<'static>,
        backends: Backends,
    ) -> Result<(Self, wgpu::Surface<'static>, wgpu::SurfaceCapabilities), RenderError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = backends;
        descriptor.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::util::new_instance_with_webgpu_detection(descriptor).await;
        let surface = instance.create_surface(target).map_err(|_| RenderError::NoCanvas)?;
        let options =
            wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        let adapter = instance.request_adapter(&options).await.map_err(|_| RenderError::NoCanvas)?;
        let offered = surface.get_capabilities(&adapter);
        Ok((Self::open(&adapter).await?, surface, offered))
    }

    /// Opens the given adapter. On platforms that allow blocking, the other functions find an adapter and open it.
    ///
    /// # Errors
    /// [`RenderError::Unfit`] if the adapter cannot draw, and [`RenderError::Device`] if it cannot be opened.
    pub async fn open(adapter: &Adapter) -> Result<Self, RenderError> {
        let info = adapter.get_info();
        if let Some(cause) = shortcoming(adapter) {
            return Err(RenderError::Unfit { adapter: describe(&info), cause });
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_features: adapter.features() & OPTIONAL,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|e| RenderError::Device {
            adapter: describe(&info),
            cause: join_lines(&e.to_string()),
        })?;
        let (error, lost) = (FirstMessage::default(), FirstMessage::default());
        let slot = Arc::clone(&error);
        device.on_uncaptured_error(Arc::new(move |error| {
            store_first(&slot, || join_lines(&error.to_string()));
        }));
        let slot = Arc::clone(&lost);
        device.set_device_lost_callback(move |_, reason| store_first(&slot, || reason));
        let capabilities = Capabilities::of_adapter(adapter);
        Ok(Self { device, queue, info, capabilities, error, lost })
    }

    /// Returns the name, backend and driver of the adapter, for example `llvmpipe (LLVM 15.0.6, 256 bits), vulkan, Mesa 22.3.6 (LLVM
    /// 15.0.6)`.
    pub fn describe(&self) -> String {
        describe(&self.info)
    }

    /// Returns the class of the adapter: its backend, and the program or vendor that draws. Adapters of the same class round numbers
    /// similarly. Examples are `vulkan-llvmpipe`, `gl-llvmpipe`, `vulkan-nvidia` and `metal-apple`.
    pub fn class(&self) -> String {
        class(&self.info)
    }

    /// Fails if the device is lost, or if the driver has reported an error since the last call.
    ///
    /// # Errors
    /// [`RenderError::Lost`] after the device was lost, or [`RenderError::Driver`] with the driver's first error.
    pub fn check(&self) -> Result<(), RenderError> {
        // Polling triggers the callback of a lost device. The callback has more details than the result of the poll.
        let _ = self.device.poll(wgpu::PollType::Poll);
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cause) = self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(RenderError::Lost(first_line(&cause)));
        }
        error.map_or(Ok(()), |cause| Err(RenderError::Driver(cause)))
    }

    /// Fails if a buffer of this size exceeds the adapter's limit.
    pub(super) fn check_buffer(&self, what: &'static str, bytes: u64) -> Result<(), RenderError> {
        let limit = self.device.limits().max_buffer_size;
        if bytes > limit { Err(RenderError::Buffer { what, bytes, limit }) } else { Ok(()) }
    }

    /// Fails if a storage buffer of this size exceeds the adapter's limit.
    pub(super) fn check_storage(&self, what: &'static str, bytes: u64) -> Result<(), RenderError> {
        let limits = self.device.limits();
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        if bytes > limit { Err(RenderError::Buffer { what, bytes, limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
impl Gpu {
    /// Returns the software adapter, or the one that `SINEW_ADAPTER` names. It is opened once for all tests.
    pub(crate) fn of_tests() -> Self {
        static GPU: std::sync::LazyLock<Gpu> = std::sync::LazyLock::new(Gpu::of_one_test);
        GPU.clone()
    }

    /// Opens the same adapter for one test. No other test polls this device, so that results arrive only when the test polls it.
    pub(crate) fn of_one_test() -> Self {
        let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
        Self::new(&adapter.parse().unwrap()).unwrap()
    }
}

/// The search for an adapter, one group of backends after another.
struct Search<'a> {
    choice: &'a AdapterChoice,
    /// Descriptions of all adapters that were found.
    found: Vec<String>,
    /// The first adapter that matches but cannot draw, and the reason.
    unfit: Option<(String, String)>,
}

impl<'a> Search<'a> {
    fn new(choice: &'a AdapterChoice) -> Self {
        Self { choice, found: Vec::new(), unfit: None }
    }

    /// Returns the best adapter that matches the choice and can draw.
    fn best(&mut self, mut adapters: Vec<Adapter>, is_usable: impl Fn(&Adapter) -> bool) -> Option<Adapter> {
        self.found.extend(adapters.iter().map(|a| describe(&a.get_info())));
        adapters.retain(|a| self.choice.fits(a) && is_usable(a));
        adapters.sort_by_key(|a| rank(&a.get_info()));
        adapters.into_iter().find(|adapter| {
            let cause = shortcoming(adapter);
            if let (Some(cause), None) = (&cause, &self.unfit) {
                self.unfit = Some((describe(&adapter.get_info()), cause.clone()));
            }
            cause.is_none()
        })
    }

    fn failure(self) -> RenderError {
        match self.unfit {
            Some((adapter, cause)) => RenderError::Unfit { adapter, cause },
            None => RenderError::NoAdapter { wanted: self.choice.to_string(), found: self.found },
        }
    }
}

fn store_first(slot: &FirstMessage, message: impl FnOnce() -> String) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(message);
}

/// Returns the first non-empty line of a message. Drivers may report many lines or none.
fn first_line(message: &str) -> String {
    match message.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => line.to_owned(),
        None => "the driver gave no reason".to_owned(),
    }
}

fn join_lines(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn describe(info: &wgpu::AdapterInfo) -> String {
    // The name of a software adapter already contains its driver.
    let driver = if info.name.contains(&info.driver) { "" } else { &info.driver };
    let driver = format!("{driver} {}", info.driver_info);
    let parts = [&info.name, info.backend.to_str(), driver.trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns a sort key: hardware before software, faster kinds first, OpenGL last.
fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
    let device = match info.device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    };
    (device, u8::from(info.backend == Backend::Gl))
}
/// See [`Gpu::class`].
fn class(info: &wgpu::AdapterInfo) -> String {
    let text = format!("{} {}", info.name, info.driver).to_lowercase();
    let known = [
        "llvmpipe",
        "swiftshader",
        "softpipe",
        "basic render",
        "nvidia",
        "geforce",
        "radeon",
        "amd",
        "intel",
        "apple",
        "adreno",
        "mali",
    ];
    let name = known.into_iter().find(|name| text.contains(name));
    let name = match name {
        Some("geforce") => "nvidia",
        Some("radeon") => "amd",
        Some("basic render") => "warp",
        Some(name) => name,
        None => "other",
    };
    format!("{}-{name}", info.backend.to_str())
}
