//! `sinew test`: how images are judged, and what the results say and where.

use std::fs;
use std::path::Path;

use super::{blessed, code_and_lines, edit};
use crate::support::picture::{self, Look};
use crate::support::skip;
use crate::{command, folder, refusal, sinew, stdout};

/// Changes the pixels of a golden, as another driver would; the name of its machine is lost.
fn repaint(golden: &Path, change: impl Fn(u32, u32, &mut [u8; 3])) {
    let (width, height) = picture::open(golden).size();
    let mut rgb = picture::open(golden).rgb();
    for ((x, y), pixel) in
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).zip(rgb.as_chunks_mut().0)
    {
        change(x, y, pixel);
    }
    fs::write(golden, picture::png(width, height, picture::ColorType::Rgb, &rgb)).unwrap();
}

/// The exact rule for the golden's own adapter failed 180 of 187 cases on another CPU: a software driver compiles for the
/// CPU, draws up to two levels off, and has the same name everywhere.
#[test]
fn a_golden_of_another_cpu_passes() {
    let (folder, suite) = blessed("suite-other-cpu");
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
    // A suite may ask for the same colours to the last bit.
    edit(&suite, "[defaults]", "[defaults]\nlevels = 0\nmean = 0\nworst = 0");
    let (code, lines) = code_and_lines(["test", &suite, "--filter", "rest"]);
    assert!(code == 1 && lines[1].contains("judged by FLIP: "), "{lines:?}");
}

#[test]
fn a_few_pixels_at_edges_pass_and_a_patch_of_them_fails() {
    let (folder, suite) = blessed("suite-flip");
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
fn results_name_the_machine_and_the_rule_that_judged_each_image() {
    let (folder, suite) = blessed("suite-machine");
    repaint(&folder.join("goldens/rest.png"), |_, _, pixel| pixel[0] ^= 1);
    let [page, xml, table] =
        ["page.html", "out.xml", "out.csv"].map(|n| folder.join(n).to_str().unwrap().to_owned());
    let console = stdout(["test", &suite, "--report", &page, "--junit", &xml, "--csv", &table]);
    assert!(console.contains("images: 6 identical, 1 equal by levels, 0 judged by FLIP"), "{console}");
    let machine = console.lines().find_map(|l| l.strip_prefix("drawn by ")).unwrap();
    let (adapter, processor) = machine.rsplit_once(", on ").unwrap();
    // Name, backend, driver with its version.
    assert!(adapter.split(", ").count() >= 3 && !processor.is_empty(), "{machine}");
    let [page, xml, table] = [page, xml, table].map(|path| fs::read_to_string(path).unwrap());
    assert!(page.contains(machine), "{machine}");
    assert!(xml.contains(&format!("name=\"adapter\" value=\"{adapter}\"")), "{xml}");
    assert!(xml.contains(&format!("name=\"processor\" value=\"{processor}\"")), "{xml}");
    assert_eq!(xml.matches("name=\"image-rule\" value=\"identical\"").count(), 6, "{xml}");
    assert_eq!(xml.matches("name=\"image-rule\" value=\"levels\"").count(), 1, "{xml}");
    let row = table.lines().find(|l| l.starts_with("rest,passed,levels,")).unwrap();
    // 48 x 64 pixels are off by one level.
    assert!(row.contains(",3072,0,0,0,1,0,0,0,"), "{row}");
    assert!(table.lines().all(|l| l.split(',').count() == 14), "{table}");
    // Goldens name the machine that drew them.
    let golden = fs::read(folder.join("goldens/wave.png")).unwrap();
    let text = String::from_utf8_lossy(&golden).into_owned();
    assert!(
        text.contains(machine) && text.contains(concat!("sinew ", env!("CARGO_PKG_VERSION"))),
        "{machine}"
    );
}

/// `--csv SUITE.toml` once replaced the suite with its results.
#[test]
fn outputs_do_not_replace_what_is_read() {
    let (folder, suite) = blessed("suite-outputs");
    let golden = folder.join("goldens/rest.png");
    for output in [suite.as_str(), golden.to_str().unwrap()] {
        for option in ["--csv", "--report", "--junit"] {
            let said = refusal(["test", &suite, option, output]);
            assert_eq!(said, format!("{output}: this file is read; name another one for the output"));
        }
    }
    // Goldens that do not exist yet are written by the same run; models, rigs and sessions are read by cases.
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
        let said =
            refusal(["test", cases.to_str().unwrap(), "--update", "--report", output.to_str().unwrap()]);
        assert!(said.contains(": this file is read; name another one"), "{said}");
    }
    // What cannot be written is refused before the run.
    let nowhere = folder.join("nowhere/out.csv");
    let said = refusal(["test", &suite, "--csv", nowhere.to_str().unwrap()]);
    assert!(said.starts_with(&format!("{}: No such file", nowhere.display())), "{said}");
    let [page, same] = ["page", "./page"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let said = refusal(["test", &suite, "--report", &page, "--junit", &same]);
    assert!(said.ends_with("page: two results cannot be one file"), "{said}");
    assert!(!Path::new(&page).exists());
}

/// A report that could not be written, or a reader of stdout that had gone, once cost the JUnit file.
#[cfg(unix)]
#[test]
fn one_result_that_cannot_be_written_does_not_cost_the_others() {
    let (folder, suite) = blessed("suite-full");
    let xml = folder.join("out.xml");
    let full = "/dev/full";
    if !Path::new(full).exists() {
        return skip("/dev/full is missing");
    }
    let mut run =
        command(["test", &suite, "--report", full, "--csv", full, "--junit", xml.to_str().unwrap()]);
    let output = run.stdout(fs::OpenOptions::new().write(true).open(full).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    let of = |what: &str| {
        errors.iter().filter(|e| e.starts_with(&format!("error: {what}: No space left"))).count()
    };
    assert_eq!((errors.len(), of("stdout"), of(full)), (3, 1, 2), "{said}");
    assert!(fs::read_to_string(xml).unwrap().contains("tests=\"7\""));
}

#[test]
fn machines_read_junit() {
    let (folder, suite) = blessed("suite-junit");
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
    let again = ["render", small[0], small[1], "-o", &b, "--reference", &a, moved[0], moved[1]];
    let output = sinew(again);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("pixels differ, FLIP"));
    let drawn = picture::open(&folder.join("b.diff.png"));
    assert_eq!(drawn.size(), (96, 96));
    assert!(drawn.pixels().any(|p| p[0] > 60) && drawn.at(0, 0)[..3] == [0, 0, 0]);
    let [r, s0, s1, o, b1, f, a1, m0, m1] = again;
    stdout([r, s0, s1, o, b1, f, a1, m0, m1, "--threshold", "0.5"]);
    assert_eq!(sinew([r, "--resolution", "40,40", o, b1, f, a1]).status.code(), Some(1));
    // Replaced, it would agree the next time.
    assert!(
        refusal([r, o, &a, f, a1, m0, m1])
            .contains("a.png: this file is read; name another one for the output")
    );
    let difference = folder.join("b.diff.png");
    let said = refusal([r, o, b1, f, difference.to_str().unwrap(), m0, m1]);
    assert!(said.contains("b.diff.png: this file is read"), "{said}");
    assert!(refusal([r, o, b1, f, "/nowhere.png"]).contains("/nowhere.png: there is no such picture"));
}

/// What a person would do to the page; writes what it saw into the document.
const CLICKS: &str = r##"<script>
addEventListener("load", () => setTimeout(() => {
  const all = q => [...document.querySelectorAll(q)];
  const seen = () => all("details").filter(d => !d.hidden).map(d => d.querySelector("b").textContent);
  const told = { all: seen(), first: document.querySelector("details").className, open: all("details").filter(d => d.open).length };
  document.querySelector("[data-kind=failures]").click();
  told.failures = seen();
  document.querySelector("[data-kind=passed]").click();
  const one = all("details").find(d => !d.hidden);
  one.querySelector("summary").click();
  told.opened = one.open;
  document.querySelector("[data-kind=all]").click();
  const search = document.getElementById("search");
  search.value = "walk MASK";
  search.dispatchEvent(new Event("input"));
  told.search = seen();
  const range = document.querySelector("input[type=range]");
  range.value = 80;
  range.dispatchEvent(new Event("input"));
  told.cut = document.querySelector(".slide").style.getPropertyValue("--cut");
  // Hidden pictures have no width.
  search.value = "";
  document.querySelector("[data-kind=all]").click();
  told.pictures = all("details.fails img").map(i => [i.naturalWidth, i.offsetWidth]);
  told.joints = all("details.fails table tr").length;
  document.body.append(Object.assign(document.createElement("pre"), { id: "told", textContent: JSON.stringify(told) }));
}, 100));
</script>"##;

#[test]
fn people_read_the_page() {
    let (folder, suite) = blessed("suite-page");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.5");
    // Text that would end the script, or begin a comment in it.
    edit(&suite, "name = \"rest\"", "name = \"rest <!-- </script><script>\"");
    let page = folder.join("page.html");
    assert_eq!(code_and_lines(["test", &suite, "--report", page.to_str().unwrap()]).0, 1);
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("http"), "the page needs nothing else");
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let browser =
        std::env::split_paths(&paths).flat_map(|p| browsers.map(|b| p.join(b))).find(|p| p.is_file());
    let Some(browser) = browser else { return skip("Chromium is missing") };
    let clicked = folder.join("clicked.html");
    fs::write(&clicked, text + CLICKS).unwrap();
    let output = std::process::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=4000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", clicked.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let told = dom.rsplit_once("id=\"told\">").and_then(|(_, t)| t.split_once("</pre>")).map(|(t, _)| t);
    let told = told.unwrap_or_else(|| panic!("{dom}{}", String::from_utf8_lossy(&output.stderr)));
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    let names =
        |key: &str| told[key].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(names("all").len(), 7);
    let odd = "rest &lt;!-- &lt;/script&gt;&lt;script&gt;";
    assert_eq!((names("all")[0], told["first"].as_str(), &told["open"]), (odd, Some("fails"), &2.into()));
    assert_eq!(names("failures"), [odd, "wave"]);
    assert_eq!(told["opened"], true);
    assert_eq!(names("search"), ["walk 0 mask", "walk 0.5 mask"]);
    assert_eq!(told["cut"], "80%");
    // A new one; then expected, actual, difference, and the two of the slider: all eight times as large as they are.
    assert_eq!(told["pictures"], serde_json::json!(vec![[48, 384]; 6]));
    assert!(told["joints"].as_u64().unwrap() > 10);
}
