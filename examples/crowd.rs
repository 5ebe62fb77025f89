//! Poses and draws a crowd without a window: a ring of characters walks over hills, and a character in the middle points at the
//! sky. Another one walks to it, and they look at each other. The example prints when it has arrived.
//!
//! ```text
//! cargo run --example crowd [FILE.glb] [COUNT]
//! ```
//!
//! Writes `crowd.png`.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::f32::consts::TAU;
use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::asset;
use sinew::crowd::{
    ArrivalReader, Crowd, CrowdGoal, CrowdModel, Destination, Look, PlayedClip, Spawn, Terrain, ground,
};
use sinew::puppet::Puppet;
use sinew::render::{AdapterChoice, Background, DecodedImages, Gpu, Light, Renderer, ShadingMode};
use sinew::rig;
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Bounds, Camera, Ray};

const SIZE: (u32, u32) = (1280, 720);
const RADIUS: f32 = 6.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let character = match arguments.next() {
        Some(file) => asset::load(Path::new(&file))?,
        None => asset::mannequin()?,
    };
    let count: u16 = arguments.next().map_or(Ok(60), |text| text.parse())?;

    // Data that all characters share is compiled once.
    let rig = rig::detect(&character);
    let hand = rig.body.as_ref().and_then(|body| body.left_arm()).map(rig::BodyLimb::end);
    let model = CrowdModel::new(character, 0, &rig);
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Auto)?);
    let images = DecodedImages::decode(model.character(), model.parts(), ShadingMode::Shaded);
    let surface = renderer.model(model.character(), model.parts(), &images)?;
    let clip = |name: &str| model.character().clips.iter().position(|c| c.name.as_deref() == Some(name));
    let (walk, idle) = (clip("walk"), clip("idle"));

    let terrain = Terrain::hills(5, 12.0);
    let ground = Puppet::with_rig(ground(&terrain), 0, rig::Rig::default());
    let ground_surface = renderer.model(ground.character(), ground.parts(), &DecodedImages::default())?;

    let floor = terrain.height(Vec2::ZERO);
    let mut crowd = Crowd::new(&renderer, model, Some(terrain))?;
    crowd.reserve(&mut renderer, &surface, u32::from(count) + 2)?;
    let plays =
        |clip: Option<usize>, time: f32| clip.map(|clip| PlayedClip::new(clip, time)).into_iter().collect();
    for index in 0..count {
        let angle = f32::from(index) / f32::from(count) * TAU;
        let spawn = Spawn {
            position: Vec3::new(angle.sin(), 0.0, angle.cos()) * RADIUS,
            heading: angle + 0.25 * TAU,
            // The turn rate that keeps a walking character on the ring.
            turn: crowd.model().stride(walk.unwrap_or_default()).length() / RADIUS,
            clips: plays(walk, 0.37 * f32::from(index)),
            ..Spawn::default()
        };
        crowd.spawn(&mut renderer, &surface, &spawn)?;
    }
    let guide =
        crowd.spawn(&mut renderer, &surface, &Spawn { clips: plays(idle, 0.0), ..Spawn::default() })?;
    if let Some(hand) = hand {
        let sky = Vec3::new(0.4, floor + 2.4, 0.3);
        crowd.set_goal(guide, 0, Some(&CrowdGoal::reach(hand, sky).fade_in(0.5)))?;
    }
    // The visitor walks until it is a metre away from the guide, and then stands.
    let mut clips: Vec<PlayedClip> = plays(walk, 0.0);
    clips.extend(idle.map(PlayedClip::standing));
    let start = Vec3::new(-3.0, 0.0, 2.0);
    let visitor =
        crowd.spawn(&mut renderer, &surface, &Spawn { position: start, clips, ..Spawn::default() })?;
    crowd.walk_to(visitor, Some(&Destination { radius: 1.0, ..Destination::new(Vec3::ZERO) }))?;
    let eyes = Vec3::Y * (floor + 1.6);
    crowd.set_look(visitor, Look::Point(eyes), 1.0)?;
    crowd.set_look(guide, Look::Point(eyes + 0.3 * start), 1.0)?;

    let bounds =
        Bounds { lo: Vec3::new(-RADIUS, floor, -RADIUS), hi: Vec3::new(RADIUS, floor + 1.8, RADIUS) };
    let aspect = SIZE.0 as f32 / SIZE.1 as f32;
    let settings = ViewSettings::new(Camera::framing(&bounds, 0.7 * AUTO_FOV_Y, aspect), bounds)
        .with_light(Light::default())
        .with_background(Background::STUDIO)
        .with_floor(false);
    // Four seconds of walking. A program with a window would take one step per frame.
    let gpu = renderer.gpu().clone();
    let mut arrivals = ArrivalReader::default();
    for frame in 0..120 {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        crowd.step(&mut encoder, 1.0 / 30.0, settings.camera.position)?;
        let is_copied = arrivals.copy(&crowd, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        if is_copied {
            arrivals.submitted();
        }
        // Arrivals are those of an earlier frame, because this does not wait for the GPU.
        gpu.check()?;
        if arrivals.arrived(&crowd).contains(&visitor) {
            println!("the visitor has arrived by frame {frame}");
        }
    }
    // The character at the middle of the image.
    let size = Vec2::new(SIZE.0 as f32, SIZE.1 as f32);
    let ray = Ray::through(&settings.camera, 0.5 * size, size).ok_or("the camera is invalid")?;
    match crowd.pick(&ray)? {
        Some((id, point)) if id == visitor => println!("picked the visitor at {point}"),
        Some((_, point)) => println!("picked a character at {point}"),
        None => println!("no character is at the middle of the image"),
    }
    let mut frame = scene::frame(&ground, &settings);
    frame.instances.iter_mut().for_each(|instance| instance.model = 1);
    frame.crowds = crowd.instances(0).collect();
    let image = renderer.render(&[&surface, &ground_surface], &frame, SIZE)?;
    std::fs::write("crowd.png", image.png(settings.background)?)?;
    println!("wrote crowd.png: {} characters on {}", crowd.len(), gpu.describe());
    Ok(())
}
