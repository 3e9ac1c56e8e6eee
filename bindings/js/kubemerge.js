// The engine as WebAssembly behind one class. `node.js` and `browser.js` find the module; everything else is here.

/** A call that failed: what is wrong, in which text, and where. */
export class KubemergeError extends Error {
  constructor(fault) {
    super(fault.message);
    this.name = "KubemergeError";
    Object.assign(this, fault);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Answers requests with one instance of the engine, which remembers compiled schemas. */
export class Kubemerge {
  #exports;

  constructor(instance) {
    this.#exports = instance.exports;
  }

  /** Starts an engine from a compiled module, or from its bytes. */
  static async from(source) {
    const started = await WebAssembly.instantiate(source, {});
    return new Kubemerge(started.instance ?? started);
  }

  /** How much memory the engine has taken so far. */
  get memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  apply(object, patch, { type, ...settings } = {}) {
    return this.#call({ call: "apply", object: text(object), patch: text(patch), type, settings });
  }

  explain(object, patch, { type, ...settings } = {}) {
    return this.#call({ call: "explain", object: text(object), patch: text(patch), type, settings });
  }

  diff(from, to, { type, ...settings } = {}) {
    return this.#call({ call: "diff", from: text(from), to: text(to), type, settings });
  }

  threeWay({ original, modified, current }, settings = {}) {
    const texts = { original: text(original), modified: text(modified), current: text(current) };
    return this.#call({ call: "threeWay", ...texts, settings });
  }

  lint(documents, settings = {}) {
    return this.#call({ call: "lint", text: text(documents), settings });
  }

  lintPatch(object, patch, { type, ...settings } = {}) {
    return this.#call({ call: "lintPatch", object: text(object), patch: text(patch), type, settings });
  }

  admit(object, { old, ...settings } = {}) {
    return this.#call({ call: "admit", object: text(object), old: old === undefined ? null : text(old), settings });
  }

  serverSideApply(config, { live, manager, force = false, ...settings }) {
    const before = live === undefined || live === null ? null : text(live);
    return this.#call({ call: "serverSideApply", config: text(config), live: before, manager, force, settings });
  }

  owners(object, { shown = null, ...settings } = {}) {
    return this.#call({ call: "owners", object: text(object), shown, settings });
  }

  kinds(settings = {}) {
    return this.#call({ call: "kinds", settings });
  }

  versions() {
    return this.#call({ call: "versions" });
  }

  #call(request) {
    const { answer, error } = JSON.parse(this.#exchange(JSON.stringify(request)));
    if (error) throw new KubemergeError(error);
    return answer;
  }

  #exchange(request) {
    const { memory, allocate, answer, release } = this.#exports;
    const bytes = encoder.encode(request);
    const address = allocate(bytes.length);
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
    const at = answer(address, bytes.length) >>> 0;
    // Views are made anew: the memory may have moved while it grew.
    const length = new DataView(memory.buffer).getUint32(at, true);
    const reply = decoder.decode(new Uint8Array(memory.buffer, at + 4, length));
    release(at, length + 4);
    return reply;
  }
}

/** Objects are given as text (YAML or JSON) or as values. */
function text(document) {
  return typeof document === "string" ? document : JSON.stringify(document);
}
