//! Operates every part of the HTML report in Chromium and checks the results.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{code_and_lines, edit, suite_with_goldens};
use crate::check::faulty;
use crate::{folder, sinew};
use sinew_testkit::image;
use sinew_testkit::skip;

/// A script that operates the page and writes its observations into the document.
const OBSERVE: &str = include_str!("report_page/observe.js");
/// Without a window, Chromium draws no frames while virtual time passes.
const FRAMES: &str = "requestAnimationFrame = draw => setTimeout(draw, 16);";

fn browser() -> Option<PathBuf> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).flat_map(|p| browsers.map(|b| p.join(b))).find(|p| p.is_file())
}

/// Opens a copy of the page with the observing script, and returns the observations that the script writes.
fn observe(browser: &Path, folder: &Path, page: &str) -> Value {
    let observed = folder.join("observed.html");
    let page = page.replacen("<title>", &format!("<script>{FRAMES}</script><title>"), 1);
    fs::write(&observed, format!("{page}<script>{OBSERVE}</script>")).unwrap();
    let output = std::process::Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1400,900"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", observed.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let json = dom.rsplit_once("id=\"observed\">").and_then(|(_, t)| t.split_once("</pre>")).map(|(t, _)| t);
    let json = json.unwrap_or_else(|| panic!("{dom}{}", String::from_utf8_lossy(&output.stderr)));
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap()
}

/// Changes the data of a page.
fn change(page: &str, change: impl Fn(&mut Value)) -> String {
    let (start, rest) = page.split_once("id=\"data\">").unwrap();
    let (data, end) = rest.split_once("</script>").unwrap();
    let mut data = serde_json::from_str(data).unwrap();
    change(&mut data);
    format!("{start}id=\"data\">{}</script>{end}", data.to_string().replace('<', "\\u003c"))
}

/// The row of a clip with one fault, from 0.5 to 0.8 s.
fn motion_check() -> Value {
    let pixel = image::png(1, 1, image::ColorType::Rgb, &[200, 100, 50]);
    let url = format!("data:image/png;base64,{}", STANDARD.encode(pixel));
    let times: Vec<f64> = (0..=20).map(|i| f64::from(i) / 10.0).collect();
    let strip: Vec<Value> = (0..5).map(|i| json!({"time": f64::from(i) * 0.25, "image": url})).collect();
    let values: Vec<f64> = times.iter().map(|t| 0.01 * t).collect();
    let finding = json!({"check": "foot-slide", "severity": "error", "passed": false, "text": "leftFoot slides",
        "subject": "leftFoot", "from": 0.5, "to": 0.8, "value": 0.02, "limit": 0.005, "unit": "m"});
    let curve = json!({"check": "foot-slide", "subject": "leftFoot", "unit": "m", "limit": 0.005, "times": times,
        "values": values});
    let calm =
        json!({"check": "jerk", "subject": "", "unit": "", "limit": null, "times": times, "values": values});
    json!({"name": "walk <i>clip</i>", "status": "failed", "fails": true, "milliseconds": 3.0, "duration": 2.0,
        "repeat": "sinew check walk.glb", "findings": [finding], "curves": [calm, curve], "strip": strip})
}

#[test]
fn the_page_works_without_a_network_and_shows_names_as_text() {
    let (folder, suite) = suite_with_goldens("suite-page");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.5");
    // Use a name that would end the script or begin a comment in it if it were not escaped.
    edit(&suite, "name = \"rest\"", "name = \"rest <!-- </script><script>\"");
    let path = folder.join("page.html");
    assert_eq!(code_and_lines(["test", &suite, "--report", path.to_str().unwrap()]).0, 1);
    let page = fs::read_to_string(&path).unwrap();
    for outside in ["http:", "https:", "//cdn", "src=\"", "@import", "url("] {
        assert!(!page.contains(outside), "the page must not load other files: {outside}");
    }
    let Some(browser) = browser() else { return skip("Chromium is missing") };
    let page = change(&page, |data| data["checks"] = json!([motion_check()]));
    let observed = observe(&browser, &folder, &page);
    assert_eq!(observed["problems"], json!([]), "{observed:#}");
    assert_eq!(observed["resources"], json!([]));
    let odd = "rest <!-- </script><script>";
    let check = "walk <i>clip</i>";
    let walks = ["walk 0 normal", "walk 0 mask", "walk 0.5 normal", "walk 0.5 mask"];
    let passed = [&["reach"][..], &walks].concat();
    assert_eq!(observed["title"], format!("{suite}: 3 of 8 failed"));
    assert_eq!(observed["all"], json!([&[odd, "wave", check][..], &passed].concat()));
    // The data, the page's script, and the two scripts of this test.
    assert_eq!(observed["scripts"], 4);
    assert_eq!(observed["first"], odd);
    assert_eq!(observed["failures"], json!([odd, "wave", check]));
    assert_eq!(observed["passed"], json!(passed));
    assert_eq!(observed["selectedByFilter"], "reach");
    assert_eq!(observed["search"], json!(["walk 0 mask", "walk 0.5 mask"]));
    assert_eq!(observed["noMatch"], true);
    keys_and_modes(&observed, &suite, odd);
    changes_and_poses(&observed);
    motion(&observed);
}

#[test]
fn cases_are_grouped_by_their_causes_beside_those_of_an_earlier_run() {
    let (folder, suite) = suite_with_goldens("suite-page-causes");
    let [page, earlier] = ["page.html", "earlier.json"].map(|name| folder.join(name));
    let [page_text, earlier_text] = [&page, &earlier].map(|path| path.to_str().unwrap());
    // The earlier run has a different background in all images, and this run has a different clip time in one of them.
    edit(&suite, "[defaults]\n", "[defaults]\nbackground = \"#405060\"\n");
    assert_eq!(sinew(["test", &suite, "--json", earlier_text]).status.code(), Some(1));
    edit(&suite, "background = \"#405060\"\n", "");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.5");
    assert_eq!(
        sinew(["test", &suite, "--report", page_text, "--earlier", earlier_text]).status.code(),
        Some(1)
    );
    let refused = sinew(["test", &suite, "--report", page_text, "--earlier", &suite]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not the outcomes of a run"));
    let Some(browser) = browser() else { return skip("Chromium is missing") };
    let observed = observe(&browser, &folder, &fs::read_to_string(&page).unwrap());
    assert_eq!(observed["problems"], json!([]), "{observed:#}");
    let causes: Vec<&str> =
        observed["causes"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(causes.iter().any(|text| text.starts_with("0 → 1 casejoint ")), "{causes:?}");
    assert!(causes.last().unwrap().starts_with("3 → 0 casesbackground #405060 instead of "), "{causes:?}");
    assert_eq!((&observed["ofCause"], &observed["marks"]), (&json!(["wave"]), &json!("1 case marked")));
    assert!(observed["earlier"].as_str().unwrap().starts_with("Earlier run: failed. Background: "));
}

#[test]
fn a_page_of_motion_checks_has_strips_and_curves() {
    let folder = folder("check-page");
    let [model, path] = ["faulty.glb", "page.html"].map(|name| folder.join(name));
    faulty(&model);
    let [file, out] = [&model, &path].map(|path| path.to_str().unwrap());
    let run = sinew(["check", file, "--clip", "walk", "--report", out, "--adapter", "cpu"]);
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
    let Some(browser) = browser() else { return skip("Chromium is missing") };
    let observed = observe(&browser, &folder, &fs::read_to_string(&path).unwrap());
    assert_eq!(observed["problems"], json!([]), "{observed:#}");
    let count = |key: &str| observed[key].as_array().unwrap().len();
    assert!(count("strip") >= 6 && count("faulty") >= 1, "{observed:#}");
    // The curve with the fault comes first.
    assert_eq!(observed["curves"][0], "jerk");
    assert!(observed["curveColours"].as_u64().unwrap() > 5);
    assert_eq!(observed["lights"], true);
}

/// Checks the effects of the keys, and the drawing in each mode.
fn keys_and_modes(observed: &Value, suite: &str, odd: &str) {
    let keys =
        ["home", "next", "previous", "slash", "typed", "escape"].map(|key| observed[key].as_str().unwrap());
    // A key that is typed into the filter does not select another case.
    assert_eq!(keys, [odd, "wave", odd, "search", odd, "list"]);
    assert_eq!(observed["help"], json!([true, true]));
    assert_eq!((&observed["image"], observed["status"].as_str()), (&json!([48, 64]), Some("failed")));
    let modes = observed["modes"].as_object().unwrap();
    let sums: std::collections::BTreeSet<u64> = modes.values().map(|m| m["sum"].as_u64().unwrap()).collect();
    assert_eq!((modes.len(), sums.len()), (5, 5), "each mode draws something else: {modes:?}");
    assert!(modes.values().all(|m| m["colours"].as_u64().unwrap() > 3), "{modes:?}");
    for fact in ["sliderMoves", "paused", "blinks", "fits"] {
        assert_eq!(observed[fact], true, "{fact}");
    }
    assert_eq!(observed["zoom"][0], false);
    let readout = observed["readout"].as_str().unwrap();
    assert!(
        readout.starts_with("x 10 y 20") && readout.contains("golden") && readout.contains("differs by"),
        "{readout}"
    );
    let repeat = format!("sinew test {suite} --case wave");
    assert_eq!(observed["commands"], json!([repeat, format!("sinew test {suite} --accept wave")]));
    assert_eq!(
        (&observed["clipboard"], &observed["copied"]),
        (&json!(repeat), &json!(format!("Copied: {repeat}")))
    );
    let both = format!("sinew test {suite} --accept '{odd}' --accept wave");
    assert_eq!((&observed["acceptBoth"], &observed["marked"]), (&json!(both), &json!("2 cases marked")));
}

/// Checks the changes of an image, their pixels, and the 3-D view.
fn changes_and_poses(observed: &Value) {
    assert!(
        observed["verdict"].as_str().unwrap().contains("joint rightLowerArm turned"),
        "{}",
        observed["verdict"]
    );
    let pixels: Vec<u64> =
        observed["pixels"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert!(!pixels.is_empty() && observed["changes"] == pixels.len());
    for (index, pixels) in pixels.iter().enumerate().filter(|(_, pixels)| **pixels > 0) {
        assert_eq!(
            observed["mapCounts"][index.to_string()],
            *pixels,
            "the map has all pixels of change {index}"
        );
    }
    let legend = observed["legend"].as_array().unwrap();
    assert!(legend.iter().any(|kind| kind.as_str().unwrap().starts_with("moved, ")), "{legend:?}");
    assert_eq!(observed["highlights"], json!([true, true]));
    for fact in ["clicked", "byKind", "viewShown", "orbits", "resets"] {
        assert_eq!(observed[fact], true, "{fact}");
    }
    let triangles = observed["triangles"].as_array().unwrap();
    assert!(
        triangles[0].as_u64().unwrap() > 1000 && triangles[1] == true && triangles[2] == true,
        "{triangles:?}"
    );
    assert!(observed["viewColours"].as_u64().unwrap() > 50);
    assert_eq!(observed["poses"], 3, "both poses, the golden and the actual look different");
}

/// Checks the strip and the curves of a motion check.
fn motion(observed: &Value) {
    assert_eq!(observed["strip"], json!(["0.00 s", "0.25 s", "0.50 s", "0.75 s", "1.00 s"]));
    assert_eq!(observed["faulty"], json!(["0.50 s", "0.75 s"]));
    // The curve with the fault comes first.
    assert_eq!(observed["curves"], json!(["foot-slide", "jerk"]));
    assert!(observed["curveColours"].as_u64().unwrap() > 5);
    assert_eq!(observed["lights"], true);
    assert!(observed["hovered"].as_str().unwrap().ends_with("mm"), "{}", observed["hovered"]);
}
