//! Command lines, which are parsed but not executed. Each line of an input is one argument.

use sinew::cli;

use crate::format::Format;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "arguments", inputs_per_round: 300, make, check };

const LINES: [&[&str]; 8] = [
    &["render", "a.glb", "-o", "{frame:04}.png", "--animation", "walk", "--frames", "0..24", "--fps", "24"],
    &[
        "render",
        "--resolution",
        "64,48",
        "--camera-position",
        "1,2,3",
        "--camera-view-angle",
        "40",
        "-o",
        "-",
    ],
    &[
        "render",
        "--background",
        "#ff8800",
        "--mode",
        "normal",
        "--samples",
        "4",
        "--adapter",
        "vulkan:x",
        "-o",
        "a.png",
    ],
    &[
        "pose",
        "--reach",
        "hand=0.3,1.2,0.4",
        "--orient",
        "hand=0,0,0,1",
        "--weight",
        "hand=2",
        "--method",
        "ccd",
    ],
    &[
        "pose",
        "--rotate",
        "#3=0,0,0.1,1",
        "--pole",
        "hand=1,2,3",
        "--base",
        "hips",
        "--iterations",
        "5",
        "--tolerance",
        "1e-4",
    ],
    &[
        "bake",
        "a.glb",
        "--seconds",
        "0..2",
        "--fps",
        "30",
        "--key-error",
        "1e-3",
        "--units",
        "0.01",
        "-o",
        "a.bvh",
    ],
    &[
        "bench",
        "--methods",
        "ccd,fabrik",
        "--joints",
        "3,6",
        "--cases",
        "10",
        "--seed",
        "1",
        "--limits",
        "on",
    ],
    &["test", "suite.toml", "--jobs", "2", "--update", "all", "--report", "a.html"],
];

fn make(random: &mut Random) -> Vec<u8> {
    let mut line: Vec<String> = LINES[random.below(LINES.len())].iter().map(|&a| a.to_owned()).collect();
    for _ in 0..random.few(3) {
        let values: Vec<usize> = (1..line.len()).filter(|&a| !line[a].starts_with("--")).collect();
        let at = match values.get(random.below(values.len())) {
            Some(&value) if !random.once_in(4) => value,
            _ => random.below(line.len()),
        };
        let Some(argument) = line.get(at).cloned() else { break };
        match random.below(8) {
            0 => drop(line.remove(at)),
            1 => line.insert(at, argument),
            2 => line.insert(at, random.number()),
            3 => {
                let mut bytes = argument.into_bytes();
                random.mutate_bytes(&mut bytes);
                line[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {
                let parts: Vec<&str> = argument.split_inclusive([',', '=', '.', ':']).collect();
                let changed = random.below(parts.len());
                let number = random.number();
                let part =
                    |(i, part): (usize, &&str)| match part.chars().last().filter(|c| ",=.:".contains(*c)) {
                        _ if i != changed => (*part).to_owned(),
                        Some(end) => format!("{number}{end}"),
                        None => number.clone(),
                    };
                line[at] = parts.iter().enumerate().map(part).collect();
            }
        }
    }
    line.join("\n").into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    match cli::check(["sinew"].into_iter().chain(text.lines())) {
        Ok(()) => Ok(true),
        Err(message) if message.trim().is_empty() => {
            Err("error without a message: the text is empty".to_owned())
        }
        Err(_) => Ok(false),
    }
}
