//! The viewer's default solver options, and the limits of all options.

use crate::ik::{Method, Options, Start};

/// Returns the viewer's default options for a method. Each solve continues from the displayed pose, so that the pose
/// does not jump. The errors of all iterations are recorded for the convergence curve.
pub(crate) fn default_options(method: Method) -> Options {
    Options::default().with_method(method).with_start(Start::Continue).with_restarts(0).with_record(true)
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
