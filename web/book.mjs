// Builds the documentation with the playground inside into target/book: `node book.mjs`, after `node build.mjs`.
// Needs mdbook: KUBEMERGE_MDBOOK, or on PATH.
import { execFileSync } from "node:child_process";
import { cp } from "node:fs/promises";

const root = new URL("../", import.meta.url).pathname;
execFileSync(process.env.KUBEMERGE_MDBOOK ?? "mdbook", ["build"], { cwd: root, stdio: "inherit" });
await cp(`${root}web/dist`, `${root}target/book/playground`, { recursive: true });
console.log(`built ${root}target/book`);
