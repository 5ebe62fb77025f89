//! Characters.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::sync::Arc;

use sinew::asset::{self, Character, LoadError};

use crate::pointers::{free, give, shared, slice, text, write};
use crate::status::{Failure, SinewStatus, guard, value_or};

/// The name used in messages for a character that was loaded from memory.
const FROM_MEMORY: &str = "<memory>";

/// The nodes, skins, meshes and clips of one file. A character is immutable, so several threads may use it at the same time.
pub struct SinewCharacter {
    pub(crate) character: Arc<Character>,
    pub(crate) origin: Origin,
    node_names: Vec<Option<CString>>,
    clip_names: Vec<Option<CString>>,
}

/// The origin of a character.
#[derive(Clone)]
pub(crate) enum Origin {
    BuiltIn,
    File,
    Memory(Arc<[u8]>),
}

impl SinewCharacter {
    fn new(loaded: Result<Character, LoadError>, origin: Origin) -> Result<Self, Failure> {
        let character = loaded.map_err(|e| Failure::new(SinewStatus::File, e))?;
        // A C string cannot contain NUL.
        let c_name =
            |name: &Option<String>| name.as_ref().and_then(|n| CString::new(n.replace('\0', " ")).ok());
        let node_names = character.skeleton.nodes.iter().map(|node| c_name(&node.name)).collect();
        let clip_names = character.clips.iter().map(|clip| c_name(&clip.name)).collect();
        Ok(Self { character: Arc::new(character), origin, node_names, clip_names })
    }
}

/// Loads a .glb, .gltf, .vrm or .bvh file, and stores the character in `*out`. Free it with `sinew_character_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_load(
    path: *const c_char,
    out: *mut *mut SinewCharacter,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a valid string.
        let path = Path::new(unsafe { text("path", path) }?);
        SinewCharacter::new(asset::load(path), Origin::File)
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Loads a character from the contents of a .glb, .gltf or .vrm file that refers to no other file. The bytes are copied.
/// Stores the character in `*out`. Free it with `sinew_character_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_load_bytes(
    bytes: *const u8,
    byte_count: usize,
    out: *mut *mut SinewCharacter,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes `byte_count` bytes.
        let bytes: Arc<[u8]> = unsafe { slice("bytes", bytes, byte_count) }?.into();
        let loaded = asset::gltf::load_bytes(Path::new(FROM_MEMORY), &bytes, None);
        SinewCharacter::new(loaded, Origin::Memory(bytes))
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Stores the built-in character in `*out`: a stylised human about 1.75 m tall that faces +Z. Free it with `sinew_character_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_mannequin(out: *mut *mut SinewCharacter) -> SinewStatus {
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, || SinewCharacter::new(asset::mannequin(), Origin::BuiltIn)) })
}

/// Frees a character. NULL is ignored. Puppets of the character stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_free(character: *mut SinewCharacter) {
    // SAFETY: the caller passes a character that is not used again.
    unsafe { free(character) }
}

/// Returns the number of nodes, or 0 if `character` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_node_count(character: *const SinewCharacter) -> usize {
    // SAFETY: the caller passes a character.
    value_or(0, || Ok(unsafe { shared("character", character) }?.node_names.len())).0
}

/// Returns the name of a node, or NULL if the node has no name or does not exist. The text belongs to the character.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_node_name(
    character: *const SinewCharacter,
    node: usize,
) -> *const c_char {
    let name = || {
        // SAFETY: the caller passes a character.
        let character = unsafe { shared("character", character) }?;
        name_of(&character.node_names, "node", node)
    };
    value_or(std::ptr::null(), name).0
}

/// Returns the index of the parent of a node, or `SINEW_NONE` if the node is a root or does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_node_parent(character: *const SinewCharacter, node: usize) -> i64 {
    let parent = || {
        // SAFETY: the caller passes a character.
        let nodes = &unsafe { shared("character", character) }?.character.skeleton.nodes;
        let found = nodes.get(node).ok_or_else(|| missing("node", node, nodes.len()))?;
        Ok(found.parent.and_then(|parent| i64::try_from(parent).ok()).unwrap_or(crate::SINEW_NONE))
    };
    value_or(crate::SINEW_NONE, parent).0
}

/// Stores the index of the first node with the given name in `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_find_node(
    character: *const SinewCharacter,
    name: *const c_char,
    out: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a character, a valid string and memory for an index.
        let (character, name) = unsafe { (shared("character", character)?, text("name", name)?) };
        let found = character.character.skeleton.find(name);
        let found = found.ok_or_else(|| Failure::invalid(format_args!("node \"{name}\" does not exist")))?;
        // SAFETY: as above.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Returns the number of clips, or 0 if `character` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_clip_count(character: *const SinewCharacter) -> usize {
    // SAFETY: the caller passes a character.
    value_or(0, || Ok(unsafe { shared("character", character) }?.clip_names.len())).0
}

/// Returns the name of a clip, or NULL if the clip has no name or does not exist. The text belongs to the character.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_clip_name(
    character: *const SinewCharacter,
    clip: usize,
) -> *const c_char {
    let name = || {
        // SAFETY: the caller passes a character.
        let character = unsafe { shared("character", character) }?;
        name_of(&character.clip_names, "clip", clip)
    };
    value_or(std::ptr::null(), name).0
}

/// Returns the duration of a clip in seconds, or 0 if the clip does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_clip_seconds(character: *const SinewCharacter, clip: usize) -> f32 {
    let seconds = || {
        // SAFETY: the caller passes a character.
        let clips = &unsafe { shared("character", character) }?.character.clips;
        Ok(clips.get(clip).ok_or_else(|| missing("clip", clip, clips.len()))?.seconds)
    };
    value_or(0.0, seconds).0
}

/// Stores the index of a clip in `*out`: the first clip with the given name, or the n-th one for `NAME#n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_character_find_clip(
    character: *const SinewCharacter,
    name: *const c_char,
    out: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a character, a valid string and memory for an index.
        let (character, name) = unsafe { (shared("character", character)?, text("name", name)?) };
        let found = character.character.find_clip(name);
        let found = found.ok_or_else(|| Failure::invalid(format_args!("clip \"{name}\" does not exist")))?;
        // SAFETY: as above.
        unsafe { write("out", out, 1, &[found]) }
    })
}

fn name_of(names: &[Option<CString>], kind: &str, index: usize) -> Result<*const c_char, Failure> {
    let name = names.get(index).ok_or_else(|| missing(kind, index, names.len()))?;
    Ok(name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()))
}

/// Returns the failure for an index that does not exist.
pub(crate) fn missing(kind: &str, index: usize, count: usize) -> Failure {
    Failure::invalid(format_args!("{kind} {index} does not exist; there are {count}"))
}
