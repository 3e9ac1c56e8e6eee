// Builds the page into dist/: `node build.mjs`. The engine comes from bindings/wasm/build.sh, or from the file
// that KUBEMERGE_WASM names.
import { execFileSync } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const here = new URL("./", import.meta.url).pathname;
const out = `${here}dist`;
const engine =
  process.env.KUBEMERGE_WASM ??
  execFileSync(`${here}../bindings/wasm/build.sh`, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: [`${here}src/main.js`, `${here}src/worker.js`],
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: false,
});
for (const file of ["index.html", "style.css"]) await cp(`${here}src/${file}`, `${out}/${file}`);
await cp(engine, `${out}/kubemerge.wasm`);
console.log(`built ${out}`);
