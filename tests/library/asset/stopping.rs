//! A read can be stopped from another thread at any point, and it counts the bytes read.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::json;
use sinew::asset::{Image, LoadError, load_with};
use sinew::capture::load_csv_with;
use sinew::files::Progress;
use sinew_testkit::folder;

/// Maximum time from the stop to the end of the thread. It takes a few milliseconds on an idle machine.
const MAX_TIME: Duration = Duration::from_secs(1);
/// Times at which the read is stopped, in milliseconds after its start. Reading a large file takes longer than the first of these times.
const DELAYS: [u64; 3] = [5, 60, 200];

/// Stops a read at several times, and checks that it ends soon afterwards.
fn stop<T: Send, E: Send>(name: &str, read: impl Fn(&Progress) -> Result<T, E> + Sync) {
    let mut longest = Duration::ZERO;
    for delay in DELAYS {
        let progress = Progress::default();
        thread::scope(|scope| {
            let reader = scope.spawn(|| read(&progress).is_ok());
            thread::sleep(Duration::from_millis(delay));
            let was_done = reader.is_finished();
            let stopped = Instant::now();
            progress.stop();
            let is_read = reader.join().unwrap();
            assert!(!is_read || was_done || stopped.elapsed() < MAX_TIME, "{name}: the read went on");
            assert!(delay != DELAYS[0] || !is_read, "{name}: the read was not stopped");
            longest = longest.max(stopped.elapsed());
        });
    }
    assert!(longest < MAX_TIME, "{name}: {longest:?}");
}

/// A document whose only buffer contains `bytes` zero bytes, which are the positions of its vertices.
fn vertices(bytes: usize, uri: &str) -> String {
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": bytes, "uri": uri }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": bytes / 12 }],
        "meshes": [{ "primitives": vec![json!({ "attributes": { "POSITION": 0 } }); 6] }],
        "nodes": [{ "mesh": 0 }],
    })
    .to_string()
}

#[test]
fn a_stopped_read_ends_at_once() {
    let folder = folder("stopping");
    let file = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let zeros = vec![0; 36_000_000];
    let mut bvh =
        "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation }\nMOTION\n".to_owned();
    bvh.push_str(&"10.25 20.5 30.125\n".repeat(1_500_000));
    let deep = format!("HIERARCHY ROOT a{{{}{}", "JOINT a{".repeat(1_500_000), "}".repeat(1_500_001));
    let node = r#"{"name":"a long name of a node without children","translation":[1.25,2.5,3.125]},"#;
    let mut large_json = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}"#, node.repeat(400_000));
    large_json.pop();
    large_json.push_str("]}");
    let embedded = format!(
        "data:application/octet-stream;base64,{}",
        base64::engine::general_purpose::STANDARD.encode(&zeros)
    );
    file("vertices.bin", &zeros);
    let files = [
        file("frames.bvh", bvh.as_bytes()),
        file("deep.bvh", deep.as_bytes()),
        file("vertices.gltf", vertices(zeros.len(), "vertices.bin").as_bytes()),
        file("embedded.gltf", vertices(zeros.len(), &embedded).as_bytes()),
        file("nodes.gltf", large_json.as_bytes()),
    ];
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        stop(&name, |progress| load_with(path, None, progress));
        let progress = Progress::default();
        progress.stop();
        assert!(matches!(load_with(path, None, &progress), Err(LoadError::Stopped { .. })), "{name}");
    }
    let mut take = "time,hips.x,hips.y,hips.z\n".to_owned();
    (0..1_000_000).for_each(|i| writeln!(take, "{i},0.25,0.5,0.75").unwrap());
    let take = file("take.csv", take.as_bytes());
    stop("take.csv", |progress| load_csv_with(&take, progress));
    let picture = Image::new(None, png(5000, 3000).into()).unwrap();
    stop("5000x3000.png", |progress| picture.decode_with(progress));
    fs::remove_dir_all(&folder).unwrap();
}

/// Encodes an image of noise, which is hardly compressible.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let rows: Vec<u8> =
        (0..width * height * 3).map(|i| (i.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
    encoder.write_header().unwrap().write_image_data(&rows).unwrap();
    bytes
}

#[test]
fn bytes_of_all_files_are_counted() {
    let folder = folder("stopping-bytes");
    let text = vertices(120_000, "vertices.bin");
    fs::write(folder.join("a.gltf"), &text).unwrap();
    fs::write(folder.join("vertices.bin"), vec![0; 120_000]).unwrap();
    let progress = Progress::default();
    let path: &Path = &folder.join("a.gltf");
    load_with(path, None, &progress).unwrap();
    let all = text.len() as u64 + 120_000;
    assert_eq!((progress.bytes(), progress.stage()), ((all, all), "Reading the file"));
    fs::remove_dir_all(&folder).unwrap();
}
