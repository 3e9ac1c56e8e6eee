import assert from "node:assert/strict";
import { before, test } from "node:test";
import { KubemergeError, load } from "kubemerge";

const service = `apiVersion: v1
kind: Service
metadata: {name: dns}
spec:
  ports:
  - {name: dns, port: 53, protocol: UDP}
  - {name: dns-tcp, port: 53, protocol: TCP}
`;
const patch = { spec: { ports: [{ port: 53, protocol: "TCP", targetPort: 5353 }] } };

let kubemerge;
before(async () => {
  kubemerge = await load();
});

test("apply follows the dialect", () => {
  assert.match(kubemerge.apply(service, patch).result, /name: dns, port: 53, protocol: TCP, targetPort: 5353/);
  assert.match(kubemerge.apply(service, patch, { dialect: "spec" }).result, /dns-tcp, port: 53, protocol: TCP, targetPort: 5353/);
});

test("values are given and texts come back", () => {
  const { result } = kubemerge.apply({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }, { data: { a: null } }, { type: "merge" });
  assert.deepEqual(JSON.parse(result), { apiVersion: "v1", kind: "ConfigMap", data: {} });
});

test("explain tells why, and what the API server refuses", () => {
  const explained = kubemerge.explain(service, patch);
  const list = explained.steps.find((step) => step.path === "spec.ports");
  assert.deepEqual(list.keys, ["port"]);
  assert.equal(explained.refusal[0].reason, "FieldValueDuplicate");
});

test("server-side apply tells conflicts", () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
  const live = kubemerge.serverSideApply(config, { manager: "me" }).result;
  const refused = kubemerge.serverSideApply({ ...config, data: { a: "2" } }, { live, manager: "you" });
  assert.equal(refused.result, undefined);
  assert.equal(refused.plan[0].others[0].manager, "me");
});

test("an error names text, place and kind", () => {
  const broken = () => kubemerge.apply(service, "spec:\n  ports:\n  - name: x\n");
  assert.throws(broken, (error) => error instanceof KubemergeError && error.kind === "missing-merge-key" && error.text === "patch" && error.place.line === 3);
});

test("an engine survives texts that are deep or large", () => {
  const deep = (levels) => `{"spec": ${"[".repeat(levels)}${"]".repeat(levels)}}`;
  assert.equal(kubemerge.explain(service, deep(990)).hasChanged, true);
  for (const levels of [1_001, 5_000, 100_000]) {
    assert.throws(() => kubemerge.explain(service, deep(levels)), KubemergeError);
  }
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, "x".repeat(50)]));
  const { result } = kubemerge.apply({ apiVersion: "v1", kind: "ConfigMap", data }, { data: { "key-7": "y" } });
  assert.equal(JSON.parse(result).data["key-7"], "y");
});

test("memory does not grow with the number of calls", () => {
  kubemerge.explain(service, patch);
  const before = kubemerge.memoryBytes;
  for (let at = 0; at < 1_000; at++) kubemerge.explain(service, patch);
  assert.equal(kubemerge.memoryBytes, before);
});
