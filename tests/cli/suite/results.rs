//! `sinew test`: comparison of images, and the result files.

use std::fs;
use std::path::Path;

use super::{code_and_lines, edit, suite_with_goldens};
use crate::{folder, refusal, sinew, stdout};
use sinew_testkit::image::{self, PixelAccess};
#[cfg(unix)]
use {crate::command, sinew_testkit::skip};

/// Changes the pixels of a golden, as a different driver would. The rewritten golden no longer names the machine that drew it.
fn repaint(golden: &Path, change: impl Fn(u32, u32, &mut [u8; 3])) {
    let (width, height) = image::open(golden).size();
    let mut rgb = image::open(golden).rgb();
    for ((x, y), pixel) in
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).zip(rgb.as_chunks_mut().0)
    {
        change(x, y, pixel);
    }
    fs::write(golden, image::png(width, height, image::ColorType::Rgb, &rgb)).unwrap();
}

/// Regression test: exact comparison on the golden's adapter failed 180 of 187 cases on another CPU. A software driver
/// compiles for the CPU, so its colour levels differ by up to two between CPUs, although its name is the same
/// everywhere.
#[test]
fn a_golden_from_another_cpu_passes() {
    let (folder, suite) = suite_with_goldens("suite-other-cpu");
    repaint(&folder.join("goldens/rest.png"), |x, y, pixel| {
        pixel[(x % 3) as usize] =
            pixel[(x % 3) as usize].saturating_add_signed([-2, -1, 0, 1, 2][(y % 5) as usize]);
    });
    let (code, lines) = code_and_lines(["test", &suite, "--filter", "rest", "-v"]);
    assert_eq!(code, 0, "{lines:?}");
    assert!(
        lines[1].contains("equal by levels: ") && lines[1].contains("by at most 2 (limit 2)"),
        "{lines:?}"
    );
    // A suite may require identical colours.
    edit(&suite, "[defaults]", "[defaults]\nlevels = 0\nmean = 0\nworst = 0");
    let (code, lines) = code_and_lines(["test", &suite, "--filter", "rest"]);
    assert!(code == 1 && lines[1].contains("judged by FLIP: "), "{lines:?}");
}

#[test]
fn a_few_different_pixels_pass_and_a_patch_fails() {
    let (folder, suite) = suite_with_goldens("suite-flip");
    let golden = folder.join("goldens/rest.png");
    repaint(&golden, |x, y, pixel| {
        if (x, y) == (20, 30) {
            *pixel = pixel.map(|level| level ^ 16);
        }
    });
    let (code, lines) = code_and_lines(["test", &suite, "--filter", "rest", "-v"]);
    assert_eq!(code, 0, "{lines:?}");
    assert!(lines[1].contains("judged by FLIP: 1 px differ by more than 2 levels (at most 16)"), "{lines:?}");
    repaint(&golden, |x, y, pixel| {
        if (16..24).contains(&x) && (24..32).contains(&y) {
            *pixel = pixel.map(|level| level ^ 64);
        }
    });
    let (code, lines) = code_and_lines(["test", &suite, "--filter", "rest"]);
    assert!(code == 1 && lines[1].contains("judged by FLIP: 64 px"), "{lines:?}");
}

#[test]
fn results_name_the_machine_and_the_rule_for_each_image() {
    let (folder, suite) = suite_with_goldens("suite-machine");
    repaint(&folder.join("goldens/rest.png"), |_, _, pixel| pixel[0] ^= 1);
    let [page, xml, table] =
        ["page.html", "out.xml", "out.csv"].map(|n| folder.join(n).to_str().unwrap().to_owned());
    let console = stdout(["test", &suite, "--report", &page, "--junit", &xml, "--csv", &table]);
    assert!(console.contains("images: 6 identical, 1 equal by levels, 0 judged by FLIP"), "{console}");
    let machine = console.lines().find_map(|l| l.strip_prefix("drawn by ")).unwrap();
    let (adapter, processor) = machine.rsplit_once(", on ").unwrap();
    // The name, the backend, and the driver with its version.
    assert!(adapter.split(", ").count() >= 3 && !processor.is_empty(), "{machine}");
    let [page, xml, table] = [page, xml, table].map(|path| fs::read_to_string(path).unwrap());
    assert!(page.contains(machine), "{machine}");
    assert!(xml.contains(&format!("name=\"adapter\" value=\"{adapter}\"")), "{xml}");
    assert!(xml.contains(&format!("name=\"processor\" value=\"{processor}\"")), "{xml}");
    assert_eq!(xml.matches("name=\"image-rule\" value=\"identical\"").count(), 6, "{xml}");
    assert_eq!(xml.matches("name=\"image-rule\" value=\"levels\"").count(), 1, "{xml}");
    let row = table.lines().find(|l| l.starts_with("rest,passed,levels,")).unwrap();
    // All 48 x 64 pixels differ by one level.
    assert!(row.contains(",3072,0,0,0,1,0,0,0,"), "{row}");
    assert!(table.lines().all(|l| l.split(',').count() == 14), "{table}");
    // Each golden names the machine that drew it.
    let golden = fs::read(folder.join("goldens/wave.png")).unwrap();
    let text = String::from_utf8_lossy(&golden).into_owned();
    assert!(
        text.contains(machine) && text.contains(concat!("sinew ", env!("CARGO_PKG_VERSION"))),
        "{machine}"
    );
}

/// Regression test: `--csv SUITE.toml` replaced the suite with its results.
#[test]
fn outputs_do_not_overwrite_inputs() {
    let (folder, suite) = suite_with_goldens("suite-outputs");
    let golden = folder.join("goldens/rest.png");
    for output in [suite.as_str(), golden.to_str().unwrap()] {
        for option in ["--csv", "--report", "--junit"] {
            let error = refusal(["test", &suite, option, output]);
            assert_eq!(error, format!("{output}: output would overwrite an input; choose another file"));
        }
    }
    // The run also writes missing goldens and reads the models, rigs and sessions of its cases.
    let unwritten = folder.join("goldens/rest.json");
    fs::remove_file(&unwritten).unwrap();
    let model = folder.join("m.glb");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/arm.glb"), &model).unwrap();
    let rig = folder.join("r.rig.toml");
    fs::write(&rig, "version = 1\n").unwrap();
    let cases = folder.join("cases.toml");
    fs::write(
        &cases,
        "version = 1\n[[case]]\nname = \"rest\"\nmodel = \"m.glb\"\nrig = \"r.rig.toml\"\ncompare = [\"joints\"]\n",
    )
    .unwrap();
    for output in [&unwritten, &model, &rig] {
        let error =
            refusal(["test", cases.to_str().unwrap(), "--update", "--report", output.to_str().unwrap()]);
        assert!(error.contains(": output would overwrite an input"), "{error}");
    }
    // A file that cannot be written is reported before the run.
    let nowhere = folder.join("nowhere/out.csv");
    let error = refusal(["test", &suite, "--csv", nowhere.to_str().unwrap()]);
    assert!(error.starts_with(&format!("{}: No such file", nowhere.display())), "{error}");
    let [page, same] = ["page", "./page"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let error = refusal(["test", &suite, "--report", &page, "--junit", &same]);
    assert!(error.ends_with("page: two outputs have the same path; choose another file"), "{error}");
    assert!(!Path::new(&page).exists());
}

/// Regression test: the JUnit file was not written if the HTML report or stdout failed.
#[cfg(unix)]
#[test]
fn a_failed_result_file_does_not_stop_the_others() {
    let (folder, suite) = suite_with_goldens("suite-full");
    let xml = folder.join("out.xml");
    let full = "/dev/full";
    if !Path::new(full).exists() {
        return skip("/dev/full is missing");
    }
    let mut run =
        command(["test", &suite, "--report", full, "--csv", full, "--junit", xml.to_str().unwrap()]);
    let output = run.stdout(fs::OpenOptions::new().write(true).open(full).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    let count = |file: &str| {
        errors.iter().filter(|e| e.starts_with(&format!("error: {file}: No space left"))).count()
    };
    assert_eq!((errors.len(), count("stdout"), count(full)), (3, 1, 2), "{text}");
    assert!(fs::read_to_string(xml).unwrap().contains("tests=\"7\""));
}

#[test]
fn the_junit_report_counts_failures() {
    let (folder, suite) = suite_with_goldens("suite-junit");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.42");
    let out = folder.join("out.xml");
    assert_eq!(code_and_lines(["test", &suite, "--junit", out.to_str().unwrap()]).0, 1);
    let text = fs::read_to_string(out).unwrap();
    assert!(text.contains("tests=\"7\"") && text.contains("failures=\"1\""), "{text}");
    assert!(text.contains("<testcase name=\"wave\"") && text.contains("<failure"), "{text}");
}

#[test]
fn a_render_is_compared_with_a_reference() {
    let folder = folder("reference");
    let [a, b] = ["a.png", "b.png"].map(|n| folder.join(n).to_str().unwrap().to_owned());
    let small = ["--resolution", "96,96"];
    stdout(["render", small[0], small[1], "-o", &a]);
    stdout(["render", small[0], small[1], "-o", &b, "--reference", &a]);
    let moved = ["--reach", "leftHand=0.4,1.2,0.3"];
    let changed = ["render", small[0], small[1], "-o", &b, "--reference", &a, moved[0], moved[1]];
    let output = sinew(changed);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("pixels differ, mean FLIP error"));
    let difference = image::open(&folder.join("b.diff.png"));
    assert_eq!(difference.size(), (96, 96));
    assert!(difference.pixels().any(|p| p[0] > 60) && difference.at(0, 0)[..3] == [0, 0, 0]);
    let [r, s0, s1, o, b1, f, a1, m0, m1] = changed;
    stdout([r, s0, s1, o, b1, f, a1, m0, m1, "--threshold", "0.5"]);
    assert_eq!(sinew([r, "--resolution", "40,40", o, b1, f, a1]).status.code(), Some(1));
    // If the reference were overwritten, the next comparison would pass.
    assert!(
        refusal([r, o, &a, f, a1, m0, m1])
            .contains("a.png: output would overwrite an input; choose another file")
    );
    let difference = folder.join("b.diff.png");
    let error = refusal([r, o, b1, f, difference.to_str().unwrap(), m0, m1]);
    assert!(error.contains("b.diff.png: output would overwrite an input"), "{error}");
    assert!(refusal([r, o, b1, f, "/nowhere.png"]).contains("/nowhere.png: reference image does not exist"));
}
