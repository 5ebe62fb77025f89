//! A Bevy app in which a character reaches for a moving point with its left hand. README.md describes the commands.

mod convert;
mod ik;

use std::f32::consts::PI;
use std::path::PathBuf;
use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::asset::LoadState;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::settings::{Backends, WgpuSettings};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::world_serialization::WorldInstanceReady;

use ik::{JointLimit, Reach, ReachPlugin};

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");
/// Number of frames after loading that are checked without a window.
const FRAMES: u32 = 120;
/// Largest distance in metres from the hand to its target that passes the check.
const TOLERANCE: f32 = 1e-3;

/// What the app draws to: a window, an image, or nothing.
#[derive(Resource, Clone, PartialEq)]
enum Output {
    Window,
    Image(PathBuf),
    Nothing,
}

/// The point that the hand reaches for.
#[derive(Component)]
struct Target;

fn main() -> AppExit {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let output = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] if cfg!(feature = "window") => Output::Window,
        [] => Output::Nothing,
        ["--image", file] => Output::Image(file.into()),
        _ => {
            eprintln!("usage: sinew-bevy [--image FILE.png]");
            return AppExit::from_code(2);
        }
    };
    let has_window = output == Output::Window;
    let backends = if output == Output::Nothing { None } else { Some(Backends::PRIMARY) };
    let plugins = DefaultPlugins
        .set(AssetPlugin { file_path: ASSETS.into(), ..default() })
        .set(RenderPlugin { render_creation: WgpuSettings { backends, ..default() }.into(), ..default() })
        .set(WindowPlugin {
            primary_window: has_window.then(Window::default),
            exit_condition: if has_window { ExitCondition::OnPrimaryClosed } else { ExitCondition::DontExit },
            ..default()
        });
    // The plugin of the window system fails without a display.
    #[cfg(feature = "window")]
    let plugins = if has_window { plugins } else { plugins.disable::<bevy::winit::WinitPlugin>() };

    let mut app = App::new();
    app.add_plugins((plugins, ReachPlugin))
        .insert_resource(ClearColor(Color::srgb(0.80, 0.83, 0.87)))
        .insert_resource(GlobalAmbientLight { brightness: 600.0, ..default() })
        .insert_resource(output)
        .add_systems(Startup, set_up)
        .add_systems(Update, move_target);
    if !has_window {
        // All frames have the same duration, so that every run prints the same table.
        app.add_plugins(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60))
            .add_systems(Last, (check_loading, check));
    }
    app.run()
}

/// Spawns the character, the target, the ground, a light and the camera.
fn set_up(
    mut commands: Commands,
    assets: Res<AssetServer>,
    output: Res<Output>,
    mut images: ResMut<Assets<Image>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let character = assets.load(GltfAssetLabel::Scene(0).from_asset("mannequin.glb"));
    commands.spawn(WorldAssetRoot(character)).observe(attach_hand);
    let mut object = |mesh: Mesh, color| (Mesh3d(meshes.add(mesh)), MeshMaterial3d(materials.add(color)));
    commands.spawn((object(Sphere::new(0.04).into(), Color::srgb(0.9, 0.2, 0.1)), Target));
    commands.spawn(object(Plane3d::default().mesh().size(6.0, 6.0).into(), Color::srgb(0.6, 0.6, 0.6)));
    let light = DirectionalLight { illuminance: 6000.0, shadow_maps_enabled: true, ..default() };
    commands.spawn((light, Transform::from_xyz(2.0, 4.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y)));
    let eye = Transform::from_xyz(-0.8, 1.6, 1.9).looking_at(Vec3::new(0.12, 1.15, 0.0), Vec3::Y);
    // The default tone mapping needs tables, which are a separate feature of Bevy.
    let mut camera = commands.spawn((Camera3d::default(), Tonemapping::AcesFitted, eye));
    if *output != Output::Window {
        let image = Image::new_target_texture(800, 600, TextureFormat::Rgba8UnormSrgb, None);
        camera.insert(RenderTarget::Image(images.add(image).into()));
    }
}

/// Makes the left hand reach as soon as the character has been spawned.
fn attach_hand(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    children: Query<&Children>,
    joints: Query<(Entity, &Name, &Transform)>,
    target: Single<&Transform, With<Target>>,
) -> Result {
    let joint = |name: &str| {
        let mut below = joints.iter_many(children.iter_descendants(ready.entity));
        below.find(|(_, own, _)| own.as_str() == name).ok_or(format!("joint {name:?} does not exist"))
    };
    let ((elbow, _, bend), (hand, _, forearm)) = (joint("leftLowerArm")?, joint("leftHand")?);
    // In the bind pose, the arm is slightly bent. The axis of the elbow is perpendicular to both of its bones.
    let upper_arm = bend.rotation.inverse() * bend.translation;
    let axis = Dir3::new(upper_arm.cross(forearm.translation))?;
    commands.entity(elbow).insert(JointLimit::hinge(bend.rotation, axis, -0.1..=2.4));
    // The pole is low behind the character, on its left.
    let pole = Some(Vec3::new(0.7, 0.6, -0.6));
    commands.entity(hand).insert(Reach { pole, ..Reach::new(2, target.translation) });
    Ok(())
}

/// Moves the target and the goal of the hand along a circle.
fn move_target(
    time: Res<Time>,
    mut target: Single<&mut Transform, With<Target>>,
    mut hands: Query<&mut Reach>,
) {
    let (sin, cos) = (PI * time.elapsed_secs()).sin_cos();
    target.translation = Vec3::new(0.35 + 0.12 * cos, 1.35 + 0.12 * sin, 0.3);
    for mut hand in &mut hands {
        hand.target = target.translation;
    }
}

/// Exits if the character cannot be loaded.
fn check_loading(
    character: Single<&WorldAssetRoot>,
    assets: Res<AssetServer>,
    mut exit: MessageWriter<AppExit>,
) {
    if let LoadState::Failed(error) = assets.load_state(&character.0) {
        eprintln!("the character was not loaded: {error}");
        exit.write(AppExit::error());
    }
}

/// Prints a table, and exits after the last frame or if the hand is not at its target.
///
/// Bevy does not run this system before the hand exists.
fn check(
    mut frame: Local<u32>,
    mut worst: Local<f32>,
    hand: Single<(&Reach, &GlobalTransform)>,
    camera: Single<&RenderTarget>,
    output: Res<Output>,
    mut commands: Commands,
    mut exit: MessageWriter<AppExit>,
) {
    *frame += 1;
    if *frame > FRAMES {
        return;
    }
    let (reach, transform) = *hand;
    let (target, position) = (reach.target, transform.translation());
    let error = position.distance(target);
    *worst = worst.max(error);
    if *frame == 1 {
        println!("frame  target                   hand                     error");
    }
    if *frame % 10 == 1 || *frame == FRAMES {
        println!("{:5}  {target:.3}  {position:.3}  {:.4} mm", *frame, 1000.0 * error);
    }
    let is_near = error < TOLERANCE;
    if !is_near {
        eprintln!("frame {}: the hand is {error} m from its target", *frame);
        exit.write(AppExit::error());
    }
    if *frame == FRAMES {
        println!("largest error of {FRAMES} frames: {:.4} mm", 1000.0 * *worst);
        if let (Output::Image(file), RenderTarget::Image(image)) = (output.clone(), *camera) {
            commands.spawn(Screenshot::image(image.handle.clone())).observe(save_image(file));
        } else {
            exit.write(AppExit::Success);
        }
    }
}

/// Returns an observer that saves a screenshot and exits.
fn save_image(file: PathBuf) -> impl FnMut(On<ScreenshotCaptured>, MessageWriter<AppExit>) {
    move |captured, mut exit| {
        let image = captured.image.clone().try_into_dynamic().map_err(|error| error.to_string());
        let saved = image.and_then(|image| image.to_rgb8().save(&file).map_err(|error| error.to_string()));
        match saved {
            Ok(()) => exit.write(AppExit::Success),
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                exit.write(AppExit::error())
            }
        };
    }
}
