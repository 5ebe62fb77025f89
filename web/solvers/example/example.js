// A tentacle of eight bones, skinned and drawn by three.js. sinew only rotates the bones, so that the tip follows the pointer.
//
// `scripts/web-test.sh` puts the modules of three.js beside this file.

import * as THREE from 'three';
import init, { Body } from '../sinew_solvers.js';

const BONES = 8;
const LENGTH = 0.25;

await init();

// The bones of three.js, and the same links for sinew.
const bones = Array.from({ length: BONES + 1 }, () => new THREE.Bone());
bones.slice(1).forEach((bone, index) => {
    bone.position.y = LENGTH;
    bones[index].add(bone);
});
const parents = Int32Array.from(bones.keys(), (index) => index - 1);
const offsets = Float64Array.from(bones.flatMap((bone) => bone.position.toArray()));
const body = new Body(parents, offsets);

// A cylinder whose rings follow the bones.
const geometry = new THREE.CylinderGeometry(0.03, 0.12, BONES * LENGTH, 12, BONES * 4);
geometry.translate(0, BONES * LENGTH / 2, 0);
const heights = geometry.attributes.position;
const indices = [];
const weights = [];
for (let vertex = 0; vertex < heights.count; vertex++) {
    const at = heights.getY(vertex) / LENGTH;
    const bone = Math.min(Math.floor(at), BONES - 1);
    indices.push(bone, bone + 1, 0, 0);
    weights.push(1 - (at - bone), at - bone, 0, 0);
}
geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshStandardMaterial({ color: 0x4a90d9 }));
mesh.frustumCulled = false;
mesh.add(bones[0]);
mesh.bind(new THREE.Skeleton(bones));

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x6b707a);
scene.add(mesh, new THREE.HemisphereLight(0xffffff, 0x444444, 3));
const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 20);
camera.position.set(0, 1, 4);
const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById('canvas'), antialias: true });

/** Moves the tip to a point in metres, and draws. Returns the remaining distance. */
export function reach(x, y, z = 0) {
    const left = body.solve(Uint32Array.of(BONES), Float64Array.of(x, y, z));
    const rotations = body.rotations();
    bones.forEach((bone, index) => bone.quaternion.fromArray(rotations, index * 4));
    draw();
    return left;
}

function draw() {
    const { clientWidth: width, clientHeight: height } = renderer.domElement;
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
}

const plane = new THREE.Plane(new THREE.Vector3(0, 0, 1), 0);
const ray = new THREE.Raycaster();
addEventListener('pointermove', (event) => {
    const at = new THREE.Vector2(event.clientX / innerWidth * 2 - 1, 1 - event.clientY / innerHeight * 2);
    ray.setFromCamera(at, camera);
    const point = ray.ray.intersectPlane(plane, new THREE.Vector3());
    if (point) reach(point.x, point.y);
});
addEventListener('resize', draw);
window.sinew = { reach, tip: () => bones[BONES].getWorldPosition(new THREE.Vector3()).toArray() };
reach(0.8, 1.2);
document.title = 'ready';
