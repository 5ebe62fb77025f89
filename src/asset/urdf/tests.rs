use std::fs;
use std::path::{Path, PathBuf};

use super::*;

const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <link name="base"><visual><geometry><box size="0.4 0.2 0.1"/></geometry><material name="steel"/></visual></link>
  <link name="upper"><visual><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></visual></link>
  <link name="fore"><visual><geometry><sphere radius="0.1"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="left"/><link name="right"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.05" rpy="0 0 1.5707963267948966"/><axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/></joint>
  <joint name="grip" type="prismatic"><parent link="fore"/><child link="left"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="other" type="prismatic"><parent link="fore"/><child link="right"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="grip" multiplier="1"/></joint>
</robot>"#;

fn read(text: &str) -> Result<Character, String> {
    read_with(text, Path::new("arm.urdf"), &Progress::default()).map_err(|e| e.to_string())
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("sinew-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Returns the world positions of all vertices of a node's mesh at rest.
fn extent(character: &Character, node: usize) -> (Vec3, Vec3) {
    let skeleton = &character.skeleton;
    let above: Vec<usize> = skeleton.ancestors(node).collect();
    let world = above.iter().rev().fold(Affine3A::IDENTITY, |w, &n| w * skeleton.nodes[n].rest.to_affine());
    let mesh = &character.meshes[skeleton.nodes[node].mesh.unwrap()];
    let points = mesh.primitives.iter().flat_map(|p| &p.positions).map(|p| world.transform_point3(*p));
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)))
}

#[test]
fn a_robot_becomes_a_character_of_rigid_parts() {
    let arm = read(ARM).unwrap();
    assert!(arm.warnings.is_empty(), "{:?}", arm.warnings);
    let names: Vec<_> = arm.skeleton.nodes.iter().map(|n| n.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["base", "upper", "fore", "left", "right"]);
    let parents: Vec<_> = arm.skeleton.nodes.iter().map(|n| n.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(2)]);
    // X is forward in URDF, and Z here.
    let (lo, hi) = extent(&arm, 0);
    assert!((hi - lo).distance(Vec3::new(0.2, 0.1, 0.4)) < 1e-6, "{lo} to {hi}");
    let (lo, hi) = extent(&arm, 1);
    assert!((lo.y - 0.05).abs() < 1e-6 && (hi.y - 0.55).abs() < 1e-6, "{lo} to {hi}");
    let (lo, hi) = extent(&arm, 2);
    assert!((hi - lo).distance(Vec3::splat(0.2)) < 1e-3 && (lo.y - 0.45).abs() < 1e-6, "{lo} to {hi}");
    let color = |node: usize| {
        let mesh = &arm.meshes[arm.skeleton.nodes[node].mesh.unwrap()];
        mesh.primitives[0].material.map(|m| arm.materials[m].base_color)
    };
    assert_eq!(color(0), Some(Vec4::new(0.5, 0.5, 0.6, 1.0)));
    assert_eq!((color(1), color(2)), (None, Some(Vec4::new(1.0, 0.0, 0.0, 1.0))));
}

#[test]
fn joints_have_the_axes_and_limits_of_the_file() {
    let arm = read(ARM).unwrap();
    let kind = |node: usize| arm.joints[&node].kind;
    assert_eq!(kind(1), JointKind::Hinge { axis: DVec3::Y, range: Some([-1.0, 2.0]) });
    assert_eq!(kind(2), JointKind::Hinge { axis: DVec3::Z, range: None });
    assert_eq!(kind(3), JointKind::Slide { axis: DVec3::X, range: [0.0, 0.04] });
    assert_eq!(arm.joints[&4].mimic, Some((3, 1.0, 0.0)));
}

/// Triangles whose normals point into the shape would be invisible.
#[test]
fn shapes_are_closed_and_face_outwards() {
    let shapes = [
        geometry::cuboid([1.0, 2.0, 3.0]),
        geometry::cylinder(0.5, 2.0),
        geometry::capsule(0.5, 1.0),
        geometry::capsule(1.0, 0.0),
    ];
    let volumes = [6.0, 1.57, 1.309, 4.19];
    for (mut shape, volume) in shapes.into_iter().zip(volumes) {
        for mirror in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0)] {
            geometry::transform(&mut shape, Affine3A::from_scale(mirror));
            let six_volumes: f32 = shape
                .triangles
                .iter()
                .map(|t| t.map(|v| shape.positions[v as usize]))
                .map(|[a, b, c]| a.dot(b.cross(c)))
                .sum();
            assert!(
                (six_volumes / 6.0 - volume).abs() < 0.03 * volume,
                "{} is not {volume}",
                six_volumes / 6.0
            );
            for triangle in &shape.triangles {
                let [a, b, c] = triangle.map(|v| shape.positions[v as usize]);
                let normal = shape.normals[triangle[0] as usize];
                assert!((b - a).cross(c - a).dot(normal) >= -1e-6);
            }
        }
    }
}

/// A binary STL file of one triangle.
fn stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(1_u32.to_le_bytes());
    let numbers = [[0.0_f32; 3], [0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [0.0, 1000.0, 0.0]];
    bytes.extend(numbers.iter().flatten().flat_map(|v| v.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn stl_files_are_read_in_both_forms_and_truncations_are_refused() {
    let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1e3 0 0\nvertex 0 1000 0\nendloop\nendfacet\nendsolid";
    for bytes in [stl(), text.into()] {
        let shape = stl::read(&bytes).unwrap();
        assert_eq!(
            (shape.triangles.len(), shape.positions[2], shape.normals[0]),
            (1, Vec3::Y * 1000.0, Vec3::Z)
        );
        for length in 0..bytes.len() {
            let read = stl::read(&bytes[..length]);
            assert!(read.is_err() || length + 1 >= text.find("endloop").unwrap(), "{length}");
        }
    }
    assert!(stl::read(b"solid vertex 1 2").unwrap_err().contains("three numbers"));
    assert!(stl::read(b"solid vertex 1 2 nan").unwrap_err().contains("not finite"));
}

#[test]
fn meshes_are_found_in_the_package_and_not_outside() {
    let folder = folder("urdf-meshes");
    let package = folder.join("my_robot");
    fs::create_dir_all(package.join("urdf")).unwrap();
    fs::create_dir_all(package.join("meshes")).unwrap();
    fs::write(package.join("meshes/a.stl"), stl()).unwrap();
    fs::write(folder.join("secret.stl"), stl()).unwrap();
    let path = package.join("urdf/a.urdf");
    let with = |name: &str| {
        let text = format!(
            r#"<robot name="a"><link name="a"><visual><geometry><mesh filename="{name}" scale="0.001 0.001 0.001"/></geometry></visual>
            <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#
        );
        read_with(&text, &path, &Progress::default()).unwrap()
    };
    for name in ["package://my_robot/meshes/a.stl", "../meshes/a.stl"] {
        let robot = with(name);
        assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
        assert_eq!(robot.meshes[0].primitives[0].positions[2], Vec3::Y);
        assert_eq!(robot.files.len(), 1);
    }
    for name in
        ["../../secret.stl", "package://my_robot/../secret.stl", "file:///etc/passwd", "missing.stl", "a.dae"]
    {
        let robot = with(name);
        assert!(robot.warnings[0].contains("so it is not drawn"), "{:?}", robot.warnings);
        assert!(robot.warnings[1].contains("collision shape is drawn"), "{:?}", robot.warnings);
        assert_eq!(robot.meshes[0].primitives[0].triangles.len(), 12);
    }
}

#[test]
fn errors_name_the_element() {
    let changed = |from: &str, to: &str| read(&ARM.replacen(from, to, 1)).unwrap_err();
    assert_eq!(
        changed("child link=\"fore\"", "child link=\"hand\""),
        "arm.urdf: joint \"elbow\": link \"hand\" does not exist"
    );
    assert_eq!(
        changed("lower=\"-1\"", "lower=\"3\""),
        "arm.urdf: joint \"shoulder\": the lower limit must be at most the upper limit"
    );
    assert!(changed("parent link=\"base\"", "parent link=\"fore\"").contains("form a loop"));
    assert_eq!(changed("0 2 0", "0 0 0"), "arm.urdf: joint \"shoulder\": the axis has no direction");
    assert!(changed("0 0 0.05", "0 0 1e300").contains("origin: value is not finite"));
    assert!(changed("<link name=\"left\"/>", "<link name=\"base\"/>").contains("the name is not unique"));
    assert!(changed("<robot", "<robt").contains("not a valid URDF file"));
    assert!(read(&"<a>".repeat(100_000)).unwrap_err().contains("nested too deeply"));
}

#[test]
fn truncated_files_are_refused() {
    for length in (0..ARM.len()).filter(|length| ARM.is_char_boundary(*length)) {
        assert!(read(&ARM[..length]).is_err(), "{length}");
    }
}

/// Each of these shapes has six hundred vertices.
#[test]
fn a_small_file_cannot_take_all_memory() {
    let visual = r#"<visual><geometry><capsule radius="0.1" length="0.2"/></geometry></visual>"#;
    let line = read(&format!(r#"<robot name="r"><link name="a">{}</link></robot>"#, visual.repeat(22_000)))
        .unwrap_err();
    assert!(
        line.starts_with("arm.urdf: link \"a\", visual ") && line.ends_with("together are too large"),
        "{line}"
    );
    let line = read(&" ".repeat(MAX_BYTES + 1)).unwrap_err();
    assert_eq!(line, "arm.urdf: the file is larger than 4 MiB");
}
