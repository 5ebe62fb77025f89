// Compresses a model and writes the variants beside this file, or writes the small images for the tests. See compressed-models.sh.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { draco, textureCompress } from "@gltf-transform/functions";
import draco3d from "draco3dgltf";
import { encodeToKTX2 } from "ktx2-encoder";
import { ktx2 } from "ktx2-encoder/gltf-transform";
import sharp from "sharp";

const [width, height] = [20, 12];

/** A gradient with alpha. tests/library/asset/images.rs computes the same one. */
function gradient() {
    const data = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) data.set([x * 12, y * 20, 128, 255 - x * 6], 4 * (y * width + x));
    return data;
}

async function writeImages() {
    const data = gradient();
    const image = () => sharp(data, { raw: { width, height, channels: 4 } });
    const webp = {
        lossy: image().removeAlpha().webp({ quality: 90 }),
        "lossy-alpha": image().webp({ quality: 90 }),
        "lossless-alpha": image().webp({ lossless: true }),
    };
    for (const [name, encoder] of Object.entries(webp)) fs.writeFileSync(`fuzz/webp/${name}.webp`, await encoder.toBuffer());
    const options = {
        etc1s: { isUASTC: false, qualityLevel: 255, generateMipmap: true },
        uastc: { isUASTC: true, needSupercompression: false },
        "uastc-zstd": { isUASTC: true, needSupercompression: true },
    };
    const common = { isPerceptual: true, isSetKTX2SRGBTransferFunc: true, imageDecoder: async () => ({ data, width, height }) };
    for (const [name, o] of Object.entries(options))
        fs.writeFileSync(`src/character/asset/ktx2/${name}.ktx2`, await encodeToKTX2(new Uint8Array(4), { generateMipmap: false, ...common, ...o }));
}

async function compress(model) {
    const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
        "draco3d.decoder": await draco3d.createDecoderModule(),
        "draco3d.encoder": await draco3d.createEncoderModule(),
    });
    const imageDecoder = async (bytes) => {
        const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
        return { data: new Uint8Array(data), width: info.width, height: info.height };
    };
    const variants = {
        "draco-edgebreaker": draco({ method: "edgebreaker" }),
        "draco-sequential": draco({ method: "sequential" }),
        webp: textureCompress({ encoder: sharp, targetFormat: "webp" }),
        etc1s: ktx2({ isUASTC: false, generateMipmap: true, imageDecoder }),
        uastc: ktx2({ isUASTC: true, needSupercompression: true, generateMipmap: true, imageDecoder }),
    };
    const folder = path.dirname(fileURLToPath(import.meta.url));
    const name = path.parse(model).name;
    for (const [variant, transform] of Object.entries(variants)) {
        const document = await io.read(model);
        await document.transform(transform);
        await io.write(path.join(folder, `${name}-${variant}.glb`), document);
    }
}

const [argument] = process.argv.slice(2);
await (argument === "--images" ? writeImages() : compress(argument));
