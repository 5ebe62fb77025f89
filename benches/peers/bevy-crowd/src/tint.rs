//! Bevy's standard material with a colour per figure. As in sinew, the colour belongs to the instance, so all figures share one material.

use bevy::asset::embedded_asset;
use bevy::mesh::MeshTag;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;

/// The material of the figures.
pub type TintedMaterial = ExtendedMaterial<StandardMaterial, Tint>;

/// Multiplies the base colour by the colour in the instance's [`MeshTag`].
#[derive(Asset, AsBindGroup, TypePath, Clone)]
pub struct Tint {}

impl MaterialExtension for Tint {
    fn fragment_shader() -> ShaderRef {
        "embedded://bevy_crowd/tint.wgsl".into()
    }
}

pub struct TintPlugin;

impl Plugin for TintPlugin {
    fn build(&self, app: &mut App) {
        embedded_asset!(app, "tint.wgsl");
        app.add_plugins(MaterialPlugin::<TintedMaterial>::default());
    }
}

/// Returns the tag of a linear colour below 2, with ten bits per component.
pub fn tag(tint: Vec3) -> MeshTag {
    let [r, g, b] = (tint * 512.0).round().as_uvec3().min(UVec3::splat(1023)).to_array();
    MeshTag(r | g << 10 | b << 20)
}
