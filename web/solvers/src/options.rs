//! Options of a solve by their names.

use sinew_ik::{Method, SolverOption};
use wasm_bindgen::prelude::*;

use crate::{Body, error};

#[wasm_bindgen]
impl Body {
    /// Chooses a method, for example `fabrik` or `auto`.
    ///
    /// # Errors
    /// If there is no such method.
    #[wasm_bindgen(js_name = setMethod)]
    pub fn set_method(&mut self, name: &str) -> Result<(), JsError> {
        self.options.method = name.parse::<Method>().map_err(error)?;
        self.solver.reset();
        Ok(())
    }

    /// Sets an option by `KEY=VALUE`, for example `textbook=true`, `ccd.step=20deg` or `limb.swivel=angle:0.5`. These are the keys of
    /// `sinew pose --option`. A number without a unit is in radians, or in the unit of the body's lengths.
    ///
    /// # Errors
    /// If the key is unknown, or if the option does not accept the value.
    #[wasm_bindgen(js_name = setOption)]
    pub fn set_option(&mut self, assignment: &str) -> Result<(), JsError> {
        let (option, value) = SolverOption::parse_assignment(assignment).map_err(error)?;
        option.set(&mut self.options, value).map_err(error)?;
        self.solver.reset();
        Ok(())
    }

    /// Returns the value of an option as text.
    ///
    /// # Errors
    /// If the key is unknown.
    pub fn option(&self, key: &str) -> Result<String, JsError> {
        let option = SolverOption::find(key).map_err(error)?;
        Ok(option.print(&option.get(&self.options)))
    }
}
