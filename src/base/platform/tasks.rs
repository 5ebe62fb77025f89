//! Background work, and waiting for results.

use std::sync::mpsc::Receiver;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::Receiver;

    /// Whether work runs in the background. If this is false, nothing may wait for the work.
    pub const HAS_THREADS: bool = true;

    /// A handle to work that was started.
    pub type Task = std::thread::JoinHandle<()>;

    /// Starts work on a named thread.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<Task> {
        std::thread::Builder::new().name(name.to_owned()).spawn(work)
    }

    /// Waits for a result. Returns `None` if waiting is impossible and there is no result yet.
    pub fn block_on<F: Future>(future: F) -> Option<F::Output> {
        Some(pollster::block_on(future))
    }

    /// Waits for a message. Returns `None` if the sender is gone, or if waiting is impossible and no message has arrived.
    pub fn receive<T>(receiver: &Receiver<T>) -> Option<T> {
        receiver.recv().ok()
    }
}

#[cfg(target_arch = "wasm32")]
mod web {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::Receiver;

    /// Whether work runs in the background. If this is false, nothing may wait for the work.
    pub const HAS_THREADS: bool = false;

    /// A handle to work that was started.
    #[derive(Debug)]
    pub struct Task;

    impl Task {
        /// Always returns true, because a page continues only after the work has finished.
        pub fn is_finished(&self) -> bool {
            true
        }

        /// Returns at once, because the work is done.
        pub fn join(self) -> Result<(), ()> {
            Ok(())
        }
    }

    /// Delay in milliseconds before work starts, so that the page can first be redrawn.
    const DELAY: i32 = 20;

    /// Starts work after the next frame, on the only thread of the page.
    pub fn spawn(_: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<Task> {
        wasm_bindgen_futures::spawn_local(async move {
            let mut wait = |resolve: js_sys::Function, _: js_sys::Function| {
                let window = web_sys::window();
                // Without a timer, the work starts at once.
                let set =
                    window.map(|w| w.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, DELAY));
                if !matches!(set, Some(Ok(_))) {
                    drop(resolve.call0(&wasm_bindgen::JsValue::NULL));
                }
            };
            let pause = js_sys::Promise::new(&mut wait);
            drop(wasm_bindgen_futures::JsFuture::from(pause).await);
            work();
        });
        Ok(Task)
    }

    /// Waits for a result. Returns `None` if there is no result yet, because a page must not wait.
    pub fn block_on<F: Future>(future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    /// Returns a message, or `None` if none has arrived.
    pub fn receive<T>(receiver: &Receiver<T>) -> Option<T> {
        receiver.try_recv().ok()
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::{HAS_THREADS, Task, block_on, receive, spawn};
#[cfg(target_arch = "wasm32")]
pub use web::{HAS_THREADS, Task, block_on, receive, spawn};
