import { readFile } from "node:fs/promises";
import { Kubemerge } from "./kubemerge.js";

export { Kubemerge, KubemergeError } from "./kubemerge.js";

/** Starts an engine. */
export async function load() {
  return Kubemerge.from(await readFile(new URL("./kubemerge.wasm", import.meta.url)));
}
