//! Errors of the solver.

use sinew_base::api::Missing;

use super::LinkIndex;

/// The reason why a problem cannot be solved. The body is left unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The body has no links.
    #[error("the body has no links")]
    Empty,
    /// The base has a parent, or another link has no parent or has a parent that does not precede it.
    #[error(
        "link {link} has parent {:?}, but only link 0 has no parent and a parent must precede its children",
        parent.map(|parent| parent.0)
    )]
    Parent {
        /// Index of the link.
        link: LinkIndex,
        /// Its parent.
        parent: Option<LinkIndex>,
    },
    /// A field of a link is not finite or outside its valid range.
    #[error("link {link}: the {what} must be {}", requirement(what))]
    Link {
        /// Index of the link.
        link: LinkIndex,
        /// Name of the invalid field.
        what: &'static str,
    },
    /// A mimic joint cannot follow its leader.
    #[error("link {link} cannot mimic link {leader}: {why}")]
    Mimic {
        /// Index of the mimic joint's link.
        link: LinkIndex,
        /// Index of the leader's link.
        leader: LinkIndex,
        /// The requirement that is not met.
        why: &'static str,
    },
    /// A joint value cannot be set.
    #[error("the value of link {link} cannot be set: {why}")]
    JointValue {
        /// Index of the link.
        link: LinkIndex,
        /// The reason.
        why: &'static str,
    },
    /// The transform above the base is singular or not finite, so targets cannot be transformed to base space.
    #[error("the transform above the base is not finite or cannot be inverted")]
    Singular,
    /// A part of a figure is invalid.
    #[error("link {link} of the figure {what}")]
    Figure {
        /// Index of the link.
        link: LinkIndex,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A link of a figure does not exist, or one whose joint value should be set. Boxed, because it is larger than the other variants.
    #[error(transparent)]
    Missing(#[from] Box<Missing>),
    /// A goal's link does not exist.
    #[error("goal {goal} is for link {link}, but the body has only {count} links")]
    NoSuchLink {
        /// Index of the goal.
        goal: usize,
        /// Index of the missing link.
        link: LinkIndex,
        /// Number of links in the body.
        count: usize,
    },
    /// A field of a goal is not finite or outside its valid range.
    #[error("goal {goal}: the {what} must be {}, but is {value}", requirement(what))]
    Goal {
        /// Index of the goal.
        goal: usize,
        /// Name of the invalid field.
        what: &'static str,
        /// The invalid value.
        value: String,
    },
    /// A tolerance is zero, negative or not finite.
    #[error("the tolerance must be finite and greater than 0, but is {tolerance}")]
    Tolerance {
        /// The tolerance, in world metres or radians.
        tolerance: f64,
    },
    /// The characteristic length is zero, negative or not finite.
    #[error("the characteristic length must be finite and greater than 0, but is {value}")]
    CharacteristicLength {
        /// The length as a fraction of the chain's length.
        value: f64,
    },
    /// A collision model belongs to another body.
    #[error("the collision model is for a body of {expected} links, but the body has {found}")]
    CollisionModel {
        /// Number of links of the body for which the model was created.
        expected: usize,
        /// Number of links of the body.
        found: usize,
    },
    /// The method cannot solve this kind of problem.
    #[error("{method} cannot solve this: {why}")]
    Unsuited {
        /// The method.
        method: super::Method,
        /// The requirement that is not met.
        why: &'static str,
    },
}

/// Returns the requirement for a field of a link or a goal, worded to follow "must be".
fn requirement(field: &str) -> &'static str {
    match field {
        "weight" | "position weights" | "orientation weights" => "finite and at least 0",
        "position tolerance" | "orientation tolerance" => "greater than 0",
        "frame of the axes" => "the world's for a goal without an orientation",
        "orientation" | "aim axis" => "finite and not zero",
        "limit axis" => "a unit vector",
        "limit side" => "a unit vector perpendicular to the limit axis",
        "limit swing" => "between 0 and π",
        "scale above the base" => "1, so that the base can stay in place",
        "scale below the root" => "uniform, so that the base can stay in place",
        "limit range" | "limit twist" => "finite, with a minimum that does not exceed the maximum",
        _ => "finite",
    }
}
