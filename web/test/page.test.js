// The page in a real browser. Needs a build in dist/ and Chromium: KUBEMERGE_CHROMIUM, or /usr/bin/chromium.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./server.js";

const here = new URL("../", import.meta.url).pathname;
const executablePath = process.env.KUBEMERGE_CHROMIUM ?? "/usr/bin/chromium";
const missing = [
  !existsSync(`${here}dist/kubemerge.wasm`) && "dist/ is not built",
  !existsSync(executablePath) && "there is no Chromium",
].find(Boolean);

describe("the playground", { skip: missing || false }, () => {
  let browser, server, page;

  before(async () => {
    server = await serve(`${here}dist`);
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });
  beforeEach(async () => {
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.on("pageerror", (error) => assert.fail(error));
    await open();
  });

  async function open(fragment = "") {
    await page.goto(server.address + fragment);
    await page.waitForSelector("body[data-ready=true]");
  }
  const textOf = (id) => page.evaluate((id) => document.querySelector(`#${id} .cm-content`).cmView?.view.state.doc.toString() ?? document.querySelector(`#${id} .cm-content`).innerText, id);
  async function type(id, text) {
    await page.click(`#${id} .cm-content`);
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  }

  // As people bring in large texts: typing them takes the browser minutes.
  async function paste(id, text) {
    await page.click(`#${id} .cm-content`);
    await page.keyboard.press("Control+A");
    await page.evaluate(({ id, text }) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(`#${id} .cm-content`).dispatchEvent(event);
    }, { id, text });
  }

  test("the first example shows the lost port and the refusal", async () => {
    assert.match(await textOf("result"), /targetPort: 5353/);
    assert.match(await page.innerText("#refusal"), /Duplicate value/);
    assert.match(await page.innerText("#differences"), /spec/);
  });

  test("typing changes the result", async () => {
    await type("patch", "metadata:\n  labels: {a: b}\n");
    await page.waitForFunction(() => document.querySelector("#result").innerText.includes("a: b"));
    assert.equal(await page.isHidden("#refusal-box"), true);
  });

  test("an error names the text and the line", async () => {
    await type("patch", "spec:\n  ports:\n  - name: x\n");
    await page.waitForSelector("#fault:not([hidden])");
    assert.match(await page.innerText("#fault"), /patch, line 3/);
  });

  test("the dialect decides", async () => {
    await page.selectOption("#dialect", "spec");
    await page.waitForFunction(() => document.querySelector("#refusal-box").hidden);
  });

  test("every example can be shown", async () => {
    const count = await page.locator("#example option").count();
    for (let at = 0; at < count; at++) {
      await page.selectOption("#example", String(at));
      await page.waitForTimeout(50);
      const fault = await page.evaluate(() => [...document.querySelectorAll("#fault, #made-fault")].filter((one) => !one.hidden && one.offsetParent).map((one) => one.textContent).join());
      assert.equal(fault, "", `example ${at}`);
    }
  });

  test("a link carries the whole state", async () => {
    await page.selectOption("#example", "6");
    await page.waitForFunction(() => !document.querySelector("#conflicts-box").hidden);
    await page.click("#share");
    await page.waitForFunction(() => location.hash.length > 10);
    const fragment = new URL(page.url()).hash;
    await page.goto("about:blank");
    await open(fragment);
    assert.match(await page.innerText("#conflicts"), /spec.replicas/);
    assert.equal(await page.getAttribute("#tab-three-way", "aria-selected"), "true");
  });

  test("a broken link shows the first example", async () => {
    await open("#!!!");
    assert.match(await textOf("result"), /targetPort/);
  });

  test("server-side apply shows conflicts and owners", async () => {
    await page.selectOption("#example", "7");
    await page.click("#appliers li:nth-child(2) button");
    await page.waitForSelector("#apply-fault:not([hidden])");
    assert.match(await page.innerText("#apply-fault"), /conflict with "helm"/);
    await page.check("#force");
    await page.waitForSelector("#apply-fault[hidden]", { state: "attached" });
    assert.match(await page.innerText("#plan"), /take over/);
    assert.match(await textOf("owned"), /replicas: 5/);
  });

  test("tabs work by keyboard", async () => {
    await page.focus("#tab-patch");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.isVisible("#panel-three-way"), true);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.isVisible("#panel-patch"), true);
  });

  test("own definitions count", async () => {
    await page.click("#own summary");
    await type("schemas", "kind: CustomResourceDefinition\n");
    await page.waitForSelector("#fault:not([hidden])");
    assert.match(await page.innerText("#fault"), /schemas/);
  });

  test("very large and very deep texts leave the page usable", async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `  key-${at}: value`).join("\n");
    await paste("object", `apiVersion: v1\nkind: ConfigMap\ndata:\n${lines}\n`);
    await type("patch", "data: {key-7: other}\n");
    await page.waitForFunction(() => document.querySelector("#steps").innerText.includes("key-7"), null, { timeout: 60_000 });
    await paste("patch", "[".repeat(50_000) + "]".repeat(50_000));
    await page.waitForSelector("#fault:not([hidden])");
    await page.selectOption("#example", "0");
    await page.waitForSelector("#refusal-box:not([hidden])");
  });

  test("the worker is started again after a trap", async () => {
    await page.evaluate(() => window.kubemerge.engine.ask({ calls: [{ name: "noSuchCall", args: [] }] }, () => (window.trapped = true)));
    await page.waitForFunction(() => window.trapped);
    await type("patch", "metadata: {labels: {again: works}}\n");
    await page.waitForFunction(() => document.querySelector("#result").innerText.includes("again"));
  });

  for (const theme of ["light", "dark"]) {
    test(`nothing is inaccessible (${theme})`, async () => {
      await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
      await page.addScriptTag({ content: await readFile(`${here}node_modules/axe-core/axe.min.js`, "utf8") });
      for (const tab of ["patch", "three-way", "apply"]) {
        await page.click(`#tab-${tab}`);
        // axe cannot look at a page that changes.
        await page.waitForTimeout(500);
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
      }
    });
  }

  test("it fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
  });

  test("nothing is asked of other hosts", async () => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await open();
    assert.deepEqual(asked.filter((url) => !url.startsWith(server.address) && !url.startsWith("data:")), []);
  });
});
