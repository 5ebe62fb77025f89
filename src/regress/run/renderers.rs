//! Draws the images of a suite.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::asset::Part;
use crate::puppet::Puppet;
use crate::render::{
    AdapterChoice, DecodedImages, Frame, Gpu, Model, Pending, RenderError, Renderer, ShadingMode,
};

use super::Posed;

/// Maximum number of models that are kept on a device.
const MAX_MODELS: usize = 24;
/// Maximum number of devices on a software adapter. Such a device processes the vertices of an image on a single
/// thread, and then waits for the pixels. Other devices can work in the meantime. On hardware adapters, one device is
/// used.
const MAX_DEVICES: usize = 4;
/// Number of cases that justify opening one more device.
const CASES_PER_DEVICE: usize = 16;

/// A device with its models. It is opened when the first image is drawn. Only one thread draws at a time.
#[derive(Default)]
pub(crate) struct SuiteRenderer(Mutex<Option<OpenDevice>>);

struct OpenDevice {
    renderer: Renderer,
    models: Vec<(ModelKey, Model)>,
}

/// Identifies a model on the device.
type ModelKey = (PathBuf, Vec<Part>, ShadingMode);

impl SuiteRenderer {
    /// Creates a suitable number of devices for a number of cases and threads.
    pub(crate) fn several(choice: &AdapterChoice, cases: usize, jobs: usize) -> Vec<Self> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let software = *choice == AdapterChoice::Cpu;
        let max = if software { jobs.min(processors).clamp(1, MAX_DEVICES) } else { 1 };
        (0..(cases / CASES_PER_DEVICE).clamp(1, max)).map(|_| Self::default()).collect()
    }

    /// Opens the adapter if it is not open yet, and returns its description and its class.
    pub(crate) fn open(&self, choice: &AdapterChoice) -> Result<(String, String), RenderError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match &mut *open {
            Some(open) => open,
            closed => {
                closed.insert(OpenDevice { renderer: Renderer::new(Gpu::new(choice)?), models: Vec::new() })
            }
        };
        let gpu = open.renderer.gpu();
        Ok((gpu.describe(), gpu.class()))
    }

    /// Submits an image. While this thread waits for the result, other threads can submit images.
    pub(crate) fn draw(&self, posed: &dyn Posed, frame: &Frame<'_>) -> Result<Pending, RenderError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.as_mut().ok_or_else(|| RenderError::Driver("no adapter is open".into()))?;
        open.draw(posed, frame)
    }
}

impl OpenDevice {
    fn draw(&mut self, posed: &dyn Posed, frame: &Frame<'_>) -> Result<Pending, RenderError> {
        let puppets: Vec<&Puppet> = std::iter::once(posed.puppet()).chain(posed.others()).collect();
        let keys: Vec<ModelKey> = puppets.iter().map(|puppet| key(puppet, frame.mode)).collect();
        for (puppet, key) in puppets.iter().zip(&keys) {
            if self.models.iter().any(|(k, _)| k == key) {
                continue;
            }
            let images = DecodedImages::decode(puppet.character(), puppet.parts(), frame.mode);
            let model = self.renderer.model(puppet.character(), puppet.parts(), &images)?;
            // Makes room without removing a model of this image.
            while self.models.len() >= MAX_MODELS
                && let Some(index) = self.models.iter().position(|(k, _)| !keys.contains(k))
            {
                self.models.remove(index);
            }
            self.models.push((key.clone(), model));
        }
        let found = |key| self.models.iter().find(|(k, _)| k == key).map(|(_, model)| model);
        match keys.iter().map(found).collect::<Option<Vec<_>>>() {
            Some(models) => self.renderer.submit(&models, frame, posed.size()),
            None => Err(RenderError::Driver("the model is missing on the device".into())),
        }
    }
}

fn key(puppet: &Puppet, mode: ShadingMode) -> ModelKey {
    (puppet.character().path.clone(), puppet.parts().to_vec(), mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_is_used_for_few_cases_or_one_job_or_a_hardware_adapter() {
        let several = |choice: &AdapterChoice, cases, jobs| SuiteRenderer::several(choice, cases, jobs).len();
        assert_eq!(several(&AdapterChoice::Cpu, 0, 8), 1);
        assert_eq!(several(&AdapterChoice::Cpu, 31, 8), 1);
        assert_eq!(several(&AdapterChoice::Cpu, 1000, 1), 1);
        assert_eq!(several(&AdapterChoice::Auto, 1000, 8), 1);
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        assert_eq!(several(&AdapterChoice::Cpu, 1000, 64), processors.min(MAX_DEVICES));
    }
}
