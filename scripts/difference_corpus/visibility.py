"""Cameras, a depth buffer, and how far visible vertices move in the image, in double precision."""

import dataclasses

import numpy as np

SIZE = 256
# Maximum relative difference between depths for a vertex on the visible surface.
BIAS = 2e-3


@dataclasses.dataclass
class Camera:
    """A perspective camera. `fov` is vertical, in degrees."""

    position: np.ndarray
    target: np.ndarray
    fov: float = 45.0

    def axes(self):
        back = self.position - self.target
        back = back / np.linalg.norm(back)
        right = np.cross([0.0, 1.0, 0.0], back)
        right /= np.linalg.norm(right)
        return right, np.cross(back, right), back

    def project(self, points):
        """Returns x and y in pixels, and the distance in front of the camera."""
        right, up, back = self.axes()
        offsets = points - self.position
        depth = -(offsets @ back)
        scale = SIZE / 2 / np.tan(np.radians(self.fov) / 2) / np.where(depth > 1e-9, depth, 1e-9)
        x = SIZE / 2 + offsets @ right * scale
        y = SIZE / 2 - offsets @ up * scale
        return np.stack([x, y, depth], 1)

    def pixel(self):
        """Returns the size of a pixel at the target, in metres."""
        return 2 * np.tan(np.radians(self.fov) / 2) * np.linalg.norm(self.position - self.target) / SIZE


def automatic(parts, direction=(0.6, 0.35, 1.0), fov=45.0, closer=1.0):
    """Returns the camera that shows the bounding sphere of the bounding box of all vertices."""
    points = np.concatenate([points for points, _ in parts.values()])
    low, high = points.min(0), points.max(0)
    centre, radius = (low + high) / 2, np.linalg.norm(high - low) / 2
    direction = np.asarray(direction) / np.linalg.norm(direction)
    distance = radius / np.sin(np.radians(fov) / 2) * closer
    return Camera(centre + direction * distance, centre, fov)


def fragments(corners):
    """Returns pixel, triangle and nearness (one over the depth) of all samples at pixel centres. `corners` has the shape (n, 3, 3)."""
    corners = corners.copy()
    xy = corners[:, :, :2]
    edge1, edge2 = xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0]
    area = edge1[:, 0] * edge2[:, 1] - edge1[:, 1] * edge2[:, 0]
    low = np.ceil(xy.min(1) - 0.5).astype(int).clip(0, SIZE)
    high = np.floor(xy.max(1) - 0.5).astype(int).clip(-1, SIZE - 1)
    extent = (high - low + 1).max(1)
    usable = (area != 0) & (high >= low).all(1) & (corners[:, :, 2] > 1e-6).all(1)
    found = []
    for size in (2, 4, 8, 16, 32, 64, 128, 256):
        chosen = np.flatnonzero(usable & (extent <= size) & (extent > (size // 2 if size > 2 else 0)))
        grid = np.stack(np.meshgrid(np.arange(size), np.arange(size)), -1).reshape(-1, 2)
        for start in range(0, len(chosen), max(1, 400_000 // size**2)):
            some = chosen[start : start + max(1, 400_000 // size**2)]
            pixels = low[some, None] + grid
            at = pixels + 0.5
            a, b, c = (xy[some, None, i] for i in range(3))
            cross = lambda u, v: (v[..., 0] - u[..., 0]) * (at[..., 1] - u[..., 1]) - (v[..., 1] - u[..., 1]) * (at[..., 0] - u[..., 0])
            shares = np.stack([cross(b, c), cross(c, a), cross(a, b)], -1) / area[some, None, None]
            inside = (shares >= 0).all(-1) & (pixels <= high[some, None]).all(-1)
            near = (shares / corners[some, None, :, 2]).sum(-1)
            which = np.broadcast_to(some[:, None], inside.shape)
            found.append((pixels[inside] @ [1, SIZE], which[inside], near[inside]))
    return [np.concatenate(columns) if found else np.zeros(0, int) for columns in zip(*found)]


class View:
    """A posed character as a camera sees it."""

    def __init__(self, parts, camera):
        self.camera = camera
        self.parts = {key: camera.project(points) for key, (points, _) in parts.items()}
        corners = [self.parts[key][triangles] for key, (_, triangles) in parts.items()]
        pixel, triangle, near = fragments(np.concatenate(corners))
        self.near = np.zeros(SIZE * SIZE)
        np.maximum.at(self.near, pixel, near)
        drawn = np.zeros(sum(map(len, corners)), bool)
        drawn[triangle[near >= self.near[pixel] * (1 - 1e-9)]] = True
        self.shown, start = {}, 0
        for key, (points, triangles) in parts.items():
            shown = np.zeros(len(points), bool)
            shown[triangles[drawn[start : start + len(triangles)]]] = True
            self.shown[key] = shown
            start += len(triangles)

    def visible(self, key):
        """Returns which vertices are certainly visible: in front, and of a triangle that is drawn."""
        x, y, depth = self.parts[key].T
        column, row = np.floor(x).astype(int), np.floor(y).astype(int)
        inside = (column >= 0) & (row >= 0) & (column < SIZE) & (row < SIZE) & (depth > 0)
        near = self.near[(row.clip(0, SIZE - 1) * SIZE + column.clip(0, SIZE - 1))]
        return self.shown[key] & inside & (1 / np.where(depth > 0, depth, 1) >= near * (1 - BIAS))

    def coverage(self):
        return (self.near > 0).reshape(SIZE, SIZE)


def shifts(before, after):
    """Returns the largest movement of a certainly visible vertex and of a possibly visible one, in pixels."""
    certain, possible = 0.0, 0.0
    for key in before.parts.keys() & after.parts.keys():
        a, b = before.parts[key], after.parts[key]
        if len(a) != len(b):
            continue
        inside = lambda p: (p[:, :2] >= 0).all(1) & (p[:, :2] <= SIZE).all(1)
        distance = np.linalg.norm(a[:, :2] - b[:, :2], axis=1)
        sure = before.visible(key) | after.visible(key)
        maybe = (before.shown[key] | after.shown[key]) & (inside(a) | inside(b)) | sure
        certain = max(certain, distance[sure].max(initial=0.0))
        possible = max(possible, distance[maybe].max(initial=0.0))
    return certain, possible
