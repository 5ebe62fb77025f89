//! Spawns the figures, the ground, the lights and the camera, and moves the figures.

use bevy::asset::LoadState;
use bevy::camera::{Exposure, RenderTarget};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::cascade::Cascade;
use bevy::light::{
    CascadeShadowConfig, CascadeShadowConfigBuilder, Cascades, DirectionalLightShadowMap,
    SimulationLightSystems,
};
use bevy::prelude::*;
use bevy::render::render_resource::{TextureFormat, TextureUsages};
use bevy::world_serialization::WorldInstanceReady;

use crate::layout::{CLIPS, Crowd, Figure};
use crate::tint::{self, Tint, TintedMaterial};

const FILE: &str = "mannequin.glb";
/// Size of the images in pixels.
const SIZE: (u32, u32) = (1280, 720);
/// Vertical field of view in radians.
const FOV_Y: f32 = std::f32::consts::FRAC_PI_4;
/// Width of the shadow map in texels, which is that of sinew for images of this size.
const SHADOW_MAP: usize = 2048;
/// Directions towards the key light and the fill light of sinew's classic light.
const KEY: Vec3 = Vec3::new(0.38, 0.82, 0.43);
const FILL: Vec3 = Vec3::new(-0.75, 0.25, 0.6);

/// The image that the camera draws.
#[derive(Resource)]
pub struct Target(pub Handle<Image>);

/// Number of figures that play their clips.
#[derive(Resource, Default)]
pub struct Ready(pub u32);

/// What the figures share.
#[derive(Resource)]
struct Shared {
    /// The graph of the clips, and its nodes in the order of [`CLIPS`].
    graph: Handle<AnimationGraph>,
    nodes: Vec<AnimationNodeIndex>,
    material: Handle<TintedMaterial>,
}

/// The shadow map's projection.
#[derive(Resource)]
struct ShadowProjection(Cascade);

pub struct ScenePlugin;

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Ready>()
            .insert_resource(ClearColor(Color::srgb_u8(0xE4, 0xE5, 0xE8)))
            .insert_resource(DirectionalLightShadowMap { size: SHADOW_MAP })
            // About as bright as sinew's ambient light, which depends on the direction. Of this light, matt surfaces reflect less than half.
            .insert_resource(GlobalAmbientLight { brightness: 0.75, ..default() })
            .add_observer(prepare_figure)
            .add_systems(Startup, (set_up_figures, set_up_ground, set_up_lights, set_up_camera))
            .add_systems(Update, (walk, check_loading))
            .add_systems(
                PostUpdate,
                fit_shadow_map
                    .after(SimulationLightSystems::UpdateDirectionalLightCascades)
                    .before(SimulationLightSystems::UpdateLightFrusta),
            );
    }
}

fn set_up_figures(
    mut commands: Commands,
    crowd: Res<Crowd>,
    assets: Res<AssetServer>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
    mut materials: ResMut<Assets<TintedMaterial>>,
) {
    let clip = |index| assets.load(GltfAssetLabel::Animation(index).from_asset(FILE));
    let (graph, nodes) = AnimationGraph::from_clips(CLIPS.iter().map(|c| clip(c.index)));
    // The material of the file. It is created here, so that Bevy loads its shader before the figures.
    let base = StandardMaterial { perceptual_roughness: 0.55, ..default() };
    let material = materials.add(TintedMaterial { base, extension: Tint {} });
    commands.insert_resource(Shared { graph: graphs.add(graph), nodes, material });
    let character = assets.load(GltfAssetLabel::Scene(0).from_asset(FILE));
    for figure in &crowd.figures {
        commands.spawn((WorldAssetRoot(character.clone()), transform(figure), figure.clone()));
    }
}

fn set_up_ground(
    mut commands: Commands,
    crowd: Res<Crowd>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let plane = Plane3d::new(Vec3::Y, Vec2::splat(crowd.ground_half_size()));
    let material = StandardMaterial {
        base_color: Color::linear_rgb(0.44, 0.455, 0.375),
        perceptual_roughness: 1.0,
        ..default()
    };
    commands.spawn((Mesh3d(meshes.add(plane)), MeshMaterial3d(materials.add(material))));
}

fn set_up_lights(mut commands: Commands, crowd: Res<Crowd>) {
    let (center, radius) = crowd.shadowed();
    let towards = |direction: Vec3| {
        Transform::from_translation(center + 2.0 * radius * direction.normalize()).looking_at(center, Vec3::Y)
    };
    let key = DirectionalLight {
        color: Color::linear_rgb(1.0, 0.97, 0.92),
        illuminance: 2.6,
        shadow_maps_enabled: true,
        ..default()
    };
    let fill = DirectionalLight {
        color: Color::linear_rgb(0.80, 0.88, 1.0),
        illuminance: 0.55,
        shadow_maps_enabled: false,
        ..default()
    };
    // One level of the shadow map is used at all distances.
    let maximum_distance = crowd.depth_range().1;
    let levels: CascadeShadowConfig =
        CascadeShadowConfigBuilder { num_cascades: 1, maximum_distance, ..default() }.build();
    commands.spawn((key, towards(KEY), levels));
    commands.spawn((fill, towards(FILL)));

    // In Bevy, depth is 1 at the near plane, which is at the light, and 0 at the far plane.
    let world_from_cascade = towards(KEY).to_matrix();
    let clip_from_cascade = Mat4::from_cols(
        Vec4::X / radius,
        Vec4::Y / radius,
        Vec4::Z / (4.0 * radius),
        Vec4::new(0.0, 0.0, 1.0, 1.0),
    );
    commands.insert_resource(ShadowProjection(Cascade {
        world_from_cascade,
        clip_from_cascade,
        clip_from_world: clip_from_cascade * world_from_cascade.inverse(),
        texel_size: 2.0 * radius / SHADOW_MAP as f32,
    }));
}

fn set_up_camera(mut commands: Commands, crowd: Res<Crowd>, mut images: ResMut<Assets<Image>>) {
    let mut image = Image::new_target_texture(SIZE.0, SIZE.1, TextureFormat::Rgba8UnormSrgb, None);
    image.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    let image = images.add(image);
    commands.insert_resource(Target(image.clone()));
    let (near, far) = crowd.depth_range();
    let projection = PerspectiveProjection {
        fov: FOV_Y,
        aspect_ratio: SIZE.0 as f32 / SIZE.1 as f32,
        near,
        far,
        near_clip_plane: Vec4::new(0.0, 0.0, -1.0, -near),
    };
    let (position, target) = crowd.view();
    commands.spawn((
        Camera3d::default(),
        RenderTarget::Image(image.into()),
        Projection::Perspective(projection),
        Transform::from_translation(position).looking_at(target, Vec3::Y),
        // Light is multiplied by 1.
        Exposure { ev100: -1.2_f32.log2() },
        Tonemapping::KhronosPbrNeutral,
        Msaa::Sample4,
    ));
}

/// Starts the clip of a figure that has been spawned, and replaces its material by the tinted one.
fn prepare_figure(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    mut count: ResMut<Ready>,
    shared: Res<Shared>,
    figures: Query<&Figure>,
    children: Query<&Children>,
    mut players: Query<&mut AnimationPlayer>,
    parts: Query<(), With<MeshMaterial3d<StandardMaterial>>>,
) -> Result {
    let figure = figures.get(ready.entity)?;
    for entity in children.iter_descendants(ready.entity) {
        if let Ok(mut player) = players.get_mut(entity) {
            let animation = player.play(shared.nodes[figure.clip]);
            animation.repeat().set_speed(figure.speed).seek_to(figure.time);
            commands.entity(entity).insert(AnimationGraphHandle(shared.graph.clone()));
        }
        if parts.contains(entity) {
            commands
                .entity(entity)
                .remove::<MeshMaterial3d<StandardMaterial>>()
                .insert((MeshMaterial3d(shared.material.clone()), tint::tag(figure.tint)));
        }
    }
    count.0 += 1;
    Ok(())
}

fn walk(time: Res<Time>, mut figures: Query<(&mut Figure, &mut Transform)>) {
    let seconds = time.delta_secs();
    // Time stands still until all figures have been spawned.
    if seconds == 0.0 {
        return;
    }
    for (mut figure, mut place) in &mut figures {
        figure.step(seconds);
        *place = transform(&figure);
    }
}

fn transform(figure: &Figure) -> Transform {
    Transform::from_translation(figure.position)
        .with_rotation(Quat::from_rotation_y(figure.heading))
        .with_scale(Vec3::splat(figure.scale))
}

/// Replaces the shadow map's projection, which Bevy fits to the view frustum, by sinew's. Both programs then draw the same figures
/// into a map of the same size.
fn fit_shadow_map(projection: Res<ShadowProjection>, mut lights: Query<&mut Cascades>) {
    for mut cascades in &mut lights {
        for view in cascades.cascades.values_mut() {
            *view = vec![projection.0.clone()];
        }
    }
}

/// Exits if the model cannot be loaded.
fn check_loading(
    characters: Query<&WorldAssetRoot>,
    assets: Res<AssetServer>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some(character) = characters.iter().next() else { return };
    if let LoadState::Failed(error) = assets.load_state(&character.0) {
        eprintln!("the model was not loaded: {error}");
        exit.write(AppExit::error());
    }
}
