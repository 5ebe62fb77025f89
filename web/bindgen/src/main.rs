//! Writes the JavaScript module of a WebAssembly file that was compiled with wasm-bindgen, with types for TypeScript.
//!
//! usage: sinew-web-bindgen MODULE.wasm FOLDER [--strip]     `--strip` leaves out the names of functions and tools

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, is_stripped) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [module, folder] => (module, folder, false),
        [module, folder, "--strip"] => (module, folder, true),
        _ => {
            eprintln!("usage: sinew-web-bindgen MODULE.wasm FOLDER [--strip]");
            return ExitCode::from(2);
        }
    };
    let mut bindgen = Bindgen::new();
    // The module can be loaded without naming its WebAssembly file.
    bindgen.input_path(module).typescript(true).omit_default_module_path(false);
    bindgen.remove_name_section(is_stripped).remove_producers_section(is_stripped);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
