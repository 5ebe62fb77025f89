//! Where a suite's pictures are drawn.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::asset::{Character, Part};
use crate::render::{AdapterChoice, Frame, Gpu, Mode, Model, Pending, Pictures, RenderError, Renderer};

use super::run::Posed;

/// Models that stay on a device.
const MODELS: usize = 24;
/// Devices of a software adapter that are open at once. It runs the vertices of a picture on one thread and lets that
/// thread wait for the pixels; another device goes on meanwhile. Real adapters have one.
const MOST_STUDIOS: usize = 4;
/// Cases for which one more device is worth its opening.
const CASES_A_STUDIO: usize = 16;

/// A device with what it knows, opened when something is to be drawn there. One thread draws at a time.
#[derive(Default)]
pub(super) struct Studio(Mutex<Option<Open>>);

struct Open {
    renderer: Renderer,
    models: Vec<(Key, Model)>,
}

/// What a model on the device is made of.
type Key = (PathBuf, Vec<Part>, Mode);

impl Studio {
    /// As many as are worth it for some cases that some threads work on.
    pub(super) fn several(choice: &AdapterChoice, cases: usize, jobs: usize) -> Vec<Self> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let software = *choice == AdapterChoice::Cpu;
        let most = if software { jobs.min(processors).clamp(1, MOST_STUDIOS) } else { 1 };
        (0..(cases / CASES_A_STUDIO).clamp(1, most)).map(|_| Self::default()).collect()
    }

    /// Opens the adapter, unless it is open, and returns its description.
    pub(super) fn open(&self, choice: &AdapterChoice) -> Result<String, RenderError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match &mut *open {
            Some(open) => open,
            none => none.insert(Open { renderer: Renderer::new(Gpu::new(choice)?), models: Vec::new() }),
        };
        Ok(open.renderer.gpu().describe())
    }

    /// Begins a picture; others may begin theirs while somebody waits for it.
    pub(super) fn draw(&self, posed: &dyn Posed, frame: &Frame<'_>) -> Result<Pending, RenderError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.as_mut().ok_or_else(|| RenderError::Driver("no adapter is open".into()))?;
        open.draw(posed, frame)
    }
}

impl Open {
    fn draw(&mut self, posed: &dyn Posed, frame: &Frame<'_>) -> Result<Pending, RenderError> {
        let puppet = posed.puppet();
        let character: &Character = puppet.character();
        let key = (character.path.clone(), puppet.parts().to_vec(), frame.mode);
        let known = self.models.iter().position(|(k, _)| *k == key);
        let place = match known {
            Some(place) => place,
            None => {
                let pictures = Pictures::decode(character, puppet.parts(), frame.mode);
                let model = self.renderer.model(character, puppet.parts(), &pictures)?;
                if self.models.len() == MODELS {
                    self.models.remove(0);
                }
                self.models.push((key, model));
                self.models.len() - 1
            }
        };
        match self.models.get(place) {
            Some((_, model)) => self.renderer.submit(model, frame, posed.size()),
            None => Err(RenderError::Driver("a model was lost".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_cases_real_adapters_and_single_jobs_have_one_studio() {
        let several = |choice: &AdapterChoice, cases, jobs| Studio::several(choice, cases, jobs).len();
        assert_eq!(several(&AdapterChoice::Cpu, 0, 8), 1);
        assert_eq!(several(&AdapterChoice::Cpu, 31, 8), 1);
        assert_eq!(several(&AdapterChoice::Cpu, 1000, 1), 1);
        assert_eq!(several(&AdapterChoice::Auto, 1000, 8), 1);
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        assert_eq!(several(&AdapterChoice::Cpu, 1000, 64), processors.min(MOST_STUDIOS));
    }
}
