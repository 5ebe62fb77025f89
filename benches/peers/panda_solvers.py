"""The solvers of `panda.py`. Each is a function of the arm that returns a function from a target to joint angles or None.

A target is a position and a quaternion (x, y, z, w). All solvers start from the same angles and aim for 1e-6 m and 1e-6 rad. Solvers that
return an angle beyond its limits fail.
"""

import os
import tempfile

import numpy as np

# Positions in metres, orientations in radians.
TOLERANCE = 1e-6
# Time limit of TRAC-IK and optik per pose in seconds, and iteration limit of loops in Python, including restarts.
TIMEOUT = 0.05
ITERATIONS = 500
# An attempt ends after this number of iterations without progress.
PATIENCE = 15
# Number of starts that PyRoki solves at once, one of which is the common start.
SEEDS = 8


def file_of(urdf):
    """Writes a URDF to a temporary file, and returns its path."""
    with tempfile.NamedTemporaryFile("w", suffix=".urdf", delete=False) as file:
        file.write(urdf)
    return file.name


def restarting(arm, reset, error, step):
    """Repeats steps until the error is small. An attempt without progress is followed by another from random angles. Returns the angles.

    `reset(angles)` starts an attempt, `error()` returns three positions and three angles, and `step()` returns the next angles.
    """
    random = np.random.default_rng(1)

    def solve():
        angles, best, stalled = arm.start.copy(), np.inf, 0
        reset(angles)
        for _ in range(ITERATIONS):
            difference = error()
            position, orientation = np.linalg.norm(difference[:3]), np.linalg.norm(difference[3:])
            if position <= 0.9 * TOLERANCE and orientation <= 0.9 * TOLERANCE:
                return angles
            size = difference @ difference
            stalled = 0 if size < 0.9 * best else stalled + 1
            best = min(best, size)
            if stalled > PATIENCE:
                angles, best, stalled = random.uniform(arm.low, arm.high), np.inf, 0
            else:
                angles = np.clip(step(), arm.low, arm.high)
            reset(angles)
        return angles

    return solve


def sinew_solver(arm, method="dls"):
    """sinew with default options."""
    import sinew

    robot = sinew.Robot.from_urdf(arm.urdf())
    options = {"angle_tolerance": TOLERANCE}

    def solve(target):
        call = robot.solve("flange", target[:3], target[3:], q0=arm.start, method=method, tolerance=TOLERANCE, options=options)
        return call.q

    return solve


def optik_solver(arm):
    """optik in its mode `speed`, which returns the first solution."""
    import optik

    path = file_of(arm.urdf())
    robot = optik.Robot.from_urdf_file(path, "link0", "flange")
    os.unlink(path)
    # The cost is the squared length of the error.
    config = optik.SolverConfig(solution_mode="speed", max_time=TIMEOUT, max_restarts=0, tol_f=0.5 * TOLERANCE**2)

    def solve(target):
        found = robot.ik(config, arm.transform(target), list(arm.start))
        return None if found is None else np.array(found[0])

    return solve


def trac_ik_solver(arm):
    """TRAC-IK by pytracik, in its mode `Speed`."""
    from trac_ik import TracIK

    path = file_of(arm.urdf())
    # TRAC-IK's tolerance applies to every component of the error.
    solver = TracIK("link0", "flange", path, timeout=TIMEOUT, epsilon=TOLERANCE / 3**0.5, solver_type="Speed")
    os.unlink(path)
    return lambda target: solver.ik(np.array(target[:3]), arm.matrix(target[3:]), arm.start)


def pinocchio_solver(arm):
    """Damped least squares on Pinocchio's kinematics and Jacobians."""
    import pinocchio as pin

    model = pin.buildModelFromXML(arm.urdf())
    data = model.createData()
    frame = model.getFrameId("flange")
    state = {}

    def reset(angles):
        state["angles"] = angles
        pin.forwardKinematics(model, data, angles)
        pin.updateFramePlacement(model, data, frame)

    def error():
        state["error"] = pin.log6(data.oMf[frame].actInv(state["goal"])).vector
        return state["error"]

    def step():
        jacobian = pin.computeFrameJacobian(model, data, state["angles"], frame)
        size = state["error"] @ state["error"]
        damped = jacobian @ jacobian.T + (1e-12 + 1e-3 * size) * np.eye(6)
        return state["angles"] + jacobian.T @ np.linalg.solve(damped, state["error"])

    search = restarting(arm, reset, error, step)

    def solve(target):
        state["goal"] = pin.SE3(arm.matrix(target[3:]), np.array(target[:3]))
        return search()

    return solve


def pink_solver(arm):
    """The differential inverse kinematics of pink with the solver DAQP, one second per step."""
    import pink
    import pinocchio as pin

    model = pin.buildModelFromXML(arm.urdf())
    task = pink.tasks.FrameTask("flange", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    configuration = pink.Configuration(model, model.createData(), arm.start)
    limits = [pink.limits.ConfigurationLimit(model)]

    def step():
        velocity = pink.solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-12, limits=limits, safety_break=False)
        return configuration.integrate(velocity, 1.0)

    search = restarting(arm, configuration.update, lambda: task.compute_error(configuration), step)

    def solve(target):
        task.set_target(pin.SE3(arm.matrix(target[3:]), np.array(target[:3])))
        return search()

    return solve


def mink_solver(arm):
    """The differential inverse kinematics of mink on MuJoCo, with the solver DAQP, one second per step."""
    import mink
    import mujoco

    # MuJoCo requires masses, and would merge the flange with the last link.
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = arm.urdf(inertial).replace('<link name="link0"/>', '<mujoco><compiler fusestatic="false"/></mujoco><link name="link0"/>')
    model = mujoco.MjModel.from_xml_string(text)
    task = mink.FrameTask("flange", "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    configuration = mink.Configuration(model, arm.start)
    limits = [mink.ConfigurationLimit(model)]

    def step():
        velocity = mink.solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-12, limits=limits)
        return configuration.integrate(velocity, 1.0)

    search = restarting(arm, configuration.update, lambda: task.compute_error(configuration), step)

    def solve(target):
        x, y, z, w = target[3:]
        task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3(np.array([w, x, y, z])), np.array(target[:3])))
        return search()

    return solve


def pyroki_solver(arm):
    """Levenberg-Marquardt of PyRoki from many starts at once, in single precision on the CPU. The best result is returned."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    import jax.numpy as jnp
    import jaxlie
    import jaxls
    import pyroki
    import yourdfpy

    path = file_of(arm.urdf())
    robot = pyroki.Robot.from_urdf(yourdfpy.URDF.load(path, load_meshes=False, load_collision_meshes=False))
    os.unlink(path)
    link = robot.links.names.index("flange")
    random = np.random.default_rng(1)
    starts = jnp.array(np.vstack([arm.start, random.uniform(arm.low, arm.high, (SEEDS - 1, len(arm.start)))]))
    low, high = jnp.array(arm.low), jnp.array(arm.high)
    # The defaults stop before single precision does.
    exact = jaxls.TerminationConfig(cost_tolerance=1e-7, gradient_tolerance=1e-7, parameter_tolerance=1e-7)

    def attempt(start, goal):
        variable = robot.joint_var_cls(0)
        costs = [
            pyroki.costs.pose_cost_analytic_jac(robot, variable, goal, jnp.int32(link), pos_weight=50.0, ori_weight=10.0),
            pyroki.costs.limit_cost(robot, variable, weight=100.0),
        ]
        problem = jaxls.LeastSquaresProblem(costs, [variable]).analyze()
        values = jaxls.VarValues.make([variable.with_value(start)])
        found = problem.solve(values, verbose=False, linear_solver="dense_cholesky", termination=exact)
        angles = jnp.clip(found[variable], low, high)
        reached = jaxlie.SE3(robot.forward_kinematics(angles)[link])
        return angles, jnp.linalg.norm((reached.inverse() @ goal).log())

    @jax.jit
    def best(position, wxyz):
        goal = jaxlie.SE3.from_rotation_and_translation(jaxlie.SO3(wxyz), position)
        angles, errors = jax.vmap(attempt, in_axes=(0, None))(starts, goal)
        return angles[jnp.argmin(errors)]

    def solve(target):
        x, y, z, w = target[3:]
        return np.array(best(jnp.array(target[:3]), jnp.array([w, x, y, z])), dtype=float)

    return solve


SOLVERS = {
    "sinew-ik": sinew_solver,
    "optik-py": optik_solver,
    "pytracik": trac_ik_solver,
    "pin": pinocchio_solver,
    "pin-pink": pink_solver,
    "mink": mink_solver,
    "almond-pyroki": pyroki_solver,
}
