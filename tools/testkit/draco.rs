//! Compresses meshes with Draco.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, GeometryAttributeType, Mesh, MeshEncoder, PointAttribute,
    PointIndex,
};

/// Values of an attribute that is compressed.
pub enum Values {
    /// Floats, quantised to this number of bits, or stored exactly if it is 0.
    Floats(Vec<f32>, i32),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Unsigned 16-bit integers.
    Shorts(Vec<u16>),
}

/// An attribute that is compressed. Its identifier is its position in the list.
pub struct Attribute {
    /// The kind of prediction.
    pub kind: GeometryAttributeType,
    /// Components per vertex.
    pub width: u8,
    /// All components of all vertices.
    pub values: Values,
}

/// Compresses a mesh, with or without the edgebreaker, at a speed from 0 (smallest) to 10.
pub fn encode(triangles: &[[u32; 3]], attributes: &[Attribute], edgebreaker: bool, speed: i32) -> Vec<u8> {
    let mut mesh = Mesh::new();
    let mut options = EncoderOptions::new();
    options.set_encoding_method(i32::from(edgebreaker));
    options.set_global_int("encoding_speed", speed);
    options.set_global_int("decoding_speed", speed);
    for (id, a) in attributes.iter().enumerate() {
        let (data_type, bytes, bits) = match &a.values {
            Values::Floats(v, bits) => {
                (DataType::Float32, v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(), *bits)
            }
            Values::Bytes(v) => (DataType::Uint8, v.clone(), 0),
            Values::Shorts(v) => (DataType::Uint16, v.iter().flat_map(|x| x.to_le_bytes()).collect(), 0),
        };
        let count = bytes.len() / data_type.byte_length() / usize::from(a.width);
        let mut attribute = PointAttribute::new();
        attribute.init(a.kind, a.width, data_type, false, count);
        attribute.buffer_mut().write(0, &bytes);
        mesh.set_num_points(count);
        mesh.add_attribute(attribute);
        options.set_attribute_quantization(i32::try_from(id).unwrap(), bits);
    }
    triangles.iter().for_each(|t| mesh.add_face(t.map(PointIndex)));
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut bytes = EncoderBuffer::new();
    encoder.encode(&options, &mut bytes).unwrap();
    bytes.data().to_vec()
}
