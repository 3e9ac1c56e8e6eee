// The official JavaScript client: list, watch, create, three patches, errors.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const k8s = createRequire(import.meta.url)(process.env.CLIENT_NODE);

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);

assert.equal((await core.listNamespace()).items[0].metadata.name, "default");

const body = {
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "nginx", image: "nginx:1.14" }, { name: "sidecar", image: "s:1" }] },
    },
  },
};
const created = await apps.createNamespacedDeployment({ namespace: "default", body });
assert.ok(created.metadata.uid);

async function patch(strategy, body) {
  const options = k8s.setHeaderOptions("Content-Type", strategy);
  return apps.patchNamespacedDeployment({ name: "web", namespace: "default", body }, options);
}

const nginx = { spec: { template: { spec: { containers: [{ name: "nginx", image: "nginx:1.21" }] } } } };
let patched = await patch(k8s.PatchStrategy.StrategicMergePatch, nginx);
const images = patched.spec.template.spec.containers.map((one) => `${one.name}=${one.image}`);
assert.deepEqual(images, ["nginx=nginx:1.21", "sidecar=s:1"]);
patched = await patch(k8s.PatchStrategy.MergePatch, { spec: { replicas: 3 } });
assert.equal(patched.spec.replicas, 3);
patched = await patch(k8s.PatchStrategy.JsonPatch, [{ op: "replace", path: "/spec/replicas", value: 4 }]);
assert.equal(patched.spec.replicas, 4);

await assert.rejects(core.readNamespacedPod({ name: "none", namespace: "default" }), (error) => error.code === 404);
await assert.rejects(apps.createNamespacedDeployment({ namespace: "default", body }), (error) => error.code === 409);

const seen = [];
await new Promise((resolve, reject) => {
  const watch = new k8s.Watch(config);
  const path = "/api/v1/namespaces/default/configmaps";
  const note = (type) => {
    seen.push(type);
    if (type === "DELETED") resolve();
  };
  watch
    .watch(path, { allowWatchBookmarks: false }, note, (error) => error && reject(error))
    .then(async () => {
      await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "a" } } });
      await core.deleteNamespacedConfigMap({ name: "a", namespace: "default" });
    })
    .catch(reject);
});
assert.deepEqual(seen, ["ADDED", "DELETED"]);
console.log("done");
process.exit(0);
