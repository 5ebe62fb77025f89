//! Output files are complete or absent after any failure. Input files may be of any kind and size.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{command, folder};
use sinew_testkit::skip;
use sinew_testkit::{file_names, image};

/// Runs the program with a timeout of 20 s.
fn run_with_timeout(arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("20").arg(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Regression test: a FIFO blocked the program, and `/dev/zero` filled the memory.
#[test]
fn endless_files_are_not_read() {
    let folder = folder("endless");
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let take = folder.join("take.csv");
    for endless in [Path::new("/dev/zero"), &fifo] {
        let _ = fs::remove_file(&take);
        symlink(endless, &take).unwrap();
        let (endless, take) = (endless.to_str().unwrap(), take.to_str().unwrap());
        for arguments in [
            &["pose", endless][..],
            &["pose", "--rig", endless],
            &["pose", "--motion", endless],
            &["pose", "--method", "style", "--style", endless],
            &["pose", "--clips", take],
            &["trajectory", "--path", take],
            &["test", endless],
            &["render", "--resolution", "32,32", "-o", "/dev/null", "--reference", endless],
            &["render", "-o", "/dev/null", "--replay", endless],
        ] {
            let output = run_with_timeout(arguments);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
            assert!(
                text.ends_with("not a regular file\n") && text.lines().count() == 1,
                "{arguments:?}: {text}"
            );
        }
    }
}

#[test]
fn input_opened_by_the_shell_is_read_up_to_a_size() {
    for (bytes, expected) in [(1 << 10, ""), (17 << 20, "larger than 16 MiB")] {
        let mut command = command(["pose", "--rig", "/dev/stdin", "-o", "/dev/null"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut rig = b"version = 1\n".to_vec();
        rig.resize(bytes, b'\n');
        // Ignore a write error, because the program may stop reading before the end of its input.
        let _ = child.stdin.take().unwrap().write_all(&rig);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.success(), expected.is_empty(), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// Regression test: `-o /dev/stdout >> log` replaced the log.
#[test]
fn a_file_opened_by_the_shell_is_appended_to() {
    let log = folder("stdout").join("log");
    for name in ["/dev/stdout", "-"] {
        fs::write(&log, "old\n").unwrap();
        let file = OpenOptions::new().append(true).open(&log).unwrap();
        assert!(command(["pose", "-q", "-o", name]).stdout(file).status().unwrap().success());
        assert!(fs::read_to_string(&log).unwrap().starts_with("old\n{\"format\""), "{name}");
    }
}

/// Regression test: a power failure after a save left files of 0 bytes.
#[test]
fn a_file_is_synced_before_it_is_renamed() {
    let folder = folder("power");
    let [log, out] = ["log", "out.json"].map(|name| folder.join(name));
    for _ in 0..2 {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o"]).arg(&log);
        strace.args([env!("CARGO_BIN_EXE_sinew"), "pose", "-q", "-o"]).arg(&out);
        // `strace` fails where the system does not allow a process to trace another.
        if !strace.output().is_ok_and(|output| output.status.success()) {
            return skip("strace is missing or may not trace");
        }
        let text = fs::read_to_string(&log).unwrap();
        let steps: Vec<&str> = text.lines().filter(|line| line.contains(folder.to_str().unwrap())).collect();
        let [sync, rename, sync_folder] = steps[..] else { panic!("{steps:?}") };
        assert!(sync.contains("sync(") && sync.contains("/.out.json.sinew-tmp>"), "{sync}");
        assert!(rename.contains("rename") && rename.contains("/out.json\""), "{rename}");
        assert!(
            sync_folder.contains("sync(") && sync_folder.contains(&format!("{}>", folder.display())),
            "{sync_folder}"
        );
    }
}

#[test]
fn a_read_only_file_is_not_replaced() {
    // The checkout can be in root's home folder, which other users cannot read.
    let parent = std::env::temp_dir().join(format!("sinew-read-only-{}", std::process::id()));
    let folder = parent.join("out");
    fs::create_dir_all(&folder).unwrap();
    let out = folder.join("out.json");
    fs::write(&out, "protected").unwrap();
    for (path, mode) in [(&out, 0o444), (&folder, 0o777), (&parent, 0o755)] {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_sinew"));
    let is_root = OpenOptions::new().write(true).open(&out).is_ok();
    if is_root {
        let copy = parent.join("sinew");
        assert!(Command::new("cp").arg(&program).arg(&copy).status().unwrap().success());
        program = copy;
    }
    let mut command = Command::new(program);
    command.args(["pose", "-q", "-o"]).arg(&out).current_dir(&folder);
    if is_root {
        // Root may write to the file, so the program runs as the user `nobody`.
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("out.json: Permission denied"), "{}", stderr(&output));
    assert_eq!(
        (fs::read_to_string(&out).unwrap().as_str(), file_names(&folder)),
        ("protected", vec!["out.json".into()])
    );
    fs::remove_dir_all(parent).unwrap();
}

/// Starts a shell that draws a long sequence. The text `shell` precedes the name of the program.
fn start_drawing(folder: &Path, shell: &str) -> Child {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_sinew");
    command.arg("-c").arg(format!("{shell} {program} \"$@\"")).arg("sh").args([
        "render",
        "--resolution",
        "32,32",
    ]);
    command.args(["--adapter", "cpu", "--animation", "walk", "--frames", "0..5000", "-o", "{frame:06}.png"]);
    let child = command.current_dir(folder).stderr(Stdio::null()).spawn().unwrap();
    wait_for_more(folder, 3);
    child
}

fn wait_for_more(folder: &Path, more: usize) {
    // A frame that is still being written has a hidden name.
    let finished = || file_names(folder).iter().filter(|name| !name.starts_with('.')).count();
    let (before, started) = (finished(), Instant::now());
    while finished() < before + more {
        assert!(started.elapsed() < Duration::from_secs(60), "timeout while waiting for frames");
        sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn an_interrupted_sequence_keeps_its_finished_frames() {
    // A shell that starts tests in the background makes them ignore SIGINT.
    let shell = if cfg!(target_os = "linux") { "exec env --default-signal=INT,TERM" } else { "exec" };
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let folder = folder(&format!("interrupted-{signal}"));
        let mut child = start_drawing(&folder, shell);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        let frames = file_names(&folder);
        assert!(frames.len() >= 3 && frames.iter().all(|name| !name.starts_with('.')), "{frames:?}");
        for frame in frames {
            assert_eq!(image::open(&folder.join(frame)).width, 32);
        }
    }
}

/// `nohup` starts a program with SIGHUP ignored.
#[test]
fn a_signal_ignored_by_the_parent_is_ignored() {
    let folder = folder("nohup");
    let mut child = start_drawing(&folder, "trap '' HUP; exec");
    send("HUP", &child);
    wait_for_more(&folder, 3);
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
    // The next save of a file removes the temporary file that was left behind when an earlier save was killed.
    let frame = folder.join("000000.png");
    File::create(folder.join(".000000.png.sinew-tmp")).unwrap();
    let save = ["render", "-q", "--resolution", "32,32", "--adapter", "cpu", "-o", frame.to_str().unwrap()];
    assert!(command(save).output().unwrap().status.success());
    assert!(!file_names(&folder).contains(&".000000.png.sinew-tmp".to_owned()));
}
