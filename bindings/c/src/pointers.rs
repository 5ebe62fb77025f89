//! Checked access to the data that a caller's pointers point to.
//!
//! Each function rejects pointers that are NULL or not aligned, and lengths that do not match. The data itself cannot be checked. The
//! caller must guarantee that it is valid: see the safety section of each function.

use std::ffi::{CStr, c_char};

use crate::status::{Failure, SinewStatus};

fn check<T>(name: &str, pointer: *const T) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(SinewStatus::Null, format_args!("{name} is NULL")));
    }
    if !pointer.is_aligned() {
        return Err(Failure::new(SinewStatus::Null, format_args!("{name} is not aligned")));
    }
    Ok(())
}

/// Returns a reference to the value that a pointer points to.
///
/// # Safety
/// A pointer that is not NULL must point to an initialised value that does not change during `'a`.
pub(crate) unsafe fn shared<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, Failure> {
    check(name, pointer)?;
    // SAFETY: the pointer is aligned and not NULL. The caller promises the rest.
    Ok(unsafe { &*pointer })
}

/// Returns an exclusive reference to the value that a pointer points to.
///
/// # Safety
/// A pointer that is not NULL must point to an initialised value that nothing else accesses during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Failure> {
    check(name, pointer)?;
    // SAFETY: the pointer is aligned and not NULL. The caller promises the rest.
    Ok(unsafe { &mut *pointer })
}

/// Returns the elements of an array. The pointer may be NULL if the array is empty.
///
/// # Safety
/// A pointer that is not NULL must point to `count` initialised values that do not change during `'a`.
pub(crate) unsafe fn slice<'a, T>(name: &str, pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(name, pointer)?;
    let bytes = count.checked_mul(size_of::<T>()).and_then(|bytes| isize::try_from(bytes).ok());
    if bytes.is_none() {
        return Err(Failure::new(SinewStatus::Length, format_args!("{name} cannot have {count} elements")));
    }
    // SAFETY: the pointer is aligned and not NULL, and the size does not exceed `isize::MAX`. The caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns a text in UTF-8.
///
/// # Safety
/// A pointer that is not NULL must point to a NUL-terminated string that does not change during `'a`.
pub(crate) unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<&'a str, Failure> {
    check(name, pointer)?;
    // SAFETY: the pointer is not NULL. The caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::invalid(format_args!("{name} is not valid UTF-8")))
}

/// Writes values to the caller's array, which must have exactly as many elements. The pointer may be NULL if nothing is written.
///
/// # Safety
/// A pointer that is not NULL must point to memory for `count` values. Nothing else may access this memory during the call.
pub(crate) unsafe fn write<T: Copy>(
    name: &str,
    pointer: *mut T,
    count: usize,
    values: &[T],
) -> Result<(), Failure> {
    check_length(name, count, values.len())?;
    if values.is_empty() {
        return Ok(());
    }
    check(name, pointer)?;
    // SAFETY: the pointer is aligned and not NULL, and it points to `values.len()` elements. The caller promises that the
    // memory is valid and that nothing else accesses it, so it does not overlap `values`.
    unsafe { pointer.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(())
}

/// Checks that an array has the required number of elements.
pub(crate) fn check_length(name: &str, count: usize, wanted: usize) -> Result<(), Failure> {
    if count == wanted {
        return Ok(());
    }
    let message = format_args!("{name} must have {wanted} elements, but has {count}");
    Err(Failure::new(SinewStatus::Length, message))
}

/// Checks the caller's array before the results for it are computed and [`write()`] is called.
pub(crate) fn check_output<T>(
    name: &str,
    pointer: *const T,
    count: usize,
    wanted: usize,
) -> Result<(), Failure> {
    check_length(name, count, wanted)?;
    if count == 0 { Ok(()) } else { check(name, pointer) }
}

/// Passes a new handle to the caller, who must free it.
///
/// # Safety
/// A pointer that is not NULL must point to memory for one pointer. Nothing else may access this memory during the call.
pub(crate) unsafe fn give<T>(
    out: *mut *mut T,
    create: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    check("out", out)?;
    // SAFETY: the pointer is aligned and not NULL. The caller promises the rest. A failure leaves NULL, so that freeing the
    // handle is safe in any case.
    unsafe { out.write(std::ptr::null_mut()) };
    let value = Box::new(create()?);
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(value)) };
    Ok(())
}

/// Frees a handle. NULL is ignored.
///
/// # Safety
/// A pointer that is not NULL must come from [`give`], and must not be used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    let free = || {
        if !handle.is_null() {
            // SAFETY: the caller guarantees that the handle comes from `Box::into_raw` and is freed once.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    };
    crate::status::guard(free);
}
