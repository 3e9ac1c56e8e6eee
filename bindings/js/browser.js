import { Kubemerge } from "./kubemerge.js";

export { Kubemerge, KubemergeError } from "./kubemerge.js";

/** Starts an engine from `kubemerge.wasm` beside this file, or from another address. */
export async function load(address = new URL("./kubemerge.wasm", import.meta.url)) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`cannot load ${address}: ${response.status}`);
  // Bytes, not a stream: file servers that send another content type work as well.
  return Kubemerge.from(await response.arrayBuffer());
}
