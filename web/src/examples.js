// Cases that people know, each one click. `tab` says where they are shown.

const service = `apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  selector: {app: dns}
  ports:
  - name: dns
    port: 53
    protocol: UDP
  - name: dns-tcp
    port: 53
    protocol: TCP
`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web  # ours
        image: web:1
        env:
        - {name: LOG, value: info}
      - name: proxy  # injected
        image: proxy:7
`;

export const examples = [
  {
    name: "Lost port: one port number, two protocols (k/k #39188)",
    tab: "patch",
    object: service,
    patch: `spec:
  ports:
  - port: 53
    protocol: TCP
    targetPort: 5353
`,
  },
  {
    name: "A sidecar survives a strategic patch",
    tab: "patch",
    object: deployment,
    patch: `spec:
  template:
    spec:
      containers:
      - name: web
        image: web:2
`,
  },
  {
    name: "A sidecar is replaced by a merge patch",
    tab: "patch",
    type: "merge",
    object: deployment,
    patch: `spec:
  template:
    spec:
      containers:
      - name: web
        image: web:2
`,
  },
  {
    name: "A variable twice (k/k #65106)",
    tab: "patch",
    object: deployment.replace("        - {name: LOG, value: info}\n", "        - {name: LOG, value: info}\n        - {name: LOG, value: debug}\n"),
    patch: `spec:
  template:
    spec:
      containers:
      - name: web
        env:
        - {name: LOG, value: warn}
`,
  },
  {
    name: "Delete an item: $patch: delete",
    tab: "patch",
    object: deployment,
    patch: `spec:
  template:
    spec:
      containers:
      - name: proxy
        $patch: delete
`,
  },
  {
    name: "Change the type of a strategy: $retainKeys",
    tab: "patch",
    object: deployment.replace("  replicas: 2\n", "  replicas: 2\n  strategy:\n    type: RollingUpdate\n    rollingUpdate: {maxSurge: 1}\n"),
    patch: `spec:
  strategy:
    $retainKeys: [type]
    type: Recreate
`,
  },
  {
    name: "Somebody scaled the deployment: a conflict",
    tab: "three-way",
    original: deployment,
    modified: deployment.replace("replicas: 2", "replicas: 3").replace("web:1", "web:2"),
    current: deployment.replace("replicas: 2", "replicas: 5"),
  },
  {
    name: "Two managers, one field",
    tab: "apply",
    steps: [
      { manager: "helm", config: deployment, force: false },
      {
        manager: "autoscaler",
        config: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 5\n",
        force: false,
      },
    ],
  },
  {
    name: "A field that is no longer applied is removed",
    tab: "apply",
    steps: [
      { manager: "me", config: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: one\n  b: two\n", force: false },
      { manager: "you", config: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  b: two\n", force: false },
      { manager: "me", config: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  c: three\n", force: false },
    ],
  },
];
