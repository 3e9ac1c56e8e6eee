// Compiled, not run: the declarations fit the way the package is used.
import { load, type Explanation, type Finding } from "kubemerge";

const kubemerge = await load();
const explanation: Explanation = kubemerge.explain("a: 1", { a: 2 }, { type: "merge", kubernetes: "1.30" });
const findings: Finding[] = kubemerge.lint("kind: Pod");
const lines: number[] = findings.map((finding) => finding.place.line);
const owner: string | undefined = kubemerge.owners("{}")[0]?.owners[0]?.manager;
kubemerge.serverSideApply({}, { manager: "me", force: true });
// @ts-expect-error: a manager is needed.
kubemerge.serverSideApply({}, {});
export { explanation, lines, owner };
