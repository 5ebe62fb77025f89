//! Benchmarks of loading a character from a file, without decoding its images.

use criterion::Criterion;
use sinew::asset;

use super::{COLLECTED, external};

pub(crate) fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("load");
    group.bench_function("mannequin", |b| b.iter(|| asset::mannequin().unwrap()));
    for (name, file) in COLLECTED {
        if let Some(path) = external(file) {
            group.bench_function(name, |b| b.iter(|| asset::load(&path).unwrap()));
        }
    }
    group.finish();
}
