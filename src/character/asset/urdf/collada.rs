//! Reads COLLADA files (`.dae`, versions 1.4 and 1.5): the triangles of the visual scene in the rest pose, with the colours and images of
//! their materials.
//!
//! The axis that points up is ignored, as in RViz and Pinocchio, because robot descriptions use the axes of these meshes unchanged. The
//! unit of length is applied.

use std::collections::HashMap;

use glam::{Affine3A, Mat4, Quat, Vec2, Vec3, Vec4};
use roxmltree::Node;

use super::geometry;
use super::structure::parse;
use super::surface::{Corner, Corners, MeshFile, Paint, Surface, Values};

/// Maximum depth of nested nodes. Nodes may refer to other nodes, so a node could contain itself.
const MAX_DEPTH: usize = 64;
/// Maximum number of nodes, including instances.
const MAX_NODES: usize = 100_000;

type Element<'a> = Node<'a, 'a>;

/// Reads a file.
///
/// # Errors
/// A message that names the element.
pub(super) fn read(text: &str) -> Result<MeshFile, String> {
    let document = parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err("not a COLLADA file".into());
    }
    let ids = root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let mut reader = Reader {
        ids,
        file: MeshFile::default(),
        known: HashMap::new(),
        corners: Corners::default(),
        nodes: 0,
    };
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit")?.attribute("meter")?.parse().ok());
    let unit = unit.filter(|unit: &f32| unit.is_finite() && *unit > 0.0).unwrap_or(1.0);
    let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let scene = scene.and_then(|instance| reader.refers(instance, "url"));
    let scene = scene.or_else(|| child(child(root, "library_visual_scenes")?, "visual_scene"));
    let scene = scene.ok_or("the file has no visual scene")?;
    for node in children(scene, "node") {
        reader.node(node, Affine3A::from_scale(Vec3::splat(unit)), 0)?;
    }
    if reader.file.shapes.is_empty() { Err("the file has no triangles".into()) } else { Ok(reader.file) }
}

struct Reader<'a> {
    ids: HashMap<&'a str, Element<'a>>,
    file: MeshFile,
    /// The materials that were read, by their ids.
    known: HashMap<&'a str, usize>,
    corners: Corners,
    nodes: usize,
}

impl<'a> Reader<'a> {
    /// Returns the element that an attribute refers to.
    fn refers(&self, node: Element<'a>, attribute: &str) -> Option<Element<'a>> {
        self.ids.get(node.attribute(attribute)?.strip_prefix('#')?).copied()
    }

    /// Adds the geometries of a node and its descendants.
    fn node(&mut self, node: Element<'a>, above: Affine3A, depth: usize) -> Result<(), String> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(format!("{}: nodes are nested too deeply or too many", name(node)));
        }
        let world = above * transform(node)?;
        for element in node.children().filter(Element::is_element) {
            match element.tag_name().name() {
                "node" => self.node(element, world, depth + 1)?,
                "instance_node" => {
                    if let Some(other) = self.refers(element, "url") {
                        self.node(other, world, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(geometry) = self.refers(element, "url") {
                        self.geometry(geometry, element, world)?;
                    }
                }
                // In the rest pose, a skin has the shape of its geometry.
                "instance_controller" => {
                    let skin = self.refers(element, "url").and_then(|controller| child(controller, "skin"));
                    if let Some(geometry) = skin.and_then(|skin| self.refers(skin, "source")) {
                        self.geometry(geometry, element, world)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the material that an instance binds to a symbol. Some files bind no materials and use the material's id as the symbol.
    fn bound(&self, instance: Element<'a>, symbol: &str) -> Option<Element<'a>> {
        let is_binding = |node: &Element<'a>| {
            node.tag_name().name() == "instance_material" && node.attribute("symbol") == Some(symbol)
        };
        let binding = instance.descendants().find(is_binding);
        let target = binding.and_then(|binding| self.refers(binding, "target"));
        target.or_else(|| self.ids.get(symbol).copied())
    }

    /// Adds the polygons of a geometry. `instance` binds its materials.
    fn geometry(
        &mut self,
        geometry: Element<'a>,
        instance: Element<'a>,
        world: Affine3A,
    ) -> Result<(), String> {
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        let at = |cause: String| format!("{}: {cause}", name(geometry));
        for element in mesh.children().filter(Element::is_element) {
            let kind = element.tag_name().name();
            if !["triangles", "polylist", "polygons", "trifans", "tristrips"].contains(&kind) {
                continue;
            }
            let material = element.attribute("material").and_then(|symbol| self.bound(instance, symbol));
            let shape = self.polygons(element, kind).map_err(at)?;
            let Some(mut shape) = shape else { continue };
            geometry::transform(&mut shape, world);
            let material = material.map(|material| self.material(material));
            self.file.shapes.push((shape, material));
        }
        Ok(())
    }

    fn polygons(
        &mut self,
        element: Element<'a>,
        kind: &str,
    ) -> Result<Option<crate::asset::Primitive>, String> {
        let mut inputs = Inputs::default();
        for input in children(element, "input") {
            let offset = input.attribute("offset").and_then(|o| o.parse().ok()).unwrap_or(0_usize);
            inputs.stride = inputs.stride.max(offset.saturating_add(1));
            match input.attribute("semantic") {
                Some("VERTEX") => {
                    let Some(vertices) = self.refers(input, "source") else { continue };
                    inputs.position = Some(offset);
                    for own in children(vertices, "input") {
                        let Some(source) = self.refers(own, "source") else { continue };
                        match own.attribute("semantic") {
                            Some("POSITION") => inputs.positions = vectors(source)?,
                            Some("NORMAL") => {
                                (inputs.normal, inputs.normals) = (Some(offset), vectors(source)?);
                            }
                            Some("TEXCOORD") => (inputs.uv, inputs.uvs) = (Some(offset), pairs(source)?),
                            _ => {}
                        }
                    }
                }
                Some("NORMAL") => {
                    let Some(source) = self.refers(input, "source") else { continue };
                    (inputs.normal, inputs.normals) = (Some(offset), vectors(source)?);
                }
                Some("TEXCOORD") if inputs.uv.is_none() => {
                    let Some(source) = self.refers(input, "source") else { continue };
                    (inputs.uv, inputs.uvs) = (Some(offset), pairs(source)?);
                }
                _ => {}
            }
        }
        let mut surface = Surface::default();
        let mut counts = match child(element, "vcount") {
            Some(counts) => numbers::<usize>(counts)?,
            None => Vec::new(),
        };
        counts.reverse();
        for list in children(element, "p") {
            let indices = numbers::<usize>(list)?;
            let corners = indices.chunks_exact(inputs.stride.max(1)).map(|chunk| inputs.corner(chunk));
            let corners = corners.collect::<Option<Vec<Corner>>>().ok_or("a polygon has no positions")?;
            self.corners.count(corners.len().saturating_mul(3))?;
            let mut rest = corners.as_slice();
            match kind {
                "triangles" => corners.chunks_exact(3).try_for_each(|t| surface.add(t, inputs.values()))?,
                "tristrips" => {
                    for (place, triangle) in corners.windows(3).enumerate() {
                        let &[a, b, c] = triangle else { continue };
                        let turned = if place % 2 == 0 { [a, b, c] } else { [b, a, c] };
                        surface.add(&turned, inputs.values())?;
                    }
                }
                "polylist" => {
                    while let Some(count) = counts.pop() {
                        let Some((polygon, others)) = rest.split_at_checked(count) else {
                            return Err("<vcount> counts more corners than there are".into());
                        };
                        surface.add(polygon, inputs.values())?;
                        rest = others;
                    }
                }
                _ => surface.add(&corners, inputs.values())?,
            }
        }
        Ok(surface.finish())
    }

    /// Returns the index of a material, which is read on first use.
    fn material(&mut self, material: Element<'a>) -> usize {
        let id = material.attribute("id").unwrap_or_default();
        if let Some(known) = self.known.get(id) {
            return *known;
        }
        let effect = child(material, "instance_effect").and_then(|instance| self.refers(instance, "url"));
        let diffuse = effect.and_then(|effect| {
            let shading = ["phong", "lambert", "blinn", "constant"];
            let model = effect.descendants().find(|node| shading.contains(&node.tag_name().name()))?;
            child(model, "diffuse").or_else(|| child(model, "emission"))
        });
        let color = diffuse.and_then(|diffuse| numbers::<f32>(child(diffuse, "color")?).ok());
        let color = match color.as_deref() {
            Some([r, g, b, ..]) => Vec4::new(*r, *g, *b, 1.0).clamp(Vec4::ZERO, Vec4::ONE),
            _ => Vec4::ONE,
        };
        let texture = diffuse.zip(effect).and_then(|(diffuse, effect)| {
            self.image(child(diffuse, "texture")?.attribute("texture")?, effect)
        });
        let index = self.file.materials.len();
        let name = material.attribute("name").unwrap_or(id).to_owned();
        self.file.materials.push(Paint { name, color, texture });
        self.known.insert(id, index);
        index
    }

    /// Returns the path of a texture's image. A texture refers to its image either directly or through a sampler and a surface.
    fn image(&self, texture: &str, effect: Element<'a>) -> Option<String> {
        let parameter = |id: &str| effect.descendants().find(|node| node.attribute("sid") == Some(id));
        let text = |node: Element<'a>, name: &str| {
            let found = node.descendants().find(|child| child.tag_name().name() == name)?;
            found.text().map(str::trim).filter(|text| !text.is_empty())
        };
        let surface = parameter(texture).and_then(|sampler| text(sampler, "source")).and_then(parameter);
        let direct = parameter(texture)
            .and_then(|sampler| sampler.descendants().find_map(|node| self.refers(node, "url")));
        let id = surface.and_then(|surface| text(surface, "init_from")).unwrap_or(texture);
        let image = direct.or_else(|| self.ids.get(id).copied())?;
        text(image, "ref").or_else(|| text(image, "init_from")).map(Into::into)
    }
}

/// The attributes of a list of polygons, and the offset of each attribute's index within a corner.
#[derive(Default)]
struct Inputs {
    stride: usize,
    position: Option<usize>,
    normal: Option<usize>,
    uv: Option<usize>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
}

impl Inputs {
    fn values(&self) -> Values<'_> {
        Values { positions: &self.positions, normals: &self.normals, uvs: &self.uvs }
    }

    fn corner(&self, indices: &[usize]) -> Option<Corner> {
        let at = |offset: Option<usize>| indices.get(offset?).copied();
        Some(Corner { position: at(self.position)?, normal: at(self.normal), uv: at(self.uv) })
    }
}

fn children<'a>(node: Element<'a>, name: &str) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn child<'a>(node: Element<'a>, name: &str) -> Option<Element<'a>> {
    children(node, name).next()
}

/// Returns the name of an element for messages.
fn name(node: Element<'_>) -> String {
    let id = node.attribute("id").or_else(|| node.attribute("name")).unwrap_or_default();
    format!("<{}> \"{id}\"", node.tag_name().name())
}

/// Returns the numbers of an element. Files wrap them over many lines.
fn numbers<T: std::str::FromStr>(node: Element<'_>) -> Result<Vec<T>, String> {
    let text = node.text().unwrap_or_default();
    let parse = |word: &str| {
        word.parse().map_err(|_| format!("<{}>: \"{word}\" is not a valid number", node.tag_name().name()))
    };
    text.split_ascii_whitespace().map(parse).collect()
}

fn rows<const N: usize>(source: Element<'_>) -> Result<Vec<[f32; N]>, String> {
    let Some(array) = child(source, "float_array") else { return Ok(Vec::new()) };
    let accessor = source.descendants().find(|node| node.tag_name().name() == "accessor");
    let attribute = |name: &str| accessor.and_then(|a| a.attribute(name)?.parse::<usize>().ok());
    let (stride, offset) = (attribute("stride").unwrap_or(N).max(1), attribute("offset").unwrap_or(0));
    let values = numbers::<f32>(array)?;
    let values = values.get(offset..).unwrap_or_default();
    let row = |chunk: &[f32]| chunk.get(..N).and_then(|row| row.try_into().ok());
    Ok(values.chunks_exact(stride).filter_map(row).collect())
}

fn vectors(source: Element<'_>) -> Result<Vec<Vec3>, String> {
    Ok(rows::<3>(source)?.into_iter().map(Vec3::from).collect())
}

fn pairs(source: Element<'_>) -> Result<Vec<Vec2>, String> {
    Ok(rows::<2>(source)?.into_iter().map(Vec2::from).collect())
}

/// Returns the transform of a node: the product of its elements in order.
fn transform(node: Element<'_>) -> Result<Affine3A, String> {
    let mut product = Affine3A::IDENTITY;
    for element in node.children().filter(Element::is_element) {
        let kind = element.tag_name().name();
        if !["matrix", "translate", "rotate", "scale"].contains(&kind) {
            continue;
        }
        let values = numbers::<f32>(element)?;
        let own = match (kind, values.as_slice()) {
            ("matrix", values) if values.len() == 16 => {
                let columns: [f32; 16] = std::array::from_fn(|i| values.get(i).copied().unwrap_or_default());
                Affine3A::from_mat4(Mat4::from_cols_array(&columns).transpose())
            }
            ("translate", &[x, y, z]) => Affine3A::from_translation(Vec3::new(x, y, z)),
            ("rotate", &[x, y, z, degrees]) => {
                let axis = Vec3::new(x, y, z).try_normalize();
                let turn =
                    axis.map_or(Quat::IDENTITY, |axis| Quat::from_axis_angle(axis, degrees.to_radians()));
                Affine3A::from_quat(turn)
            }
            ("scale", &[x, y, z]) => Affine3A::from_scale(Vec3::new(x, y, z)),
            _ => return Err(format!("{}: <{kind}> has {} numbers", name(node), values.len())),
        };
        product *= own;
    }
    if product.is_finite() {
        Ok(product)
    } else {
        Err(format!("{}: the transform is not finite", name(node)))
    }
}
