//! CPU time of a viewer frame during a drag. It includes the pointer event with its solve, the clip, the palette, the
//! overlay, the check for possible methods, and the encoding of all passes. GPU time is not included.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use glam::Vec2;
use sinew::asset;
use sinew::ik::{Method, Options};
use sinew::puppet::Puppet;
use sinew::render::{AdapterChoice, Canvas, DecodedImages, Gpu, Renderer, ShadingMode};
use sinew::rig;
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Session};
use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};

const SIZE: (u32, u32) = (1016, 800);
/// Number of steps per revolution of the pointer, which moves on a circle.
const STEPS: u16 = 120;

pub(crate) fn bench(c: &mut Criterion) {
    let Ok(gpu) = Gpu::new(&AdapterChoice::Auto) else { return };
    let mut renderer = Renderer::new(gpu);
    let mut group = c.benchmark_group("frame");
    let cases = [("hand, auto", "leftHand", Method::Auto), ("hand, full body", "leftHand", Method::FullBody)];
    for (name, node, method) in cases.into_iter().chain([("hips, full body", "hips", Method::Auto)]) {
        let character = asset::mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let mut session = Session::new(character, Some(rig), Vec2::new(1016.0, 800.0));
        let options = Options::default().with_record(false).with_restarts(0).with_method(method);
        session.apply(Command::Solver(Box::new(options)));
        let (mut input, mut step) = (Input::default(), 0);
        let start = pixel_of_node(&session, node);
        input.handle(Event::Moved(start), &mut session);
        input.handle(Event::Pressed(Button::Left, false), &mut session);
        let mut encode = encoder(&mut renderer, &session);
        group.bench_function(name, |b| {
            b.iter_custom(|times| {
                (0..times)
                    .map(|_| {
                        step = (step + 1) % STEPS;
                        let turn = f32::from(step) / f32::from(STEPS) * std::f32::consts::TAU;
                        let began = Instant::now();
                        input.handle(Event::Moved(start + 40.0 * Vec2::from_angle(turn)), &mut session);
                        black_box(session.refusals());
                        encode(&session, began)
                    })
                    .sum()
            });
        });
        assert!(session.is_dragging() && session.error().is_none(), "{name}: {:?}", session.error());
    }
    group.finish();
    bench_boxes(c);
}

/// Benchmarks computing the boxes of parts from joints and from skinned vertices. Every frame needs these boxes.
fn bench_boxes(c: &mut Criterion) {
    let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
    puppet.play(0, 0.5);
    puppet.update().unwrap();
    let mut group = c.benchmark_group("boxes");
    group.bench_function("from joints", |b| b.iter(|| black_box(puppet.part_boxes())));
    group.bench_function("from vertices", |b| b.iter(|| black_box(puppet.part_bounds())));
    group.finish();
}

fn pixel_of_node(session: &Session, node: &str) -> Vec2 {
    let node = session.puppet().character().skeleton.find(node).unwrap();
    let position = session.puppet().world_from_node()[node].translation.into();
    pixel(&session.camera(), position, session.size()).unwrap()
}

/// Returns a function that encodes a session's frame as the window does. The function returns the time from its
/// argument `began` until the commands are encoded.
fn encoder<'r>(
    renderer: &'r mut Renderer,
    session: &Session,
) -> impl FnMut(&Session, Instant) -> Duration + use<'r> {
    let (device, queue) = (renderer.gpu().device.clone(), renderer.gpu().queue.clone());
    let puppet = session.puppet();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let format = TextureFormat::Rgba8UnormSrgb;
    let texture = device.create_texture(&TextureDescriptor {
        label: None,
        size: Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    move |session, began| {
        let mut encoder = device.create_command_encoder(&Default::default());
        let canvas = Canvas { view: &view, format, size: SIZE, area: SIZE, is_hdr: false };
        renderer.draw(&[&model], &session.frame(1.0), &canvas, &mut encoder).unwrap();
        let commands = encoder.finish();
        let elapsed = began.elapsed();
        queue.submit([commands]);
        device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None }).unwrap();
        elapsed
    }
}
