//! Bodies are recognised in built-in characters.

use super::recognize;
use crate::asset;

#[test]
#[ignore = "prints"]
fn print_all() {
    let list = std::env::var("RECOGNIZE").unwrap();
    let strip = std::env::var("STRIP").is_ok();
    for path in list.split(' ') {
        let Ok(mut character) = asset::load(path.as_ref()) else { continue };
        let label = character.skeleton.clone();
        if strip {
            character.skeleton.nodes.iter_mut().for_each(|n| n.name = None);
            character.humanoid = None;
        }
        let names = |nodes: &[usize]| nodes.iter().map(|&n| label.label(n)).collect::<Vec<_>>().join(" ");
        println!("== {path}");
        match recognize(&character) {
            Ok(found) => {
                let p = found.plan;
                println!(
                    "{} {:.2} hips {} facing {} floor {:.3}",
                    p.kind.name(),
                    p.certainty,
                    label.label(p.hips),
                    p.facing,
                    p.floor
                );
                println!(
                    "  spine {} | neck {} | tails {:?}",
                    names(&p.spine),
                    names(&p.neck),
                    p.tails.iter().map(|t| names(t)).collect::<Vec<_>>()
                );
                for l in &p.limbs {
                    println!(
                        "  {:?} {:?} collar {} | {} | bend {:.2} stands {} pull {:.2} digits {:?}",
                        l.side,
                        l.kind,
                        names(&l.collar),
                        names(&l.joints),
                        l.bend,
                        l.stands,
                        l.pull,
                        l.digits.iter().map(|t| names(t)).collect::<Vec<_>>()
                    );
                }
                println!(
                    "  parents {:?}",
                    found
                        .logical_parents
                        .iter()
                        .map(|(a, b)| format!("{}<{}", label.label(*a), label.label(*b)))
                        .collect::<Vec<_>>()
                );
                println!("  {:?}", p.reasons);
            }
            Err(reason) => println!("NONE {reason}"),
        }
    }
}
