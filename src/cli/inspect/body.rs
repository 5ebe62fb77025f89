//! The recognised body of a character.

use serde::Serialize;

use crate::rig::{BodyPlan, Unrecognized};

/// The recognised body.
#[derive(Serialize)]
pub(super) struct BodyReport {
    /// The kind of body, or `None` if it was not recognised.
    kind: Option<&'static str>,
    /// Certainty of the recognition, from 0 to 1.
    certainty: f32,
    /// Unit direction in which the body faces, in world space.
    facing: Option<[f32; 3]>,
    /// The observations that led to the result, or the reason why the body was not recognised.
    reasons: Vec<String>,
}

impl BodyReport {
    pub(super) fn new(body: Result<BodyPlan, Unrecognized>) -> Self {
        match body {
            Ok(plan) => Self {
                kind: Some(plan.kind.name()),
                certainty: plan.certainty,
                facing: Some(plan.facing.to_array()),
                reasons: plan.reasons,
            },
            Err(reason) => {
                Self { kind: None, certainty: 0.0, facing: None, reasons: vec![reason.to_string()] }
            }
        }
    }

    pub(super) fn line(&self) -> String {
        let certainty = match self.certainty {
            c if c >= 0.85 => "certain",
            c if c >= 0.7 => "likely",
            _ => "uncertain",
        };
        let reasons = self.reasons.join(", ");
        self.kind.map_or_else(
            || format!("not recognised: {reasons}"),
            |kind| format!("{kind}, {certainty} ({:.0} %): {reasons}", 100.0 * self.certainty),
        )
    }
}
