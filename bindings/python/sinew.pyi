"""Inverse kinematics for robots and characters, and skinning.

Coordinates are right-handed with +Y up. Lengths are in metres, angles in radians, and times in seconds. Quaternions are
unit quaternions in the order x, y, z, w, as in glTF. Matrices map column vectors (``world = matrix @ local``).
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Body",
    "Character",
    "Clearance",
    "Clip",
    "Error",
    "Goal",
    "GoalReport",
    "Limit",
    "Link",
    "Mesh",
    "Node",
    "Obstacle",
    "Part",
    "Pose",
    "Puppet",
    "Renderer",
    "Report",
    "Robot",
    "RobotSolutions",
    "Solutions",
    "Target",
    "Trajectory",
    "__version__",
    "load",
    "mannequin",
    "methods",
    "solve_many",
]
__version__: str

_Vector = tuple[float, float, float]
_Quaternion = tuple[float, float, float, float]
_Capsule = tuple[str, _Vector, _Vector, float]
_Options = Mapping[str, bool | int | float | str | None]
_Skinning = Literal["linear", "dual-quaternion"]
_Redundancy = Literal["nearest", "rest", "centres", "manipulability"]

class Error(ValueError):
    """The reason why something could not be loaded, solved, drawn or written. The message is one line."""

def load(file: str | os.PathLike[str] | bytes, *, units: float | None = None) -> Character:
    """Loads a character from a path, or from the bytes of a .glb, .gltf or .vrm file.

    The path may also name a .bvh file. `units` is the length of a BVH unit in metres. None means that sinew estimates the length.
    """
def mannequin() -> Character:
    """Returns the built-in character, a stylised human about 1.75 m tall that faces +Z."""
def methods() -> list[str]:
    """Returns the names of the solver methods."""
def solve_many(
    body: Body,
    targets: ArrayLike | None,
    *,
    links: int | Sequence[int] | None = None,
    orientations: ArrayLike | None = None,
    starts: ArrayLike | None = None,
    method: str = "auto",
    tolerance: float | None = None,
    iterations: int | None = None,
    options: _Options | None = None,
) -> Solutions:
    """Solves copies of a body for many targets, in parallel. The body itself is not changed.

    The goals are for `links`, by default the last link. `targets` are world positions in metres, of shape (n, 3) for one link and
    (n, goals, 3) for a list of links. They may be None if there are orientations. `orientations` are quaternions (x, y, z, w) of shape (n, 4)
    or (n, goals, 4). Every solve starts from the pose of the body, or from the local rotations `starts` of shape (n, links, 4). The results
    are bit-identical to the results of `Body.solve`.
    """

@final
class Limit:
    """The type of a joint and its range of rotations or displacements from the rest pose. Angles are in radians, and axes are in the
    joint's rest frame. Axes may have any length except zero.
    """
    @staticmethod
    def free() -> Limit:
        """Any rotation."""
    @staticmethod
    def locked() -> Limit:
        """No rotation."""
    @staticmethod
    def hinge(axis: ArrayLike, min: float = ..., max: float = ...) -> Limit:
        """A rotation about one axis, between two angles."""
    @staticmethod
    def prismatic(axis: ArrayLike, min: float, max: float) -> Limit:
        """A displacement along one axis, between two lengths in metres, and no rotation."""
    @staticmethod
    def cone(
        axis: ArrayLike, side: ArrayLike, swing: tuple[float, float], twist: tuple[float, float] = ...
    ) -> Limit:
        """A swing of at most `swing` about each of two axes perpendicular to `axis`, and a twist about `axis` within
        `twist`. The first swing axis is the part of `side` that is perpendicular to `axis`.
        """
    @staticmethod
    def euler(order: str, min: Sequence[float], max: Sequence[float]) -> Limit:
        """A range for each of three Euler angles. `order` is one of xyz, xzy, yxz, yzx, zxy and zyx."""

@final
class Link:
    """A joint of a `Body` and its offset from its parent.

    The first link of a body is its base and has no parent. The parent of every other link precedes it. `offset` is the
    position in the parent's frame in metres, `rest` is the local rotation in the rest pose as a quaternion (x, y, z, w), and `scale` is the
    scale of all its descendants. A link of `weight` 0 never turns.
    """
    def __new__(
        cls,
        parent: int | None = None,
        offset: ArrayLike | None = None,
        *,
        rest: ArrayLike | None = None,
        limit: Limit | None = None,
        weight: float = 1.0,
        scale: ArrayLike | None = None,
    ) -> Link: ...
    @property
    def parent(self) -> int | None:
        """Index of the parent, or None for the base."""
    @property
    def offset(self) -> _Vector:
        """Position in the parent's frame in metres."""
    @property
    def rest(self) -> _Quaternion:
        """Local rotation in the rest pose, a quaternion (x, y, z, w)."""
    @property
    def scale(self) -> _Vector:
        """Scale factors of all descendants."""
    @property
    def limit(self) -> Limit:
        """Type and range of the joint."""
    @property
    def weight(self) -> float:
        """Willingness to turn. A link of weight 0 never turns."""
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...

@final
class Goal:
    """A goal for one link of a `Body`, in world space.

    `position` is the target position of the point `offset` of the link, and `orientation` is a quaternion (x, y, z, w). The axis `aim_axis`
    of the link must point at the position `aim_at`. The limb that ends at the link bends towards `pole`. A goal can combine all of these.
    `weight` is relative to the other goals, and `pinned` goals have priority over the others.
    """
    def __new__(
        cls,
        link: int,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        *,
        aim_axis: ArrayLike | None = None,
        aim_at: ArrayLike | None = None,
        pole: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        weight: float = 1.0,
        pinned: bool = False,
    ) -> Goal: ...
    @property
    def link(self) -> int:
        """Index of the link."""
    @property
    def position(self) -> _Vector | None:
        """World position of the point `offset` of the link in metres, or None."""
    @property
    def orientation(self) -> _Quaternion | None:
        """World orientation of the link as a unit quaternion (x, y, z, w), or None."""
    @property
    def aim_axis(self) -> _Vector | None:
        """Axis of the link that points at `aim_at`, or None."""
    @property
    def aim_at(self) -> _Vector | None:
        """World position at which `aim_axis` points in metres, or None."""
    @property
    def pole(self) -> _Vector | None:
        """World position towards which the limb bends in metres, or None."""
    @property
    def offset(self) -> _Vector:
        """Point of the link that reaches `position`, in the link's frame in metres."""
    @property
    def weight(self) -> float:
        """Weight relative to the other goals."""
    @property
    def pinned(self) -> bool:
        """Whether the goal has priority over goals that are not pinned."""
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...

@final
class Report:
    """The result of `Body.solve`. Errors are measured on the returned pose. Each list has one entry for each goal."""
    @property
    def reached(self) -> bool:
        """Whether every goal is within tolerance."""
    @property
    def method(self) -> str:
        """The method that found the pose."""
    @property
    def iterations(self) -> int:
        """Number of iterations."""
    @property
    def outcomes(self) -> list[str]:
        """`reached`, `out-of-reach`, `blocked-by-limits`, `blocked-by-balance`, `blocked-by-contact`, `stalled` or `iteration-limit`."""
    @property
    def position_errors(self) -> list[float | None]:
        """Distances from the target positions in metres. None for a goal without a position."""
    @property
    def orientation_errors(self) -> list[float | None]:
        """Orientation or aim errors in radians. None for a goal with neither."""
    @property
    def limited(self) -> list[int]:
        """The links at their limits."""

@final
class Body:
    """A tree of links with a pose that can be solved for goals. It starts in its rest pose.

    `world_from_base` is an affine 4×4 matrix that maps the parent space of the base to the world.
    """
    def __new__(cls, links: Sequence[Link], *, world_from_base: ArrayLike | None = None) -> Body: ...
    @staticmethod
    def chain(offsets: ArrayLike, *, limits: Sequence[Limit] | None = None) -> Body:
        """Creates a chain in which every link is the parent of the next one. `offsets` has the shape (links, 3). Each row is the
        position of a link in the frame of the previous one, in metres. The first row is the world position of the base.
        """
    @property
    def links(self) -> list[Link]:
        """The links, base first."""
    @property
    def rotations(self) -> NDArray[np.float64]:
        """The local rotations as an array of quaternions (x, y, z, w), with the shape (links, 4)."""
    @rotations.setter
    def rotations(self, value: ArrayLike) -> None: ...
    @property
    def displacements(self) -> NDArray[np.float64]:
        """The displacements of prismatic joints in metres as an array of shape (links,). Other joints have 0."""
    @displacements.setter
    def displacements(self, value: ArrayLike) -> None: ...
    @property
    def root(self) -> NDArray[np.float64]:
        """The translation by which solves with the option `root_motion` have moved the base, as an array of shape (3,)."""
    @root.setter
    def root(self, value: ArrayLike) -> None: ...
    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of the links in metres as an array of shape (links, 3)."""
    @property
    def orientations(self) -> NDArray[np.float64]:
        """The world orientations of the links as an array of quaternions (x, y, z, w), with the shape (links, 4)."""
    @property
    def world_matrices(self) -> NDArray[np.float64]:
        """The `world_from_link` matrices as an array of shape (links, 4, 4)."""
    def reset(self) -> None:
        """Resets the body to its rest pose."""
    def copy(self) -> Body:
        """Returns an independent copy in the same pose."""
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def __copy__(self) -> Body: ...
    def __deepcopy__(self, _memo: Any) -> Body: ...
    def __len__(self) -> int: ...
    def solve(
        self,
        goals: Sequence[Goal],
        *,
        method: str = "auto",
        tolerance: float | None = None,
        iterations: int | None = None,
        options: _Options | None = None,
    ) -> Report:
        """Moves the links so that the goals are met as closely as the method can meet them. The body is then in the solved pose. The
        result depends only on the current pose, the goals and the options.

        `tolerance` is in metres, and None means a ten-thousandth of the length of the longest chain. `options` maps the
        keys of the solver options to values, for example `{"ccd.step": "5deg"}`.
        """

@final
class Solutions:
    """The results of `solve_many`. The first axis of each array corresponds to the targets."""
    @property
    def rotations(self) -> NDArray[np.float64]:
        """Local rotations, quaternions (x, y, z, w), shape (n, links, 4)."""
    @property
    def errors(self) -> NDArray[np.float64]:
        """The largest distance from a target position in metres, shape (n,). NaN without target positions."""
    @property
    def orientation_errors(self) -> NDArray[np.float64]:
        """The largest orientation error in radians, shape (n,). NaN without target orientations."""
    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether all goals are within tolerance, shape (n,)."""
    @property
    def iterations(self) -> NDArray[np.int64]:
        """Number of iterations, shape (n,)."""
    @property
    def roots(self) -> NDArray[np.float64]:
        """Translations of the base in metres, shape (n, 3). Zero without the option `root_motion`."""
    @property
    def displacements(self) -> NDArray[np.float64]:
        """Displacements of prismatic joints in metres, shape (n, links)."""
    def __len__(self) -> int: ...

@final
class Robot:
    """A robot, read from a URDF file. `q` has one value for each joint that moves independently, in the order of `joint_names`: radians for
    hinges, metres for slides. Everything is in the robot's frame, the frame of its root link, with +Z up.

    Arrays of joint values have the shape (joints,) or (n, joints), and results have the same leading axis.
    """
    def __new__(cls, file: str | os.PathLike[str]) -> Robot: ...
    @staticmethod
    def from_urdf(text: str) -> Robot:
        """Reads the text of a URDF file."""
    @property
    def name(self) -> str:
        """The name of the robot."""
    @property
    def joint_names(self) -> list[str]:
        """The names of the joints, in the order of `q`."""
    @property
    def units(self) -> list[Literal["rad", "m"]]:
        """The units of the joints, "rad" or "m"."""
    @property
    def lower(self) -> NDArray[np.float64]:
        """The smallest joint values, shape (joints,). Minus infinity for continuous joints."""
    @property
    def upper(self) -> NDArray[np.float64]:
        """The largest joint values, shape (joints,). Infinity for continuous joints."""
    @property
    def velocity(self) -> NDArray[np.float64]:
        """The largest speeds in radians or metres per second, shape (joints,). Infinity where the file has no limit."""
    @property
    def rest(self) -> NDArray[np.float64]:
        """The rest values of the joints, shape (joints,): 0, or the middle of a range that excludes 0."""
    @property
    def link_names(self) -> list[str]:
        """The names of the links. The root is the first one, and parents precede their children."""
    @property
    def tip_names(self) -> list[str]:
        """The names of the links that are moved by joints and have no children."""
    @property
    def mimic_names(self) -> list[str]:
        """The names of the mimic joints, in the order of `mimic_values`."""
    def mimic_values(self, q: ArrayLike) -> NDArray[np.float64]:
        """Returns the values of the mimic joints, shape (..., mimics). Mimic joints follow other joints."""
    @property
    def capsules(self) -> list[_Capsule]:
        """The capsules of the links: the name of the link, the start and the end in metres in the frame of the link, and the radius in metres.
        Empty without collisions.
        """
    @property
    def collision_pairs(self) -> list[tuple[str, str]]:
        """The names of the pairs of links, and of links and obstacles, that must not touch. Empty without collisions."""
    def with_collisions(
        self,
        *,
        meshes: bool | str | os.PathLike[str] | None = None,
        capsules: Sequence[tuple[str | int, ArrayLike, ArrayLike, float]] | None = None,
        srdf: str | os.PathLike[str] | None = None,
        allowed: Sequence[tuple[str, str]] = ...,
        obstacles: Mapping[str, Obstacle] | None = None,
        margin: float = 0.0,
    ) -> Robot:
        """Returns a robot that keeps clear of itself and of obstacles. Its solves, paths and trajectories avoid collisions, and a result that
        collides does not count as reached. Collisions that the robot already has are replaced.

        The links have capsules. `meshes` fits them to the shapes in a URDF file: its path, or True for the file from which the robot was
        read. `capsules` lists them as (link, start, end, radius) instead, with points of shape (3,) in the frame of the link, in metres.
        `obstacles` maps names to obstacles. All pairs keep a distance of at least `margin` metres.

        Links may touch if nothing moves one relative to the other, if they are next to each other, or if their capsules overlap in the rest
        pose. More pairs may touch if they are in the SRDF file with the path `srdf`, or in `allowed`, which contains pairs of names. Obstacles
        may touch links that never move, such as the base.
        """
    def clearance(self, q: ArrayLike) -> Clearance | None:
        """Returns the smallest distance between the shapes of a pose, or None without collisions. `q` has the shape (joints,)."""
    def fk(self, q: ArrayLike, link: str | int | None = None) -> NDArray[np.float64]:
        """Forward kinematics for joint values: returns the transforms of `link`, shape (..., 4, 4), or of all links, shape (..., links, 4, 4)."""
    def jacobian(self, q: ArrayLike, link: str | int, point: ArrayLike | None = None) -> NDArray[np.float64]:
        """Returns the derivative of a point of a link with respect to `q`, shape (..., 6, joints). The rows are the velocity along x, y and z
        and the angular velocity about x, y and z, in the robot's frame. `point` is in the link's frame, in metres.
        """
    def manipulability(self, q: ArrayLike, link: str | int, orientation: bool = True) -> NDArray[np.float64]:
        """Returns the manipulability of a link, shape (...,): the square root of det(J Jᵀ), where J is the Jacobian of its position, and also of
        its orientation if `orientation` is True (Yoshikawa 1985). It is 0 in singular poses and for robots with too few joints.
        """
    def solve(
        self,
        link: str | int,
        positions: ArrayLike | None,
        orientations: ArrayLike | None = None,
        *,
        q0: ArrayLike | None = None,
        method: str = "dls",
        tolerance: float | None = None,
        iterations: int | None = None,
        options: _Options | None = None,
    ) -> RobotSolutions:
        """Returns joint values with which a link reaches its targets. `positions` are in metres, shape (3,) or (n, 3), and `orientations` are
        quaternions (x, y, z, w), shape (4,) or (n, 4), or rotation matrices, shape (3, 3) or (n, 3, 3). Either may be None.

        Every solve starts from `q0`, shape (joints,) or (n, joints), and is independent of the others. The default of `q0` is `rest`. All
        results are within the ranges of the joints. `tolerance` is in metres, and None means a ten-thousandth of the reach. If the robot has
        collisions, the results keep clear of them.
        """
    def follow(
        self,
        link: str | int,
        positions: ArrayLike | None,
        orientations: ArrayLike | None = None,
        *,
        q0: ArrayLike | None = None,
        method: str = "dls",
        tolerance: float | None = None,
        iterations: int | None = None,
        options: _Options | None = None,
    ) -> RobotSolutions:
        """Makes a link follow a path: like `solve`, but each solve starts from the previous result and does not jump. Continuous joints count
        their revolutions. `q0` has the shape (joints,).
        """
    def trajectory(
        self,
        link: str | int,
        positions: ArrayLike | None,
        orientations: ArrayLike | None = None,
        *,
        q0: ArrayLike | None = None,
        method: str = "dls",
        tolerance: float | None = None,
        iterations: int | None = None,
        spacing: float = 0.01,
        turn_spacing: float = 0.05,
        largest_step: float = 0.5,
        speed: float = 1.0,
        default_velocity: float = 1.0,
        redundancy: _Redundancy = "nearest",
        gain: float = 0.05,
        options: _Options | None = None,
    ) -> Trajectory:
        """Returns joint values and times with which a link follows a path of poses. `positions` and `orientations` are the same as for `solve`.
        The first row is found from `q0`, shape (joints,). The joints do not jump between rows, and they respect their velocity limits.

        Intermediate targets lie on straight lines, at most `spacing` metres and `turn_spacing` radians apart. If a joint would move by more
        than `largest_step` radians or metres between two rows, an `Error` is raised. `speed` is the fraction of the velocity limits that the
        joints use, from 0 to 1. Joints without a limit have `default_velocity` in radians or metres per second. Accelerations are not limited.

        `redundancy` is the use of the freedom that the targets leave. Each row is as near as possible to the last one (`nearest`), or the
        joints move towards the rest pose (`rest`), towards the middle of their ranges (`centres`) or away from singular poses
        (`manipulability`). `gain` is the fraction of the way that one iteration applies, from 0 to 1.
        """

@final
class RobotSolutions:
    """The results of `Robot.solve` and `Robot.follow`. If the targets have a leading axis, so does each array."""
    @property
    def q(self) -> NDArray[np.float64]:
        """Joint values within their ranges, shape (n, joints) or (joints,), radians and metres."""
    @property
    def errors(self) -> NDArray[np.float64]:
        """Distances from the target positions in metres, shape (n,). NaN without target positions."""
    @property
    def orientation_errors(self) -> NDArray[np.float64]:
        """Orientation errors in radians, shape (n,). NaN without target orientations."""
    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether all goals are within tolerance and the pose is free of collisions, shape (n,)."""
    @property
    def iterations(self) -> NDArray[np.int64]:
        """Number of iterations, shape (n,)."""
    @property
    def clearances(self) -> NDArray[np.float64]:
        """The smallest distances between shapes in metres, shape (n,). NaN without collisions."""
    def __len__(self) -> int: ...

@final
class Trajectory:
    """The result of `Robot.trajectory`: joint values at times. Between two rows, each joint moves at a constant rate within its velocity
    limit. The arrays are read-only copies.
    """
    @property
    def times(self) -> NDArray[np.float64]:
        """Times in seconds from 0, in ascending order, shape (n,)."""
    @property
    def q(self) -> NDArray[np.float64]:
        """Joint values within their ranges, shape (n, joints), radians and metres."""
    @property
    def reached(self) -> bool:
        """Whether all targets are within tolerance at all rows, and the whole way is free of collisions."""
    @property
    def row_reached(self) -> NDArray[np.bool_]:
        """Whether the target of each row is within tolerance and its pose is free of collisions, shape (n,)."""
    @property
    def poses(self) -> NDArray[np.int64]:
        """The row of each pose of the path, shape (poses,)."""
    @property
    def duration(self) -> float:
        """The time of the last row in seconds."""
    @property
    def clearance(self) -> Clearance | None:
        """The smallest distance on the whole way, also between rows, or None without collisions."""
    def to_csv(self) -> str:
        """Returns the table as CSV. The columns are `time`, the joints, and the mimic joints."""
    def __len__(self) -> int: ...

@final
class Obstacle:
    """A convex shape that a robot must not touch, in the robot's frame. `Robot.with_collisions` takes obstacles with their names."""
    @staticmethod
    def sphere(centre: ArrayLike, radius: float) -> Obstacle:
        """A sphere with a centre of shape (3,) and a radius in metres."""
    @staticmethod
    def capsule(start: ArrayLike, end: ArrayLike, radius: float) -> Obstacle:
        """All points within a radius of a segment, in metres. `start` and `end` have the shape (3,)."""
    @staticmethod
    def box(centre: ArrayLike, size: ArrayLike, rotation: ArrayLike | None = None) -> Obstacle:
        """A box with a centre of shape (3,) and edge lengths of shape (3,), in metres. `rotation` rotates the edges: a quaternion
        (x, y, z, w), shape (4,), or a rotation matrix, shape (3, 3). Without it, the edges are parallel to the axes of the robot's frame.
        """
    @staticmethod
    def hull(points: ArrayLike) -> Obstacle:
        """The smallest convex shape that contains points, which have the shape (n, 3), in metres. The points must not lie in one plane."""
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Clearance:
    """The smallest distance between the shapes of a pose, and the pair that has it."""
    @property
    def distance(self) -> float:
        """The distance between the surfaces in metres. A negative value is the depth of the penetration."""
    @property
    def pair(self) -> tuple[str, str]:
        """The names of a link, and of the link or obstacle that is nearest to it."""
    @property
    def points(self) -> NDArray[np.float64]:
        """The nearest points of the two surfaces in metres in the robot's frame, shape (2, 3)."""
    @property
    def normal(self) -> NDArray[np.float64]:
        """Unit vector in the robot's frame from the second surface to the first, shape (3,)."""
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Node:
    """A node of a character: a joint, a node with a mesh, or a group. Translation, rotation (x, y, z, w) and scale are as in
    the file, in the space of the parent.
    """
    @property
    def index(self) -> int:
        """Index of the node."""
    @property
    def name(self) -> str | None:
        """Name of the node, or None."""
    @property
    def parent(self) -> int | None:
        """Index of the parent, or None for a root."""
    @property
    def translation(self) -> _Vector:
        """Translation in the space of the parent in metres, as in the file."""
    @property
    def rotation(self) -> _Quaternion:
        """Rotation in the space of the parent, a quaternion (x, y, z, w), as in the file."""
    @property
    def scale(self) -> _Vector:
        """Scale factors, as in the file."""
    @property
    def is_joint(self) -> bool:
        """Whether a skin of the character contains the node."""

@final
class Clip:
    """An animation clip of a character."""
    @property
    def index(self) -> int:
        """Index of the clip."""
    @property
    def name(self) -> str | None:
        """Name of the clip, or None."""
    @property
    def seconds(self) -> float:
        """Duration in seconds."""

@final
class Pose:
    """The local transforms of all nodes of a character, and its morph weights.

    `translations` are in metres, shape (nodes, 3), `rotations` are quaternions (x, y, z, w), shape (nodes, 4), `scales` have the shape
    (nodes, 3), and `weights` are the morph weights. The arrays are read-only copies. To change a pose, assign a whole array: `pose.rotations = rotations`.
    """
    def __new__(
        cls, translations: ArrayLike, rotations: ArrayLike, scales: ArrayLike, weights: ArrayLike
    ) -> Pose: ...
    def __getnewargs__(self) -> tuple[NDArray[np.float32], ...]: ...
    @property
    def translations(self) -> NDArray[np.float32]:
        """Translations in the space of the parent in metres, shape (nodes, 3), float32."""
    @translations.setter
    def translations(self, value: ArrayLike) -> None: ...
    @property
    def rotations(self) -> NDArray[np.float32]:
        """Rotations, quaternions (x, y, z, w), shape (nodes, 4), float32. They are normalised when they are assigned."""
    @rotations.setter
    def rotations(self, value: ArrayLike) -> None: ...
    @property
    def scales(self) -> NDArray[np.float32]:
        """Scale factors, shape (nodes, 3), float32."""
    @scales.setter
    def scales(self, value: ArrayLike) -> None: ...
    @property
    def weights(self) -> NDArray[np.float32]:
        """Morph weights of all nodes and other animated numbers, in the order of the file, float32."""
    @weights.setter
    def weights(self, value: ArrayLike) -> None: ...
    def copy(self) -> Pose:
        """Returns an independent copy."""
    def __copy__(self) -> Pose: ...
    def __deepcopy__(self, _memo: Any) -> Pose: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __len__(self) -> int: ...
    __hash__: None  # type: ignore[assignment]

@final
class Part:
    """A primitive on a node, which is skinned and drawn as a unit. The arrays are as in the file, before skinning."""
    @property
    def index(self) -> int:
        """Index of the part."""
    @property
    def node(self) -> int:
        """Index of the node."""
    @property
    def is_skinned(self) -> bool:
        """Whether joints deform the part. Otherwise, it moves rigidly with its node."""
    @property
    def skin_nodes(self) -> list[int]:
        """Node indices of the joints that `joints` refers to. For a rigid part, the index of its node."""
    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions in metres, shape (vertices, 3), float32."""
    @property
    def normals(self) -> NDArray[np.float32]:
        """Unit normals, shape (vertices, 3), float32. The first axis has length 0 if the file has none."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Vertex indices, shape (triangles, 3), uint32, counter-clockwise as seen from outside."""
    @property
    def joints(self) -> NDArray[np.uint16]:
        """Indices into `skin_nodes` of the joints that move a vertex, shape (vertices, 4 or 8), uint16. The second axis has length 0
        for a rigid part.
        """
    @property
    def weights(self) -> NDArray[np.float32]:
        """Weights of the joints, shape (vertices, 4 or 8), float32. The weights of a vertex sum to one."""
    @property
    def morph_targets(self) -> NDArray[np.float32]:
        """Displacements by each morph target at weight 1 before skinning, in metres, shape (targets, vertices, 3), float32."""
    @property
    def morph_weights(self) -> tuple[int, int]:
        """The start and the end of the part's morph weights in `Pose.weights`."""

@final
class Mesh:
    """Skinned vertices in world space."""
    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions in metres, shape (vertices, 3), float32."""
    @property
    def normals(self) -> NDArray[np.float32] | None:
        """Unit normals, shape (vertices, 3), float32, or None if a part has none."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Vertex indices, shape (triangles, 3), uint32, counter-clockwise as seen from outside."""

@final
class Character:
    """A character: the nodes, skins, meshes, materials and clips of one file. It does not change. `sinew.load` and
    `sinew.mannequin` create it.
    """
    @property
    def path(self) -> os.PathLike[str]:
        """Path of the file, or a description if the character is built in or was loaded from bytes."""
    @property
    def nodes(self) -> list[Node]:
        """All nodes, in the order of the file."""
    @property
    def joints(self) -> list[Node]:
        """The nodes that move the skin."""
    @property
    def clips(self) -> list[Clip]:
        """The animation clips."""
    @property
    def parts(self) -> list[Part]:
        """The surfaces that the default scene shows."""
    @property
    def warnings(self) -> list[str]:
        """Problems in the file and how they were handled, one line each."""
    def find(self, name: str) -> int:
        """Returns the index of the first node with this name."""
    def with_clips(self, source: Character) -> Character:
        """Returns a copy of the character to which the clips of another one, for example of a .bvh file, are added. The clips are retargeted:
        they fit this character's proportions and rest pose, and feet that stand on the ground stay in place. A clip without a name is
        named after its file. If the name of a clip is in use, the file's name is put in front of it.
        """
    def rest(self) -> Pose:
        """Returns the rest pose of the file."""
    def sample(self, clip: int | str, time: float, *, base: Pose | None = None) -> Pose:
        """Samples a clip at a time in seconds. Outside its keys, a clip holds its first or last key. Values that the clip does not animate
        come from the pose `base`, or from the rest pose.
        """
    def world_matrices(self, pose: Pose) -> NDArray[np.float32]:
        """Returns the `world_from_node` matrices of a pose, shape (nodes, 4, 4), float32."""
    def skin_matrices(self, pose: Pose, part: int) -> NDArray[np.float32]:
        """Returns the skin matrices `world_from_mesh` of a part in a pose, one for each of its `skin_nodes`, shape
        (joints, 4, 4), float32.
        """
    def skin(self, pose: Pose, *, part: int | None = None, method: _Skinning = "linear") -> Mesh:
        """Skins a part on the CPU, or all parts one after the other. `method` is `linear` or `dual-quaternion`."""

@final
class Target:
    """Goals for one node of a `Puppet`, in world space. `node` and `base` are names or indices.

    `position` is the target position of the point `offset` of the node, and `orientation` is a quaternion (x, y, z, w). The node's forward
    axis must point at the position `look`. The limb that ends at the node bends towards `pole`. `base` is the node that stays fixed.
    Without a base, a recognised body follows the target as a whole.
    """
    def __new__(
        cls,
        node: int | str,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        *,
        look: ArrayLike | None = None,
        pole: ArrayLike | None = None,
        base: int | str | None = None,
        offset: ArrayLike | None = None,
        weight: float = 1.0,
    ) -> Target: ...
    @property
    def node(self) -> int | str:
        """Name or index of the node."""
    @property
    def base(self) -> int | str | None:
        """Name or index of the node that stays fixed, or None."""
    @property
    def position(self) -> _Vector | None:
        """World position of the point `offset` of the node in metres, or None."""
    @property
    def orientation(self) -> _Quaternion | None:
        """World orientation of the node as a unit quaternion (x, y, z, w), or None."""
    @property
    def look(self) -> _Vector | None:
        """World position at which the node's forward axis points in metres, or None."""
    @property
    def pole(self) -> _Vector | None:
        """World position towards which the limb bends in metres, or None."""
    @property
    def offset(self) -> _Vector:
        """Point of the node that reaches `position`, in the node's frame in metres."""
    @property
    def weight(self) -> float:
        """Weight relative to the other targets."""
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...

@final
class GoalReport:
    """The result of `Puppet.update` for one target, pin or contact."""
    @property
    def node(self) -> int:
        """Index of the node."""
    @property
    def name(self) -> str:
        """Name of the node, or `#INDEX`."""
    @property
    def kind(self) -> str:
        """`goal`, `pin` or `contact`."""
    @property
    def reached(self) -> bool:
        """Whether the target is within tolerance."""
    @property
    def outcome(self) -> str:
        """`reached`, `out-of-reach`, `blocked-by-limits`, `blocked-by-balance`, `blocked-by-contact`, `stalled` or `iteration-limit`."""
    @property
    def method(self) -> str:
        """The method that found the pose."""
    @property
    def iterations(self) -> int:
        """Number of iterations."""
    @property
    def position_error(self) -> float | None:
        """Distance from the target position in metres, or None."""
    @property
    def orientation_error(self) -> float | None:
        """Orientation or look error in radians, or None."""
    @property
    def seconds(self) -> float:
        """Duration of the solve in seconds."""

@final
class Puppet:
    """A character with a motion, and the pose that results from the motion and the targets.

    `rig` is the path of a .rig.toml file with chains and limits. Without this path, `NAME.rig.toml` beside the character is used, or the
    rig is detected.
    """
    def __new__(cls, character: Character, *, rig: str | os.PathLike[str] | None = None) -> Puppet: ...
    @property
    def character(self) -> Character:
        """The character."""
    @property
    def time(self) -> float:
        """The current time of the motion in seconds."""
    @time.setter
    def time(self, value: float) -> None: ...
    @property
    def held(self) -> Pose | None:
        """The pose on which the motion is played and from which solves start. None stands for the rest pose."""
    @held.setter
    def held(self, value: Pose | None) -> None: ...
    @property
    def skinning(self) -> str:
        """The skinning method: `linear` or `dual-quaternion`."""
    @skinning.setter
    def skinning(self, value: _Skinning) -> None: ...
    def play(self, clip: int | str, time: float = 0.0, *, looping: bool = False) -> None:
        """Plays a clip, given by its name or index, and sets its time in seconds. The pose changes with the next `update`."""
    def stop(self) -> None:
        """Stops playing, so that the character returns to its rest pose or to the `held` pose."""
    def update(
        self,
        targets: Sequence[Target] = ...,
        *,
        pins: Sequence[int | str] = ...,
        method: str | None = None,
        tolerance: float | None = None,
        iterations: int | None = None,
        options: _Options | None = None,
    ) -> list[GoalReport]:
        """Samples the motion, solves for targets, and returns a report for each target and pin.

        `pins` are nodes that must stay in place with priority over all targets. The other arguments are the same as for `Body.solve`, but
        the default method comes from the rig. The result does not depend on earlier calls.
        """
    @property
    def pose(self) -> Pose:
        """The pose after the last `update`."""
    @property
    def world_matrices(self) -> NDArray[np.float32]:
        """The `world_from_node` matrices after the last `update`, shape (nodes, 4, 4), float32."""
    def position(self, node: int | str) -> _Vector:
        """Returns the world position of a node in metres after the last `update`."""
    def skin(self, *, part: int | None = None) -> Mesh:
        """Skins a part on the CPU in the pose of the last `update`. Without `part`, the mesh contains all visible parts in order."""
    def to_glb(self) -> bytes:
        """Returns a copy of the character's file in the pose of the last `update`, as the bytes of a .glb file."""
    def save_glb(self, path: str | os.PathLike[str]) -> None:
        """Writes the result of `to_glb` to a file."""

@final
class Renderer:
    """Draws puppets without a window, on a graphics adapter or in software.

    `adapter` is `auto`, `cpu`, `vulkan`, `gl`, `metal` or `dx12`. The last four accept a part of the adapter's name: `vulkan:radeon`. The
    images of the character that was drawn last remain in the adapter's memory.
    """
    def __new__(cls, adapter: str = "auto") -> Renderer: ...
    @property
    def adapter(self) -> str:
        """The name of the adapter, its kind and its driver."""
    def render(
        self,
        puppet: Puppet,
        size: tuple[int, int] = ...,
        *,
        mode: str = "shaded",
        light: str = "studio",
        background: str | None = None,
        samples: int = 4,
        camera_position: ArrayLike | None = None,
        camera_target: ArrayLike | None = None,
        camera_up: ArrayLike | None = None,
        fov_y: float = ...,
        framing: str = "auto",
        floor: bool | None = None,
        shadow: bool | None = None,
        ambient_occlusion: bool = True,
    ) -> NDArray[np.uint8]:
        """Draws a puppet in the pose of its last `update`, and returns sRGB pixels with straight alpha as a uint8 array of shape
        (height, width, 4).

        `size` is the width and the height in pixels. `mode` is `shaded`, `lambert`, `normal`, `mask` or `skeleton`, and `light` is
        `studio`, `classic`, `outdoor` or `flat`. `background` is `#rrggbb` or `transparent`. `fov_y` is the vertical field of view in
        radians, and `framing` is `auto` or `tight`. By default, the floor and the shadow are drawn only in the mode `shaded`.
        """
