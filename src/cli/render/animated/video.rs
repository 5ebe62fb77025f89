//! Encodes video files with the installed ffmpeg.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::cli::failure::Failure;

use super::{Images, Timing};

const FFMPEG: &str = "ffmpeg";

/// Returns whether ffmpeg can be started.
pub(super) fn is_available() -> bool {
    let mut command = Command::new(FFMPEG);
    command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Ends ffmpeg if writing the images has failed.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both calls fail only if ffmpeg has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Encodes the images as H.264. ffmpeg reads them from its standard input and writes the file to its standard output, so that it
/// needs no other files.
pub(super) fn write(
    path: &Path,
    out: &mut (dyn Write + Send),
    timing: Timing,
    images: Images<'_>,
) -> Result<(), Failure> {
    let Some(first) = images.next().transpose()? else { return Ok(()) };
    let size = (first.width, first.height);
    let child = command(size, timing.rate).spawn().map_err(Failure::write(path))?;
    let mut running = Running(child);
    let (input, output, errors) = (running.0.stdin.take(), running.0.stdout.take(), running.0.stderr.take());
    let (Some(mut input), Some(mut output), Some(mut errors)) = (input, output, errors) else {
        return Err(Failure::write(path)(io::ErrorKind::BrokenPipe.into()));
    };
    let mut message = String::new();
    let (sent, copied) = thread::scope(|scope| {
        // ffmpeg stalls if its output is not read.
        let copying = scope.spawn(|| io::copy(&mut output, out));
        let reading = scope.spawn(|| errors.read_to_string(&mut message));
        let sent = std::iter::once(Ok(first)).chain(images).try_for_each(|image| -> Result<(), Failure> {
            input.write_all(&image?.rgb()).map_err(Failure::write(path))
        });
        drop(input);
        let copied = copying.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        drop(reading.join());
        (sent, copied)
    });
    let status = running.0.wait().map_err(Failure::write(path))?;
    let is_image_error = matches!(&sent, Err(failure) if !matches!(failure, Failure::Write { .. }));
    if !status.success() && !is_image_error {
        let cause = message.lines().last().unwrap_or("no reason given").trim();
        return Err(Failure::Usage(format!("{}: ffmpeg failed: {cause}", path.display())));
    }
    sent?;
    copied.map(|_| ()).map_err(Failure::write(path))
}

fn command((width, height): (u32, u32), rate: f32) -> Command {
    let mut command = Command::new(FFMPEG);
    let (size, rate) = (format!("{width}x{height}"), rate.to_string());
    command.args([
        "-loglevel",
        "error",
        "-nostdin",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        &size,
        "-r",
        &rate,
    ]);
    command.args(["-i", "-", "-an", "-c:v", "libx264", "-crf", "18"]);
    // Most players decode only this pixel format, which requires an even width and height.
    command.args(["-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"]);
    // A file that is written to a pipe cannot be changed afterwards, so the file is fragmented instead of having one index.
    command.args(["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-f", "mp4", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
