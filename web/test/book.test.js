// The documentation as people read it. Needs a build in target/book and Chromium, as the tests of the page.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./server.js";

const book = new URL("../../target/book", import.meta.url).pathname;
const executablePath = process.env.KUBEMERGE_CHROMIUM ?? "/usr/bin/chromium";
const missing = [
  !existsSync(`${book}/playground/index.html`) && "target/book is not built",
  !existsSync(executablePath) && "there is no Chromium",
].find(Boolean);

/** What a page refers to in its own folder and below or above it. */
function references(html) {
  const found = [...html.matchAll(/(?:href|src)="([^"#?]+)/g)].map(([, target]) => target);
  return found.filter((target) => !/^([a-z]+:|\/)/.test(target));
}

describe("the book", { skip: missing || false }, () => {
  test("references of every page lead somewhere", async () => {
    const files = (await readdir(book, { recursive: true })).filter((name) => name.endsWith(".html"));
    assert.ok(files.length > 20, `${files.length} pages`);
    const broken = [];
    for (const name of files) {
      const targets = references(await readFile(join(book, name), "utf8"));
      for (const target of targets) {
        if (!existsSync(join(book, dirname(name), decodeURIComponent(target)))) broken.push(`${name}: ${target}`);
      }
    }
    assert.deepEqual(broken, []);
  });

  test("the playground works inside", async () => {
    const server = await serve(book);
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(`${server.address}playground.html`);
      const frame = page.frameLocator("iframe");
      await frame.locator("body[data-ready=true]").waitFor();
      assert.match(await frame.locator("#refusal").innerText(), /Duplicate value/);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
