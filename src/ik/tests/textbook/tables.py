"""Prints the tables of src/ik/tests/textbook, computed from the founding documents without sinew.

Every function is a transcription of a document: TMPS 2009 (listings `SolveCcd`, `SolveParticle` and
`FitFigureToParticle`), the Korean notes (planar CCD after Welman, CCD as in MMD, the Jacobian transpose), the lecture of
Oshita 2021, and Li & Peng 2013. Run: python3 src/ik/tests/textbook/tables.py
"""

from math import acos, atan2, cos, pi, sin, sqrt


# --- vectors and matrices ------------------------------------------------------------------------------------------

def add(a, b): return [x + y for x, y in zip(a, b)]
def sub(a, b): return [x - y for x, y in zip(a, b)]
def mul(a, s): return [x * s for x in a]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def norm(a): return sqrt(dot(a, a))
def unit(a): return mul(a, 1 / norm(a))
def cross(a, b): return [a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]]
def matmul(a, b): return [[sum(a[i][k]*b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]
def matvec(a, v): return [dot(row, v) for row in a]
def transpose(a): return [list(c) for c in zip(*a)]
def identity(n=3): return [[float(i == j) for j in range(n)] for i in range(n)]


def rot(axis, angle):
    """Rodrigues' formula."""
    x, y, z = unit(axis)
    c, s, t = cos(angle), sin(angle), 1 - cos(angle)
    return [[t*x*x+c, t*x*y-s*z, t*x*z+s*y], [t*x*y+s*z, t*y*y+c, t*y*z-s*x], [t*x*z-s*y, t*y*z+s*x, t*z*z+c]]


def expm(w):
    return rot(w, norm(w)) if norm(w) > 0 else identity()


def logm(r):
    c = max(-1.0, min(1.0, (r[0][0] + r[1][1] + r[2][2] - 1) / 2))
    angle = acos(c)
    if angle == 0:
        return [0.0, 0.0, 0.0]
    return mul([r[2][1]-r[1][2], r[0][2]-r[2][0], r[1][0]-r[0][1]], angle / (2 * sin(angle)))


def invert(m):
    """Gauss and Jordan."""
    n = len(m)
    a = [row[:] + e for row, e in zip(m, identity(n))]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        a[i] = mul(a[i], 1 / a[i][i])
        for r in range(n):
            if r != i:
                a[r] = sub(a[r], mul(a[i], a[r][i]))
    return [row[n:] for row in a]


# --- a chain: the joint i turns by rotations[i], and the next one is at offsets[i + 1] -------------------------------

class Chain:
    def __init__(self, offsets, rotations):
        self.offsets, self.rotations = offsets, [r for r in rotations]

    def forward(self):
        """Positions of the joints and of the end, and the orientations of the frames in which the joints turn."""
        place, frame = self.offsets[0], identity()
        positions, frames = [place], []
        for r, offset in zip(self.rotations, self.offsets[1:]):
            frames.append(frame)
            frame = matmul(frame, r)
            place = add(place, matvec(frame, offset))
            positions.append(place)
        return positions, frames

    def length(self): return sum(norm(o) for o in self.offsets[1:])

    def turn(self, joint, world):
        """Turns a joint by a rotation of world space."""
        frame = self.forward()[1][joint]
        local = matmul(matmul(transpose(frame), world), frame)
        self.rotations[joint] = matmul(local, self.rotations[joint])

    def show(self, name):
        positions, _ = self.forward()
        print(f"// {name}")
        for p in positions[1:]:
            print("[" + ", ".join(f"{x:.9f}" for x in p) + "],")


OFFSETS = [[0.1, 0.2, -0.1], [0.3, 0.1, 0.0], [0.25, 0.0, 0.05], [0.2, -0.05, 0.1]]
START = [([0.0, 0.0, 1.0], 0.2), ([0.0, 1.0, 0.0], -0.3), ([1.0, 0.0, 0.0], 0.4)]
TARGET = [0.3, 0.6, 0.2]
PLANAR = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.25, 0.0, 0.0], [0.2, 0.0, 0.0]]
PLANAR_START = [0.3, 0.4, -0.2]
PLANAR_TARGET = [0.2, 0.45, 0.0]


def spatial(): return Chain(OFFSETS, [rot(a, t) for a, t in START])
def planar(): return Chain(PLANAR, [rot([0, 0, 1], t) for t in PLANAR_START])


# --- TMPS: SolveCcd --------------------------------------------------------------------------------------------------

def ccd(chain, target, passes):
    for _ in range(passes):
        for joint in reversed(range(len(chain.rotations))):
            positions, _ = chain.forward()
            v1, v2 = unit(sub(positions[-1], positions[joint])), unit(sub(target, positions[joint]))
            angle = acos(max(-1, min(1, dot(v1, v2))))
            if angle > 1e-5:
                chain.turn(joint, rot(cross(v1, v2), angle))


# --- Lecture: ω = l × Δp ----------------------------------------------------------------------------------------------

def ccd_lecture(chain, target, passes):
    for _ in range(passes):
        for joint in reversed(range(len(chain.rotations))):
            positions, _ = chain.forward()
            chain.turn(joint, expm(cross(sub(positions[-1], positions[joint]), sub(target, positions[-1]))))


# --- Notes: planar CCD after Welman, with y up -------------------------------------------------------------------------

def ccd_planar(chain, target, passes):
    for _ in range(passes):
        for joint in reversed(range(len(chain.rotations))):
            positions, _ = chain.forward()
            pe, pt = sub(positions[-1], positions[joint])[:2], sub(target, positions[joint])[:2]
            pe, pt = unit(pe), unit(pt)
            theta = acos(dot(pe, pt))
            if pe[0] * pt[1] - pe[1] * pt[0] < 0:
                theta = -theta
            chain.turn(joint, rot([0, 0, 1], theta))


# --- Notes: Unreal's list of the largest angles of the joints in the whole solve ------------------------------------------

def ccd_unreal(chain, target, passes, most):
    turned = [0.0] * len(chain.rotations)
    for _ in range(passes):
        for joint in reversed(range(len(chain.rotations))):
            positions, _ = chain.forward()
            v1, v2 = unit(sub(positions[-1], positions[joint])), unit(sub(target, positions[joint]))
            angle = min(acos(max(-1, min(1, dot(v1, v2)))), most[joint] - turned[joint])
            if angle > 0.0:
                turned[joint] += angle
                chain.turn(joint, rot(cross(v1, v2), angle))


# --- Notes: MMD with fixed axes, both signs, and its stop -----------------------------------------------------------------

def ccd_mmd(chain, target, axes, most, step=None):
    """`step` is the largest angle of the last joint in a pass. It grows by the same amount for each joint from there."""
    last, done = norm(sub(chain.forward()[0][-1], target)), 0
    for _ in range(most):
        for joint in reversed(range(len(chain.rotations))):
            positions, frames = chain.forward()
            v1, v2 = unit(sub(positions[-1], positions[joint])), unit(sub(target, positions[joint]))
            angle = acos(max(-1, min(1, dot(v1, v2))))
            if angle < 1e-5:
                continue
            largest = pi if step is None else step * (len(chain.rotations) - joint)
            if axes[joint] is None:
                chain.turn(joint, rot(cross(v1, v2), min(angle, largest)))
                continue
            axis = matvec(frames[joint], axes[joint])
            arm = sub(positions[-1], positions[joint])
            def gap(t): return norm(sub(add(positions[joint], matvec(rot(axis, t), arm)), target))
            angle = angle if gap(angle) <= gap(-angle) else -angle
            chain.turn(joint, rot(axis, max(-largest, min(largest, angle))))
        done += 1
        error = norm(sub(chain.forward()[0][-1], target))
        if error >= last:
            break
        last = error
    return done


# --- TMPS: SolveParticle and FitFigureToParticle ---------------------------------------------------------------------------

def particle(chain, target, passes, log=None):
    positions, _ = chain.forward()
    particles = [positions[i] for i in range(len(positions) - 1, 0, -1)]
    constraints = [norm(chain.offsets[i]) for i in range(len(positions) - 1, 0, -1)]
    root = positions[0]
    for _ in range(passes):
        particles[0] = target
        for pid in range(len(particles) - 1):
            dv = sub(particles[pid + 1], particles[pid])
            dv = mul(dv, 0.5 - constraints[pid] / norm(dv) * 0.5)
            particles[pid] = add(particles[pid], dv)
            particles[pid + 1] = sub(particles[pid + 1], dv)
            if log is not None: log.append((particles[pid], particles[pid + 1]))
        dv = sub(root, particles[-1])
        dv = mul(dv, 1.0 - constraints[-1] / norm(dv))
        particles[-1] = add(particles[-1], dv)
        if log is not None: log.append((particles[-1], root))
    for joint in range(len(chain.rotations)):
        positions, frames = chain.forward()
        dv = unit(matvec(transpose(frames[joint]), sub(particles[len(particles) - 1 - joint], positions[joint])))
        offset = unit(chain.offsets[joint + 1])
        angle = acos(max(-1, min(1, dot(offset, dv))))
        if angle > 1e-5:
            chain.rotations[joint] = rot(cross(offset, dv), angle)


# --- Jacobians -------------------------------------------------------------------------------------------------------------

def euler(a, b, c):
    return matmul(matmul(rot([1, 0, 0], a), rot([0, 1, 0], b)), rot([0, 0, 1], c))


def euler_angles(r):
    return atan2(-r[1][2], r[2][2]), atan2(r[0][2], sqrt(r[0][0]**2 + r[0][1]**2)), atan2(-r[0][1], r[0][0])


def axes_of(chain, kind):
    _, frames = chain.forward()
    axes = []
    for joint, frame in enumerate(frames):
        if kind == "hinge":
            axes.append((joint, [0.0, 0.0, 1.0]))
        elif kind == "euler":
            a, b, _ = euler_angles(chain.rotations[joint])
            x = rot([1, 0, 0], a)
            local = [[1, 0, 0], matvec(x, [0, 1, 0]), matvec(matmul(x, rot([0, 1, 0], b)), [0, 0, 1])]
            axes += [(joint, matvec(frame, axis)) for axis in local]
        else:
            axes += [(joint, axis) for axis in identity()]
    return axes


def jacobian(chain, axes, rows=3):
    positions, _ = chain.forward()
    columns = [cross(axis, sub(positions[-1], positions[joint]))[:rows] for joint, axis in axes]
    return transpose(columns)


def pseudo(j, damping=0.0, weights=None):
    """W⁻¹ Jᵀ (J W⁻¹ Jᵀ + λ² I)⁻¹."""
    jt = transpose(j)
    if weights is not None:
        jt = [mul(row, w) for row, w in zip(jt, weights)]
    jj = matmul(j, jt)
    for i in range(len(jj)):
        jj[i][i] += damping * damping
    return matmul(jt, invert(jj))


def apply(chain, axes, change, kind):
    if kind == "euler":
        for joint in range(len(chain.rotations)):
            angles = euler_angles(chain.rotations[joint])
            chain.rotations[joint] = euler(*[a + d for a, d in zip(angles, change[3 * joint:3 * joint + 3])])
        return
    frames = chain.forward()[1]
    turns = [[0.0] * 3 for _ in chain.rotations]
    for (joint, axis), angle in zip(axes, change):
        turns[joint] = add(turns[joint], mul(axis, angle))
    for joint, (frame, turn) in enumerate(zip(frames, turns)):
        chain.rotations[joint] = matmul(expm(matvec(transpose(frame), turn)), chain.rotations[joint])


def clamped(v, most):
    return v if norm(v) <= most else mul(unit(v), most)


def differential(chain, target, passes, kind, damping=0.0, weights=None, pull=None, rows=3, most=0.1):
    """Δθ = J⁺ Δp + (I − J⁺ J) Δθ′, with |Δp| of at most a tenth of the chain's length (lecture)."""
    length = chain.length()
    for _ in range(passes):
        axes = axes_of(chain, kind)
        j = jacobian(chain, axes, rows)
        plus = pseudo(j, damping * length, weights)
        dp = clamped(sub(target, chain.forward()[0][-1]), most * length)[:rows]
        h = pull(chain, axes) if pull else [0.0] * len(axes)
        change = add(h, matvec(plus, sub(dp, matvec(j, h))))
        apply(chain, axes, change, kind)


def to_rest(gain):
    """Δθ′: a part of the way to rest, where all rotations are the identity."""
    def pull(chain, axes):
        frames = chain.forward()[1]
        w = [matvec(frame, logm(transpose(r))) for frame, r in zip(frames, chain.rotations)]
        return [gain * dot(axis, w[joint]) for joint, axis in axes]
    return pull


def transposed(chain, target, passes, delta):
    for _ in range(passes):
        positions, frames = chain.forward()
        end = positions[-1]
        turns = []
        for joint, frame in enumerate(frames):
            world = identity()
            for axis in identity():
                theta = dot(cross(axis, sub(end, positions[joint])), sub(target, end))
                world = matmul(world, rot(axis, theta * delta))
            turns.append(matmul(matmul(transpose(frame), world), frame))
        for joint, turn in enumerate(turns):
            chain.rotations[joint] = matmul(turn, chain.rotations[joint])


# --- Li and Peng --------------------------------------------------------------------------------------------------------------

def li_peng(chain, target, steps, split, correction, alpha=0.5, weights=(0.5, 0.5)):
    """Planar hinges about z. Eqs. 3 and 4 on both halves, then eqs. 8 to 16 for the differential steps."""
    count = len(chain.rotations)
    angles = lambda: [atan2(r[1][0], r[0][0]) for r in chain.rotations]
    def set_angles(theta): chain.rotations[:] = [rot([0, 0, 1], t) for t in theta]
    before = angles()
    p = chain.forward()[0]
    upper, lower = sub(p[split], p[0]), sub(p[-1], p[split])
    l1, l2 = norm(upper), norm(lower)
    x, y, _ = sub(target, p[0])
    theta2 = acos((x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2))
    theta1 = atan2(-l2 * sin(theta2) * x + (l1 + l2 * cos(theta2)) * y, l2 * sin(theta2) * y + (l1 + l2 * cos(theta2)) * x)
    # The halves turn as rigid links, so the angles change by the same amounts as the directions of the halves.
    now1 = atan2(upper[1], upper[0])
    now2 = atan2(lower[1], lower[0]) - now1
    theta = angles()
    theta[0] += theta1 - now1
    theta[split] += theta2 - now2
    set_angles(theta)
    for _ in range(steps):
        theta = angles()
        axes = [(joint, [0.0, 0.0, 1.0]) for joint in range(count)]
        j = jacobian(chain, axes, 2)
        plus = pseudo(j)
        dx = sub(target, chain.forward()[0][-1])[:2]
        if correction == "mid-angle":
            h = [-2 * t for t in theta]
        else:
            a = [weights[0] + (weights[1] - weights[0]) * i / (count - 1) for i in range(count)]
            middle = [(1 - alpha) * b + alpha * t for b, t in zip(before, theta)]
            h = [w * (t - m) for w, t, m in zip(a, theta, middle)]
        change = add(matvec(plus, dx), sub(h, matvec(plus, matvec(j, h))))
        before = theta
        set_angles(add(theta, change))


# --- Lecture: the analytic limb ------------------------------------------------------------------------------------------------

def limb(base, l0, l1, target, axis, swivel):
    """The reference hangs down. Returns the middle joint and the end."""
    upper = [0.0, -l0, 0.0]
    distance = max(abs(l0 - l1), min(l0 + l1, norm(sub(target, base))))
    inner = acos((l0 * l0 + l1 * l1 - distance * distance) / (2 * l0 * l1))
    lower = matvec(rot(axis, pi - inner), [0.0, -l1, 0.0])
    le0, le = add(upper, lower), sub(target, base)
    angle = acos(dot(unit(le0), unit(le)))
    swing = rot(cross(le0, le), angle)
    turn = matmul(rot(le, swivel), swing) if swivel else swing
    middle = add(base, matvec(turn, upper))
    return middle, add(middle, matvec(turn, lower))


def three_children(start, now):
    """R = (l_j l_k l_m)(l_j0 l_k0 l_m0)⁻¹, before it is normalised."""
    return matmul(transpose(now), invert(transpose(start)))


def normalised(r):
    """The columns of a rotation: Gram-Schmidt, the x axis first."""
    x, y, _ = transpose(r)
    x = unit(x)
    y = unit(sub(y, mul(x, dot(x, y))))
    return [x, y, cross(x, y)]


def one_child(start, now):
    """The columns of the rotation about l_0 × l by acos(l_0 · l / |l_0| |l|)."""
    return transpose(rot(cross(start, now), acos(dot(unit(start), unit(now)))))


def show_columns(name, columns):
    print(f"// {name}")
    for column in columns:
        print("[" + ", ".join(f"{x:.9f}" for x in column) + "],")


if __name__ == "__main__":
    for passes in (1, 2):
        chain = spatial(); ccd(chain, TARGET, passes); chain.show(f"ccd, {passes}")
    for passes in (1, 2):
        chain = spatial(); ccd_lecture(chain, TARGET, passes); chain.show(f"lecture, {passes}")
    for passes in (1, 2):
        chain = planar(); ccd_planar(chain, PLANAR_TARGET, passes); chain.show(f"planar, {passes}")
    chain = spatial()
    done = ccd_mmd(chain, TARGET, [None, [0.0, 1.0, 0.0], None], 2); chain.show(f"mmd, {done}")
    chain = spatial()
    done = ccd_mmd(chain, [0.1, 0.2, 1.5], [None, [0.0, 1.0, 0.0], None], 1000); chain.show(f"mmd out of reach, {done}")
    for passes in (1, 3):
        chain = spatial()
        done = ccd_mmd(chain, TARGET, [None, [0.0, 1.0, 0.0], None], passes, 0.05); chain.show(f"mmd, step, {done}")
    for passes in (1, 3):
        chain = spatial(); ccd_unreal(chain, TARGET, passes, [0.4, 0.5, 1.9]); chain.show(f"Unreal, {passes}")
    log = []
    for passes in (1, 3):
        chain = spatial(); particle(chain, TARGET, passes, log if passes == 1 else None); chain.show(f"particle, {passes}")
    for lower, upper in log:
        print("[[" + ", ".join(f"{x:.9f}" for x in lower) + "], [" + ", ".join(f"{x:.9f}" for x in upper) + "]],")
    for passes in (1, 2):
        chain = spatial(); differential(chain, TARGET, passes, "vector"); chain.show(f"pseudo-inverse, {passes}")
    for passes in (1, 2):
        chain = spatial(); differential(chain, TARGET, passes, "euler"); chain.show(f"pseudo-inverse euler, {passes}")
    chain = spatial(); differential(chain, TARGET, 2, "vector", damping=0.3); chain.show("damped, 2")
    weights = [1.0] * 3 + [0.25] * 3 + [0.5] * 3
    chain = spatial(); differential(chain, TARGET, 2, "vector", weights=weights); chain.show("weights, 2")
    chain = spatial(); differential(chain, TARGET, 2, "vector", pull=to_rest(0.2)); chain.show("null space, 2")
    chain = planar(); differential(chain, PLANAR_TARGET, 2, "hinge", rows=2); chain.show("planar pseudo-inverse, 2")
    for passes in (1, 2):
        chain = spatial(); transposed(chain, TARGET, passes, 1.5); chain.show(f"transpose, {passes}")
    print("length", spatial().length(), planar().length())
    for steps in (0, 1, 2):
        chain = planar(); li_peng(chain, PLANAR_TARGET, steps, 1, "midpoint", 0.3, (0.9, 0.1)); chain.show(f"eqs. 15 and 16, {steps}")
    for steps in (1, 2):
        chain = planar(); li_peng(chain, PLANAR_TARGET, steps, 1, "mid-angle"); chain.show(f"eq. 14, {steps}")
    for swivel in (0.0, 0.7):
        print("limb", limb([0.1, 1.4, 0.0], 0.3, 0.25, [0.35, 1.3, 0.3], [1.0, 0.0, 0.0], swivel))
    start = [[0.1, 0.5, 0.0], [0.2, 0.0, 0.1], [0.0, -0.1, 0.4]]
    now = [[-0.45, 0.2, 0.1], [0.02, 0.2, 0.05], [0.1, 0.0, 0.4]]
    show_columns("three children", normalised(three_children(start, now)))
    show_columns("one child", one_child([0.1, 0.5, 0.0], [-0.45, 0.2, 0.1]))
