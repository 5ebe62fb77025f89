"""Reads and writes glTF files, so that single values of them can be changed."""

import base64
import json
import pathlib
import struct
import urllib.parse

import numpy as np

COMPONENTS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Model:
    """A glTF file whose buffers and images are combined in one buffer."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        chunk = b""
        if data[:4] == b"glTF":
            length = struct.unpack_from("<I", data, 12)[0]
            self.json = json.loads(data[20 : 20 + length])
            chunk = data[28 + length :]
        else:
            self.json = json.loads(data)
        folder = pathlib.Path(path).parent
        self.data = bytearray()
        starts = []
        for buffer in self.json.get("buffers", []):
            content = uri_bytes(folder, buffer["uri"]) if "uri" in buffer else chunk
            starts.append(self._append(content[: buffer["byteLength"]]))
        for view in self.json.get("bufferViews", []):
            view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
            view["buffer"] = 0
        for image in self.json.get("images", []):
            if "uri" in image and (image["uri"].startswith("data:") or (folder / image["uri"]).exists()):
                uri = image.pop("uri")
                image["bufferView"] = self.add_view(uri_bytes(folder, uri))
                image["mimeType"] = "image/jpeg" if uri.split(";")[0].lower().endswith(("jpg", "jpeg")) else "image/png"

    def copy(self):
        other = object.__new__(Model)
        other.json = json.loads(json.dumps(self.json))
        other.data = bytearray(self.data)
        return other

    def __getitem__(self, key):
        return self.json.setdefault(key, [])

    def _append(self, content):
        self.data += bytes(-len(self.data) % 4)
        start = len(self.data)
        self.data += content
        return start

    def add_view(self, content):
        """Appends bytes and returns the index of their view."""
        self["bufferViews"].append({"buffer": 0, "byteOffset": self._append(content), "byteLength": len(content)})
        return len(self["bufferViews"]) - 1

    def view(self, index):
        view = self["bufferViews"][index]
        return bytes(self.data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]])

    def raw(self, index):
        """Returns the stored numbers of an accessor, as an array of shape (count, width)."""
        accessor = self["accessors"][index]
        dtype, width = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        count = accessor["count"]
        if "bufferView" in accessor:
            out = self._strided(accessor["bufferView"], accessor.get("byteOffset", 0), count, dtype, width)
        else:
            out = np.zeros((count, width), dtype)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            at, values = sparse["indices"], sparse["values"]
            kind = np.dtype(COMPONENTS[at["componentType"]])
            places = self._strided(at["bufferView"], at.get("byteOffset", 0), sparse["count"], kind, 1)[:, 0]
            out[places] = self._strided(values["bufferView"], values.get("byteOffset", 0), sparse["count"], dtype, width)
        return out

    def _strided(self, view, offset, count, dtype, width):
        view = self["bufferViews"][view]
        stride = view.get("byteStride") or dtype.itemsize * width
        start = view["byteOffset"] + offset
        return np.ndarray((count, width), dtype, self.data, start, (stride, dtype.itemsize)).copy()

    def array(self, index):
        """Returns the numbers of an accessor in double precision, with normalised integers as fractions."""
        raw, accessor = self.raw(index), self["accessors"][index]
        out = raw.astype(np.float64)
        if accessor.get("normalized") and raw.dtype.kind in "iu":
            out = np.maximum(out / np.iinfo(raw.dtype).max, -1.0)
        return out

    def add(self, array, normalized=False, target=None):
        """Appends an accessor and returns its index."""
        array = np.ascontiguousarray(array)
        array = array.reshape(len(array), -1)
        component = next(number for number, dtype in COMPONENTS.items() if dtype == array.dtype)
        accessor = {
            "bufferView": self.add_view(array.tobytes()),
            "componentType": component,
            "count": len(array),
            "type": KINDS[array.shape[1]],
        }
        if target:
            self["bufferViews"][-1]["target"] = target
        if normalized:
            accessor["normalized"] = True
        if array.dtype == np.float32 and array.shape[1] == 3:
            accessor |= {"min": array.min(0).tolist(), "max": array.max(0).tolist()}
        self["accessors"].append(accessor)
        return len(self["accessors"]) - 1

    def write(self, path):
        """Writes a GLB file, or a .gltf file with a .bin file beside it."""
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {key: value for key, value in self.json.items() if value != []}
        document["buffers"] = [{"byteLength": len(self.data)}]
        if path.suffix == ".gltf":
            document["buffers"][0]["uri"] = path.stem + ".bin"
            path.with_suffix(".bin").write_bytes(self.data)
            path.write_text(json.dumps(document, indent=1))
            return
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + bytes(-len(self.data) % 4)
        head = struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A)
        path.write_bytes(head + text + struct.pack("<II", len(data), 0x004E4942) + data)


def uri_bytes(folder, uri):
    if uri.startswith("data:"):
        return base64.b64decode(uri.split(",", 1)[1])
    return (folder / urllib.parse.unquote(uri)).read_bytes()
