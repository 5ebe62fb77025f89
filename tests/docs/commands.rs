//! Runs the commands of the pages.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use crate::claims::Claim;
use crate::holds::Run;
use crate::page::{Page, pages};
use crate::shell::{self, Words};
use crate::{assert_none, fixtures, founding, sinew};

/// Options whose values this test reduces, so that it takes seconds instead of minutes.
const LIGHTER: [(&str, &str); 5] = [
    ("--count", "12"),
    ("--measure", "2"),
    ("--turntable", "3"),
    ("--resolution", "96,64"),
    ("--cases", "2"),
];
/// Subcommands that draw images. This test adds a resolution to their commands. Maps of ambient occlusion cost the same at any resolution,
/// so `render` draws without them.
const DRAWING: [&str; 2] = ["render", "crowd"];
/// Number of commands whose time is printed.
const SLOWEST: usize = 30;
/// The largest number of frames in a sequence.
const FRAMES: u32 = 2;

/// A command and its location.
struct Job {
    place: String,
    command: Words,
    /// The claims that must hold afterwards.
    claims: Vec<Claim>,
}

/// `--nocapture` prints the slowest commands.
#[test]
fn every_command_succeeds() {
    let pages: Vec<Page> = pages().into_iter().filter(|page| !page.is_exercise()).collect();
    let folder = fixtures::create("all", &pages);
    let mut jobs: Vec<(String, Vec<Job>)> =
        pages.iter().map(|page| (page.name.clone(), jobs(page))).collect();
    let count: usize = jobs.iter().map(|(_, jobs)| jobs.len()).sum();
    assert!(count > 80, "only {count} commands were found");
    // Start with the longest pages, so that no thread ends with one of them.
    jobs.sort_by_key(|(_, jobs)| std::cmp::Reverse(jobs.len()));
    let queue = Mutex::new(VecDeque::from(jobs));
    let (problems, times) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((page, jobs)) = queue.lock().unwrap().pop_front() else { return };
                    // The commands of a page run one after the other, because one may read what another writes.
                    let folder = fixtures::linked(&page.replace('/', "-"), &folder);
                    for job in jobs {
                        let start = Instant::now();
                        problems.lock().unwrap().extend(run(&folder, &job).err());
                        times.lock().unwrap().push((start.elapsed(), job));
                    }
                }
            });
        }
    });
    let mut times = times.into_inner().unwrap();
    times.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    for (time, job) in times.iter().take(SLOWEST) {
        println!("{:.1} s: {}: {}", time.as_secs_f64(), job.place, job.command.words.join(" "));
    }
    assert_none("these commands fail", &problems.into_inner().unwrap());
}

/// Returns the commands of a page that call the program.
fn jobs(page: &Page) -> Vec<Job> {
    let mut jobs = Vec::new();
    for block in page.blocks().iter().filter(|block| block.language == "sh") {
        let commands = shell::commands(&block.text).unwrap_or_else(|e| panic!("{}: {e}", page.name));
        for command in commands.into_iter().filter(|c| c.words.first().is_some_and(|w| w == "sinew")) {
            let place = format!("{}:{}", page.name, block.line + command.line);
            jobs.push(Job { place, command, claims: Vec::new() });
        }
    }
    if page.name == founding::PAGE {
        for (place, command, claims) in founding::commands(page) {
            jobs.push(Job { place, command, claims });
        }
    }
    jobs
}

/// Runs a command, and checks its exit code, the existence of its output, and the claims that must hold.
fn run(folder: &Path, job: &Job) -> Result<(), String> {
    let Words { words, code, .. } = &job.command;
    let claims = &job.claims;
    let problem = |cause: String| Err(format!("{}: {}\n    {}", job.place, words.join(" "), cause.trim()));
    if opens_a_window(&words[1..]) {
        if let Err(cause) = sinew::cli::check(words.iter().map(String::as_str)) {
            return problem(cause);
        }
        // Elsewhere, a window would open.
        if !cfg!(target_os = "linux") {
            return Ok(());
        }
    }
    let words = lighter(&words[1..]);
    let output = sinew(folder).args(&words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if words[0] == "view" {
        if output.status.code() != Some(2) || !errors.contains("draw without a window") {
            return problem(errors);
        }
        return opened(folder, &words).or_else(problem);
    }
    if output.status.code() != Some(*code) {
        return problem(errors);
    }
    let written = words.iter().position(|w| ["-o", "--output"].contains(&w.as_str()));
    match written.and_then(|option| words.get(option + 1)) {
        Some(file) if !folder.join(first_frame(file)).exists() => problem(format!("{file} does not exist")),
        _ => {
            let run = Run { folder, words: &words, output: &output };
            let wrong: Vec<String> = claims.iter().filter_map(|claim| run.check(claim).err()).collect();
            if wrong.is_empty() { Ok(()) } else { problem(wrong.join("\n    ")) }
        }
    }
}

/// Returns whether a command opens a window if there is a display.
fn opens_a_window(words: &[String]) -> bool {
    words.first().is_none_or(|word| word == "view" || word.contains('.'))
}

/// Reads the files that `sinew view` would open.
fn opened(folder: &Path, words: &[String]) -> Result<(), String> {
    let model = words.get(1).filter(|word| !word.starts_with('-'));
    let clips = words.iter().position(|w| w == "--clips").and_then(|option| words.get(option + 1));
    for file in [model, clips].into_iter().flatten() {
        let reader = if file.ends_with(".sinew") { "pose" } else { "inspect" };
        let output = sinew(folder).args([reader, file]).output().unwrap();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(())
}

/// Reduces the work that the arguments request.
fn lighter(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    let subcommand = words.first().cloned().unwrap_or_default();
    let is_given = |words: &[String], option: &str| words.iter().any(|word| word == option);
    if DRAWING.contains(&subcommand.as_str()) && !is_given(&words, "--resolution") {
        words.extend(["--resolution".to_owned(), String::new()]);
    }
    if subcommand == "render" && !is_given(&words, "--ambient-occlusion") {
        words.extend(["--ambient-occlusion".to_owned(), "off".to_owned()]);
    }
    if subcommand == "bench" && !is_given(&words, "--cases") && !is_given(&words, "drag") {
        words.extend(["--cases".to_owned(), String::new()]);
    }
    for index in 1..words.len() {
        let (option, value) = (words[index - 1].clone(), words[index].clone());
        if let Some((_, light)) = LIGHTER.iter().find(|(name, _)| *name == option) {
            words[index] = (*light).to_owned();
        }
        if let Some((first, end)) = value.split_once("..").filter(|_| option == "--frames") {
            let (first, end): (u32, u32) = (first.parse().unwrap(), end.parse().unwrap());
            words[index] = format!("{first}..{}", end.min(first + FRAMES));
        }
    }
    words
}

/// Returns the name of the first image of a sequence.
pub(crate) fn first_frame(file: &str) -> String {
    match file.split_once("{frame:0").and_then(|(start, rest)| Some((start, rest.split_once('}')?))) {
        Some((start, (digits, end))) => format!("{start}{}{end}", "0".repeat(digits.parse().unwrap())),
        None => file.to_owned(),
    }
}

#[test]
fn work_is_reduced_where_it_is_heavy() {
    let lighter = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        lighter(&words).join(" ")
    };
    let frames = lighter("render a.glb --frames 4..96 -o a.png");
    assert_eq!(frames, "render a.glb --frames 4..6 -o a.png --resolution 96,64 --ambient-occlusion off");
    assert_eq!(lighter("crowd --count 900 --resolution 9,9"), "crowd --count 12 --resolution 96,64");
    assert_eq!(lighter("crowd --measure 30"), "crowd --measure 2 --resolution 96,64");
    assert_eq!(lighter("pose a.glb"), "pose a.glb");
    assert_eq!(lighter("bench --table paper"), "bench --table paper --cases 2");
    assert_eq!(first_frame("a-{frame:03}.png"), "a-000.png");
}
