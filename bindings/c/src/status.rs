//! Status codes, the text of the last error, and the boundary that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call. `sinew_last_error` describes every result other than `SINEW_STATUS_OK`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinewStatus {
    /// The call succeeded.
    Ok = 0,
    /// A pointer is NULL or not aligned.
    Null = 1,
    /// An array does not have the required length.
    Length = 2,
    /// An index, a name or a number is invalid.
    Invalid = 3,
    /// A file could not be read, understood or written.
    File = 4,
    /// The problem could not be solved.
    Solve = 5,
    /// A bug in sinew. The handles of the call must not be used again, except to free them.
    Panic = 6,
}

/// The reason why a call failed.
pub(crate) struct Failure {
    status: SinewStatus,
    message: String,
}

impl Failure {
    /// Creates a failure with a one-line message.
    pub(crate) fn new(status: SinewStatus, message: impl Display) -> Self {
        Self { status, message: message.to_string() }
    }

    /// Creates the failure for an invalid argument.
    pub(crate) fn invalid(message: impl Display) -> Self {
        Self::new(SinewStatus::Invalid, message)
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the version of sinew. The text is always valid.
#[unsafe(no_mangle)]
pub extern "C" fn sinew_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Returns the message of the last failed call on this thread, as one line without a line break. The text is valid until the next call on
/// this thread fails. It is empty if no call has failed yet.
#[unsafe(no_mangle)]
pub extern "C" fn sinew_last_error() -> *const c_char {
    let text = LAST_ERROR.try_with(|text| text.try_borrow().map_or(c"".as_ptr(), |text| text.as_ptr()));
    text.unwrap_or(c"".as_ptr())
}

/// Runs the body of a function, and stores the message if it fails.
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> SinewStatus {
    value_or((), call).1
}

/// Runs the body of a function that returns a value, and returns `otherwise` if it fails.
pub(crate) fn value_or<T>(otherwise: T, call: impl FnOnce() -> Result<T, Failure>) -> (T, SinewStatus) {
    // The handles of a call that panicked must not be used again, so no caller sees a broken state.
    let failure = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return (value, SinewStatus::Ok),
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let message = format!("internal error: {}", panic_message(&*payload));
            // The destructor of a payload may panic, too.
            std::mem::forget(payload);
            Failure::new(SinewStatus::Panic, message)
        }
    };
    let text: String = failure.message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // The text no longer contains NUL.
    let text = CString::new(text).unwrap_or_default();
    // A thread that is ending has no last error.
    let _ = LAST_ERROR.try_with(|last| last.try_borrow_mut().map(|mut last| *last = text));
    (otherwise, failure.status)
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_error() -> String {
        // SAFETY: the text ends with NUL and is valid until the next failure of this thread.
        unsafe { CStr::from_ptr(sinew_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard(|| panic!("broken")), SinewStatus::Panic);
        assert_eq!(last_error(), "internal error: broken");
    }

    #[test]
    fn messages_have_one_line_and_are_those_of_their_thread() {
        assert_eq!(guard(|| Err(Failure::invalid("a\nb\0c"))), SinewStatus::Invalid);
        assert_eq!(last_error(), "a b c");
        let other = std::thread::spawn(last_error).join().unwrap();
        assert_eq!(other, "");
        assert_eq!(guard(|| Ok(())), SinewStatus::Ok);
        assert_eq!(last_error(), "a b c");
    }
}
