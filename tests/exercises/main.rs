//! The solutions of the exercises in `docs/exercises`. Each file computes the numbers of its page, and compares them with the printed
//! numbers and with the results of the program. The Rust blocks of a page are parts of its file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a solution prints what the page asks for")]
#![allow(clippy::cast_precision_loss, reason = "chains are short")]
#![allow(
    clippy::field_reassign_with_default,
    reason = "options may gain fields, so other crates assign single ones"
)]

mod capture_fit;
mod ccd_by_hand;
mod fused_midpoint;
mod null_space_weights;
mod own_solver;
mod page;
mod particle_masses;
mod swivel_laws;
mod table_one;
mod time_warp;
mod why_ccd_curls;

#[test]
fn every_command_of_the_pages_succeeds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/exercises");
    let pages = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    std::thread::scope(|scope| {
        for path in pages {
            let name = format!("all_{}", path.file_stem().unwrap().to_string_lossy());
            let text: &'static str = Box::leak(std::fs::read_to_string(&path).unwrap().into_boxed_str());
            scope.spawn(move || page::Page::new(&name, text).run_all());
        }
    });
}
