// The page: state, tabs and what they ask the engine.
import { Engine } from "./engine.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";
import { fromFragment, toFragment } from "./link.js";
import { showPatch } from "./show_patch.js";
import { showThreeWay } from "./show_three_way.js";
import { showApply } from "./show_apply.js";

const element = (id) => document.getElementById(id);
const engine = new Engine();
const TABS = ["patch", "three-way", "apply"];

/** Everything that a link carries. */
const state = {
  tab: "patch",
  dialect: "upstream",
  type: "strategic",
  kubernetes: null,
  schemas: "",
  object: "",
  patch: "",
  original: "",
  modified: "",
  current: "",
  twoWay: false,
  steps: [{ manager: "me", config: "", force: false }],
  selected: 0,
};

const edited = (field) => ({ changed: (text) => change({ [field]: text }) });
const editors = {
  object: new Editor(element("object"), { label: "Object", ...edited("object") }),
  patch: new Editor(element("patch"), { label: "Patch", ...edited("patch") }),
  result: new Editor(element("result"), { label: "Result", readOnly: true }),
  schemas: new Editor(element("schemas"), { label: "Own schemas", ...edited("schemas") }),
  original: new Editor(element("original"), { label: "Original", ...edited("original") }),
  modified: new Editor(element("modified"), { label: "Modified", ...edited("modified") }),
  current: new Editor(element("current"), { label: "Live", ...edited("current") }),
  made: new Editor(element("made"), { label: "Patch that was made", readOnly: true }),
  config: new Editor(element("config"), {
    label: "Applied configuration",
    changed: (config) => changeStep({ config }),
  }),
  owned: new Editor(element("owned"), { label: "Object with owners", readOnly: true }),
};

function settings() {
  const { dialect, kubernetes, schemas } = state;
  return { dialect, ...(kubernetes && { kubernetes }), ...(schemas.trim() && { schemas: [schemas] }) };
}

/** What the tab that is shown asks the engine. */
function request() {
  const { tab, object, patch, type, original, modified, current, twoWay, steps } = state;
  if (tab === "apply") return { applies: { steps, settings: settings() } };
  const options = { type, ...settings() };
  const made = twoWay
    ? { name: "diff", args: [original, modified, options] }
    : { name: "threeWay", args: [{ original, modified, current }, settings()] };
  const calls = {
    patch: [
      { name: "explain", args: [object, patch, options] },
      { name: "lint", args: [object, settings()] },
      { name: "lintPatch", args: [object, patch, options] },
    ],
    "three-way": [made],
  };
  return { calls: calls[tab] };
}

const shows = {
  patch: (reply) => showPatch(reply.answers, editors, element("compare").checked),
  "three-way": (reply) => showThreeWay(reply.answers[0], editors),
  apply: (reply) => showApply(reply.applied, state, editors),
};

function ask() {
  const tab = state.tab;
  engine.ask(request(), (reply) => {
    if (tab !== state.tab) return;
    if (reply.trap) return showTrap(reply.trap);
    shows[tab](reply);
    document.body.dataset.ready = "true";
    window.kubemerge.shown?.();
  });
}

/** The engine was restarted; the next change is answered again. */
function showTrap(trap) {
  const fault = element({ patch: "fault", "three-way": "made-fault", apply: "apply-fault" }[state.tab]);
  fault.hidden = false;
  fault.textContent = `The engine stopped and was started again: ${trap}`;
}

function change(changes) {
  Object.assign(state, changes);
  ask();
}

function changeStep(changes) {
  Object.assign(state.steps[state.selected], changes);
  drawSteps();
  ask();
}

/** Puts the state into all controls. */
function draw() {
  for (const field of ["object", "patch", "schemas", "original", "modified", "current"]) editors[field].text = state[field];
  for (const field of ["dialect", "type"]) element(field).value = state[field];
  if (state.kubernetes) element("kubernetes").value = state.kubernetes;
  element("two-way").checked = state.twoWay;
  if (state.schemas) element("own").open = true;
  drawTab();
  drawSteps();
  editors.config.text = state.steps[state.selected].config;
  ask();
}

function drawTab() {
  for (const tab of TABS) {
    const [button, panel] = [element(`tab-${tab}`), element(`panel-${tab}`)];
    button.setAttribute("aria-selected", String(tab === state.tab));
    button.tabIndex = tab === state.tab ? 0 : -1;
    panel.hidden = tab !== state.tab;
  }
}

function drawSteps() {
  const entries = state.steps.map((step, at) => {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.textContent = step.manager + (step.force ? " (force)" : "");
    button.setAttribute("aria-current", String(at === state.selected));
    button.onclick = () => select(at);
    const entry = document.createElement("li");
    entry.append(button);
    return entry;
  });
  element("appliers").replaceChildren(...entries);
  const step = state.steps[state.selected];
  if (element("manager").value !== step.manager) element("manager").value = step.manager;
  element("force").checked = step.force;
  element("remove").disabled = state.steps.length === 1;
}

function select(at) {
  state.selected = at;
  editors.config.text = state.steps[at].config;
  drawSteps();
  ask();
}

function show(tab) {
  state.tab = tab;
  drawTab();
  ask();
}

function load(given) {
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in state));
  if (!TABS.includes(known.tab)) known.tab = "patch";
  if (!Array.isArray(known.steps) || known.steps.length === 0) delete known.steps;
  Object.assign(state, { selected: 0 }, structuredClone(known));
  state.selected = Math.min(state.selected, state.steps.length - 1);
  draw();
}

function loadExample(at) {
  const { name: _, ...example } = examples[at];
  load({ type: "strategic", dialect: "upstream", schemas: "", ...example });
}

function wire() {
  element("example").append(...examples.map(({ name }, at) => new Option(name, at)));
  element("example").onchange = ({ target }) => loadExample(Number(target.value));
  for (const field of ["dialect", "type", "kubernetes"]) {
    element(field).onchange = ({ target }) => change({ [field]: target.value });
  }
  element("two-way").onchange = ({ target }) => change({ twoWay: target.checked });
  element("compare").onchange = ask;
  element("manager").oninput = ({ target }) => changeStep({ manager: target.value });
  element("force").onchange = ({ target }) => changeStep({ force: target.checked });
  element("add").onclick = () => {
    const { config } = state.steps[state.selected];
    state.steps.push({ manager: `manager-${state.steps.length + 1}`, config, force: false });
    select(state.steps.length - 1);
  };
  element("remove").onclick = () => {
    state.steps.splice(state.selected, 1);
    select(Math.max(0, state.selected - 1));
  };
  for (const tab of TABS) {
    element(`tab-${tab}`).onclick = () => show(tab);
    element(`tab-${tab}`).onkeydown = moveBetweenTabs;
  }
  element("share").onclick = share;
  element("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  window.onhashchange = async () => {
    const given = await fromFragment(location.hash);
    if (given) load(given);
  };
}

function moveBetweenTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tab = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length];
  show(tab);
  element(`tab-${tab}`).focus();
}

async function share() {
  history.replaceState(null, "", await toFragment(state));
  let said = "Link copied";
  // Without permission the link is in the address bar all the same.
  await navigator.clipboard?.writeText(location.href).catch(() => (said = "Link in the address bar"));
  element("share").textContent = said;
  setTimeout(() => (element("share").textContent = "Copy link"), 2000);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  element("theme").textContent = theme === "dark" ? "Light" : "Dark";
  element("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

async function start() {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  wire();
  const given = await fromFragment(location.hash);
  if (given) load(given);
  else loadExample(0);
  engine.ask({ calls: [{ name: "versions", args: [] }] }, ({ answers }) => {
    const versions = answers?.[0].answer ?? [];
    element("kubernetes").append(...versions.toReversed().map((version) => new Option(version, version)));
    if (state.kubernetes) element("kubernetes").value = state.kubernetes;
    ask();
  });
}

// For the tests and the benchmark of the page.
window.kubemerge = { engine, state, load };
start();
