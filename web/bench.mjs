// How long people wait: `node bench.mjs` after a build. Prints the time from navigation to the first result, and for
// each key typed into the patch of a 15 KB pod the time in the engine and until the result is in the page.
import { chromium } from "playwright-core";
import { serve } from "./test/server.js";

const KEYS = 200;
const STARTS = 10;
const here = new URL("./", import.meta.url).pathname;
const executablePath = process.env.KUBEMERGE_CHROMIUM ?? "/usr/bin/chromium";

const variable = (at) => `    - name: VARIABLE_${at}\n      value: "the value of variable ${at}"\n`;
const container = (at) =>
  `  - name: container-${at}\n    image: example.com/shop/container-${at}:1.0.${at}\n    env:\n` +
  Array.from({ length: 21 }, (_, at) => variable(at)).join("") +
  `    ports:\n    - containerPort: ${8000 + at}\n`;
const pod =
  "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n" +
  Array.from({ length: 10 }, (_, at) => container(at)).join("");
const patch = `spec:
  containers:
  - name: container-3
    image: example.com/shop/container-3:2.0.0
    env:
    - name: VARIABLE_7
      value: `;

/** The value below which this part of all is. */
function quantile(times, part) {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function print(name, times) {
  const [half, most] = [0.5, 0.95].map((part) => quantile(times, part).toFixed(1).padStart(8));
  console.log(`${name.padEnd(36)} p50 ${half} ms   p95 ${most} ms   (${times.length} times)`);
}

async function firstResult(browser, address) {
  const page = await browser.newPage();
  const from = performance.now();
  await page.goto(address);
  await page.waitForSelector("body[data-ready=true]");
  const time = performance.now() - from;
  await page.close();
  return time;
}

async function keys(browser, address) {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForSelector("body[data-ready=true]");
  await page.evaluate(({ pod, patch }) => window.kubemerge.load({ tab: "patch", object: pod, patch }), { pod, patch });
  await page.waitForTimeout(500);
  await page.click("#patch .cm-content");
  await page.keyboard.press("Control+End");
  await page.evaluate(() => {
    const { engine } = window.kubemerge;
    engine.times.length = 0;
    window.waited = [];
    // The event of a key comes before the editor handles it, and the answer is shown when `shown` is called.
    let from = 0;
    addEventListener("keydown", () => (from = performance.now()), true);
    window.kubemerge.shown = () => window.waited.push(performance.now() - from);
  });
  for (let at = 0; at < KEYS; at++) {
    await page.keyboard.press("abcdefghij"[at % 10]);
    await page.waitForTimeout(40);
  }
  const times = await page.evaluate(() => ({ engine: window.kubemerge.engine.times, shown: window.waited }));
  await page.close();
  return times;
}

const server = await serve(`${here}dist`);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const starts = [];
for (let at = 0; at < STARTS; at++) starts.push(await firstResult(browser, server.address));
print("navigation to the first result", starts);
const times = await keys(browser, server.address);
print(`key, pod of ${pod.length} bytes: engine`, times.engine);
print(`key, pod of ${pod.length} bytes: shown`, times.shown);
await browser.close();
server.close();
