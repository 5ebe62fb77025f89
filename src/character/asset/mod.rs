//! Loads a file as a [`Character`], which contains everything about a skinned character except its pose and never
//! changes after loading.
//!
//! It uses the conventions of glTF: column vectors, right-handed, +Y up, metres, radians, seconds, all `f32`.

pub mod bvh;
mod camera;
mod character;
mod clip;
mod clip_name;
mod decode;
mod error;
mod expression;
mod family;
#[cfg(feature = "fbx")]
mod fbx;
mod finite;
pub mod gltf;
mod hierarchy;
mod image;
mod joint;
mod ktx2;
mod light;
mod load;
mod mannequin;
mod material;
mod mesh;
mod png;
mod pose_value;
mod references;
mod skeleton;
mod stoppable;
pub mod support;
mod up_axis;
#[cfg(feature = "urdf")]
mod urdf;
mod variant;
mod vrm;
mod webp;

pub use camera::{Camera, CameraKind};
pub use character::{Character, Humanoid, Part, Scene};
pub use clip::{Channel, Clip, CorrectedKeys, Interpolation, PropertyTrack, Values};
pub use decode::{DecodedImage, ImageError};
pub use decode::{MAX_IMAGE_SIDE, MAX_IMAGES_BYTES};
pub use error::LoadError;
pub use expression::{Expression, MorphBind, Override, Overrides, apply_overrides, expression_preset};
pub(crate) use family::{Family, Side, is_collar, is_foot, is_hand};
pub use finite::NotFinite;
pub use hierarchy::SkeletonError;
pub use image::Image;
pub use joint::{JointKind, MechanicalJoint};
pub use light::{Light, LightKind};
pub(crate) use load::can_be_copied;
pub use load::{load, load_in_units, load_with, load_with_references};
pub use mannequin::{MANNEQUIN, MANNEQUIN_PATH, MANNEQUIN_RIG, mannequin};
pub use material::{
    AlphaMode, Anisotropy, Clearcoat, Filter, Iridescence, Material, MaterialProperty, Outline, OutlineWidth,
    Sampler, Sheen, Texture, TextureRef, Toon, Transmission, UvMotion, Volume, Wrap,
};
pub use mesh::{Influences, Mesh, MorphTarget, Primitive};
pub use png::Alpha;
pub use pose_value::{MaterialBind, PoseTarget, PoseValue};
pub use references::{Packages, References};
pub use skeleton::{Node, Skeleton, Skin, Transform};
pub use up_axis::UpAxis;
#[cfg(feature = "urdf")]
pub(crate) use urdf::srdf::disabled_collisions;
#[cfg(feature = "urdf")]
pub use urdf::urdf_joints;
pub use variant::{VariantPart, Variants};
pub use vrm::{
    Collider, ColliderShape, Constraint, ConstraintAxis, ConstraintKind, ExpressionTrack, FaceTracks, LookAt,
    LookAtKind, RangeMap, Spring, SpringBones, SpringJoint,
};
