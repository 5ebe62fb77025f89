//! The viewer's default solver options, and the limits of all options.

use crate::ik::{Method, OptionOverrides, Options, Start};

/// Returns the viewer's default options for a method. Each solve continues from the displayed pose, so that the pose
/// does not jump. The errors of all iterations are recorded for the convergence curve.
pub(crate) fn default_options(method: Method) -> Options {
    Options::default().with_method(method).with_start(Start::Continue).with_restarts(0).with_record(true)
}

/// Returns the default options for a method with a rig: the defaults of the viewer, overridden by the options of the rig.
#[cfg(feature = "window")]
pub(crate) fn options_of_rig(rig: &crate::rig::Rig, method: Method) -> Options {
    let mut options = default_options(method);
    rig.options.apply(&mut options);
    options.with_method(method)
}

/// Replaces invalid numbers with their defaults. In the viewer, [`Start::Current`] always means [`Start::Continue`]. Old recordings contain
/// `current`, or omit the option.
pub(super) fn sanitize(mut options: Options) -> Options {
    options.record = true;
    if options.start == Start::Current {
        options.start = Start::Continue;
    }
    options.iterations = options.iterations.min(10_000);
    options.restarts = options.restarts.min(100);
    options.replace_invalid(&default_options(options.method));
    // Step mode requests traces itself.
    (options.record, options.trace) = (true, false);
    options
}

/// Returns options in which the rig options of the previous session are replaced with those of the new session. Options that the user has
/// changed are kept, unless the new rig has another value for them. `is_other` is set if the new session shows another character.
pub(super) fn adopted(
    current: &Options,
    old: &OptionOverrides,
    new: &OptionOverrides,
    is_other: bool,
) -> Options {
    let mut options = *current;
    let defaults = default_options(Method::Auto);
    for (option, value) in old.iter().filter(|(option, value)| option.get(current) == *value) {
        if new.get(option) != Some(value) {
            let _ = option.set(&mut options, option.get(&defaults));
        }
    }
    for (option, value) in new.iter() {
        if is_other || old.get(option) != Some(value) {
            let _ = option.set(&mut options, value);
        }
    }
    options
}
