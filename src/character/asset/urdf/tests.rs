use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::asset::{JointKind, Packages};

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
    read_with(text, Path::new("arm.urdf"), &References::default(), &Progress::default())
        .map_err(|e| e.to_string())
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("sinew-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Returns the world positions of all vertices of a node's mesh in the rest pose.
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
    // URDF's forward axis X becomes Z here.
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

/// A binary STL file with one triangle.
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
    let load = |name: &str, allow_parent: bool| {
        let text = format!(
            r#"<robot name="a"><link name="a"><visual><geometry><mesh filename="{name}" scale="0.001 0.001 0.001"/></geometry></visual>
            <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#
        );
        let references = References { allow_parent, ..References::default() };
        read_with(&text, &path, &references, &Progress::default()).unwrap()
    };
    let with = |name: &str| load(name, false);
    for name in [
        "package://my_robot/meshes/a.stl",
        "package://my_robot/meshes\\a.stl",
        "../meshes/a.stl",
        "..\\meshes\\a.stl",
    ] {
        let robot = with(name);
        assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
        assert_eq!(robot.meshes[0].primitives[0].positions[2], Vec3::Y);
        assert_eq!(robot.files.len(), 1);
    }
    for name in
        ["../../secret.stl", "package://my_robot/../secret.stl", "file:///etc/passwd", "missing.stl", "a.ply"]
    {
        let robot = with(name);
        assert!(robot.warnings[0].contains("so it is not drawn"), "{:?}", robot.warnings);
        assert!(robot.warnings[1].contains("collision shape is drawn"), "{:?}", robot.warnings);
        assert_eq!(robot.meshes[0].primitives[0].triangles.len(), 12);
    }
    let outside = ["../../secret.stl", "..\\..\\secret.stl", "package://my_robot/../secret.stl"];
    for name in outside {
        let cause = "is outside of the model's folder; --allow-parent allows it, so it is not drawn";
        assert!(with(name).warnings[0].contains(cause), "{:?}", with(name).warnings);
        assert_eq!(load(name, true).warnings, [""; 0]);
    }
}

#[test]
fn errors_name_the_element() {
    let changed = |from: &str, to: &str| read(&ARM.replacen(from, to, 1)).unwrap_err();
    let missing = changed("child link=\"fore\"", "child link=\"hand\"");
    assert!(missing.starts_with("arm.urdf: joint \"elbow\": link \"hand\" does not exist; "), "{missing}");
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
fn joints_without_a_limit_or_a_link_are_refused() {
    let changed = |from: &str, to: &str| read(&ARM.replacen(from, to, 1)).unwrap_err();
    let without = ARM.lines().map(|line| match line.contains("<limit") && line.contains("-1") {
        true => line.replace("<limit", "<!-- ").replace("/></joint>", "--></joint>"),
        false => line.to_owned(),
    });
    let line = read(&without.collect::<Vec<_>>().join("\n")).unwrap_err();
    assert!(line.starts_with("arm.urdf: joint \"shoulder\": a revolute joint needs <limit"), "{line}");
    assert_eq!(
        changed("<child link=\"upper\"/>", ""),
        "arm.urdf: joint \"shoulder\": <child link=…> is missing"
    );
    assert_eq!(
        changed("<link name=\"base\">", "<link name=\"other\"/><link name=\"base\">"),
        "arm.urdf: robot: no joint connects the links \"other\" and \"base\""
    );
}

/// Regression: a zero pose outside the limits was used as the first pose, and solves started from it.
#[test]
fn a_range_without_zero_starts_in_its_middle() {
    let text = ARM.replacen("lower=\"-1\" upper=\"2\"", "lower=\"0.3\" upper=\"1.3\"", 1);
    let arm = read(&text).unwrap();
    assert!((arm.joints[&1].rest_value - 0.8).abs() < 1e-12);
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    assert!(arm.skeleton.nodes[1].rest.rotation.angle_between(turned * Quat::from_rotation_y(0.8)) < 1e-3);
    let line = "joints start in the middle of their ranges, which exclude 0: shoulder at 0.8000 rad";
    assert_eq!(arm.warnings, [line]);
}

const DAE: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01" name="cm"/><up_axis>Y_UP</up_axis></asset>
<library_images><image id="img"><init_from>paint.png</init_from></image></library_images>
<library_effects><effect id="fx"><profile_COMMON>
  <newparam sid="surface"><surface type="2D"><init_from>img</init_from></surface></newparam>
  <newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
  <technique sid="t"><phong><diffuse><texture texture="sampler" texcoord="uv"/></diffuse></phong></technique></profile_COMMON></effect>
  <effect id="red"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m" name="painted"><instance_effect url="#fx"/></material>
  <material id="n" name="plain"><instance_effect url="#red"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
    <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
  <source id="t"><float_array id="ta" count="8">0 0 1 0 1 1 0 1</float_array>
    <technique_common><accessor source="#ta" count="4" stride="2"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <polylist count="1" material="a"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#t" offset="1" set="0"/>
    <vcount>4</vcount><p>0 0 1 1 2 2 3 3</p></polylist>
  <triangles count="1" material="b"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n1"><translate>0 0 200</translate>
  <instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="a" target="#m"/>
  <instance_material symbol="b" target="#n"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

#[test]
fn collada_files_have_their_units_transforms_and_materials() {
    let file = collada::read(DAE).unwrap();
    let [(quad, painted), (triangle, plain)] = &file.shapes[..] else { panic!("{:?}", file.shapes.len()) };
    assert_eq!((quad.triangles.len(), triangle.triangles.len()), (2, 1));
    assert!(
        quad.positions.iter().any(|p| p.distance(Vec3::new(1.0, 1.0, 2.0)) < 1e-6),
        "{:?}",
        quad.positions
    );
    assert_eq!(quad.normals[0], Vec3::Z);
    assert_eq!(triangle.normals[0], -Vec3::Z);
    // Images have their origin at the top.
    assert_eq!(quad.uvs[0][0], glam::Vec2::Y);
    assert_eq!(file.materials[painted.unwrap()].texture.as_deref(), Some("paint.png"));
    assert_eq!(file.materials[plain.unwrap()].color, Vec4::new(1.0, 0.0, 0.0, 1.0));
}

#[test]
fn damaged_collada_files_are_refused() {
    let cause = |from: &str, to: &str| collada::read(&DAE.replacen(from, to, 1)).unwrap_err();
    assert!(cause("0 2 1", "0 2 9").contains("vertex 9 does not exist; the mesh has "));
    assert!(cause("<vcount>4", "<vcount>9").contains("counts more corners"));
    assert!(cause("0 0 200", "0 0").contains("<translate> has 2 numbers"));
    assert!(cause("0 0 200", "0 0 inf").contains("not finite"));
    assert!(cause("<p>0 2 1", "<p>0 x 1").contains("not a valid number"));
    let nested = "<instance_node url=\"#n1\"/><instance_geometry url=\"#g\">";
    assert!(cause("<instance_geometry url=\"#g\">", nested).contains("nested too deeply"));
    for length in (0..DAE.len()).step_by(7).filter(|length| DAE.is_char_boundary(*length)) {
        assert!(collada::read(&DAE[..length]).is_err(), "{length}");
    }
}

#[test]
fn obj_files_have_groups_by_material() {
    let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1 4/1/1\nusemtl none\nf -4 -3 -2\n";
    let mtl = "newmtl red\nKd 1 0 0\nmap_Kd -s 1 1 1 red.png\n";
    let mut library = |name: &str| if name == "a.mtl" { Ok(mtl.into()) } else { Err("missing".into()) };
    let file = obj::read(text, &mut library).unwrap();
    assert_eq!(
        file.shapes.iter().map(|(s, m)| (s.triangles.len(), *m)).collect::<Vec<_>>(),
        [(2, Some(0)), (1, None)]
    );
    assert_eq!(file.shapes[0].0.positions.len(), 4);
    assert_eq!(file.materials[0].texture.as_deref(), Some("red.png"));
    let cause = |text: &str| obj::read(text, &mut |_| Err("missing".into())).unwrap_err();
    assert_eq!(cause("v 0 0 0\nf 1 2 3\n"), "line 2: index 2 of \"2\" does not exist");
    assert_eq!(cause("v 0 nan 0\n"), "line 1: expected three finite numbers");
    assert_eq!(cause("v 0 0 0\nf 0 1 1\n"), "line 2: index 0 of \"0\" does not exist");
    assert_eq!(cause("v 0 0 0\nf a 1 1\n"), "line 2: \"a\" is not a corner of a polygon");
    assert_eq!(cause("# nothing"), "the file has no triangles");
}

#[test]
fn missing_images_are_warnings_and_packages_are_found() {
    let folder = folder("urdf-packages");
    let (robots, meshes) = (folder.join("robots"), folder.join("elsewhere/meshes"));
    fs::create_dir_all(&robots).unwrap();
    fs::create_dir_all(&meshes).unwrap();
    fs::write(meshes.join("a.dae"), DAE).unwrap();
    let text = r#"<robot name="a"><link name="a"><visual><geometry><mesh filename="package://kit/meshes/a.dae"/></geometry></visual></link></robot>"#;
    let path = robots.join("a.urdf");
    let with = |packages: Packages| {
        let references = References { packages, ..References::default() };
        read_with(text, &path, &references, &Progress::default()).unwrap()
    };
    let missing = with(Packages::new());
    assert!(
        missing.warnings[0].contains("--package kit=FOLDER says where its package is"),
        "{:?}",
        missing.warnings
    );
    let packages: Packages = [("kit".into(), folder.join("elsewhere"))].into();
    let robot = with(packages);
    assert_eq!(robot.meshes[0].primitives.len(), 2);
    let warning = &robot.warnings[..];
    assert!(warning[0].contains("file \"paint.png\" does not exist, so the colour is plain"), "{warning:?}");
    assert_eq!((warning.len(), robot.textures.len()), (1, 0));
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
