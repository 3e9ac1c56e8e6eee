// Runs the engine beside the page, so that typing never waits for it.
import { Kubemerge } from "../../bindings/js/kubemerge.js";

const started = fetch("kubemerge.wasm")
  .then((response) => response.arrayBuffer())
  .then((bytes) => Kubemerge.from(bytes));

/** Runs one call; a fault of the request is an answer like any other. */
function run(kubemerge, { name, args }) {
  try {
    return { answer: kubemerge[name](...args) };
  } catch (error) {
    if (error.name !== "KubemergeError") throw error;
    const { kind, message, hint, text, path, place, status } = error;
    return { error: { kind, message, hint, text, path, place, status } };
  }
}

/** The last outcome of each call: typing into one text leaves calls about the others as they are. */
const last = new Map();

function runIfChanged(kubemerge, call) {
  const asked = JSON.stringify(call.args);
  const known = last.get(call.name);
  if (known?.asked === asked) return known.outcome;
  const outcome = run(kubemerge, call);
  last.set(call.name, { asked, outcome });
  return outcome;
}

/** Applies one configuration after the other, each by its manager, then asks for the owners. */
function applyAll(kubemerge, steps, settings) {
  let live = null;
  const outcomes = [];
  for (const { manager, config, force } of steps) {
    const outcome = run(kubemerge, { name: "serverSideApply", args: [config, { live, manager, force, ...settings }] });
    outcomes.push(outcome);
    live = outcome.answer?.result ?? live;
  }
  if (live === null) return { outcomes, shown: "", owners: [] };
  const strip = { metadata: { managedFields: null } };
  const shown = run(kubemerge, { name: "apply", args: [live, strip, { type: "merge", ...settings, dialect: "upstream" }] });
  const text = shown.answer?.result ?? live;
  const owners = run(kubemerge, { name: "owners", args: [live, { shown: text, ...settings }] });
  return { outcomes, shown: text, owners: owners.answer ?? [] };
}

self.onmessage = async ({ data: { id, calls, applies } }) => {
  try {
    const kubemerge = await started;
    const from = performance.now();
    const answers = calls?.map((call) => runIfChanged(kubemerge, call));
    const applied = applies && applyAll(kubemerge, applies.steps, applies.settings);
    self.postMessage({ id, answers, applied, milliseconds: performance.now() - from });
  } catch (error) {
    // The instance is not usable after a trap: the page starts another worker.
    self.postMessage({ id, trap: String(error) });
  }
};
