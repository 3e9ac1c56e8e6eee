/** A document: text in YAML or JSON, or a value. */
export type Input = string | object;

export type PatchType = "strategic" | "merge" | "json";
export type Dialect = "upstream" | "spec" | "kustomize";

/** Which schema to use. */
export interface Settings {
  dialect?: Dialect;
  /** A version such as `1.37`; the newest one if it is not given. */
  kubernetes?: string;
  /** Texts with CustomResourceDefinitions or OpenAPI documents. */
  schemas?: string[];
  /** Texts with overlays, or the name `design-documents`. */
  overlays?: string[];
}

export interface PatchSettings extends Settings {
  type?: PatchType;
}

/** A stretch of a text. Lines and columns start at 1. */
export interface Place {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface PatchResult {
  /** The object with its comments and layout; null if the patch deletes the object. */
  result: string | null;
  hasChanged: boolean;
}

export interface Step {
  /** Items of lists by their keys: `spec.ports[port=53].protocol`. */
  path: string;
  action:
    | "added" | "set" | "unchanged" | "removed" | "map-merged" | "map-replaced" | "list-merged" | "list-replaced"
    | "item-matched" | "item-added" | "reordered" | "changed";
  sentence: string;
  from?: unknown;
  to?: unknown;
  keys?: string[];
  cause?: string;
  because?: string[];
  inPatch: Place;
  inResult?: Place;
}

export interface Difference {
  path: string;
  words: string;
  dialects: Partial<Record<Dialect, { code: string; value?: unknown }>>;
  inResult?: Place;
}

export interface RefusalCause {
  field: string;
  reason: string;
  message: string;
  inResult?: Place;
}

export interface FieldChange {
  path: string;
  from?: unknown;
  to?: unknown;
}

export interface Explanation extends PatchResult {
  changes: FieldChange[];
  steps: Step[];
  differences: Difference[];
  refusal: RefusalCause[];
}

export interface Change {
  change: "set" | "remove" | "delete" | "replace";
  value?: unknown;
}

export interface MadePatch {
  patch: string;
  conflicts?: { path: string; wanted: Change; current: Change }[];
}

export interface Finding {
  rule: string;
  severity: "warning" | "error";
  message: string;
  reason?: string;
  help?: string;
  path: string;
  place: Place;
  related?: { label: string; place: Place }[];
}

export interface Admitted {
  /** The object as it would be stored. */
  result?: string;
  refusal: RefusalCause[];
}

export interface Owner {
  manager: string;
  operation: "Apply" | "Update";
  subresource?: string;
}

export interface PlannedField {
  path: string;
  effect: "add" | "change" | "conflict" | "take-over" | "share" | "prune" | "release";
  others: Owner[];
  before?: string;
  after?: string;
}

export interface ApplyResult {
  /** The object with `metadata.managedFields`; missing if there are conflicts. */
  result?: string;
  plan: PlannedField[];
  /** The API server's words, if it refuses the apply because of conflicts. */
  conflict?: string;
}

export interface ApplySettings extends Settings {
  manager: string;
  /** The object on the server with its managedFields; left out if it is new. */
  live?: Input | null;
  force?: boolean;
}

/** A call that failed. */
export class KubemergeError extends Error {
  /** A stable name, such as `missing-merge-key`. */
  kind: string;
  hint?: string;
  /** The text at fault: `object`, `patch`, `schemas[1]`. */
  text?: string;
  path?: string;
  place?: Place;
  /** What the API server answers with. */
  status?: number;
}

export class Kubemerge {
  /** Starts an engine from a compiled module, or from its bytes. */
  static from(source: BufferSource | WebAssembly.Module): Promise<Kubemerge>;
  /** How much memory the engine has taken so far. */
  readonly memoryBytes: number;
  apply(object: Input, patch: Input, settings?: PatchSettings): PatchResult;
  explain(object: Input, patch: Input, settings?: PatchSettings): Explanation;
  diff(from: Input, to: Input, settings?: PatchSettings): MadePatch;
  threeWay(versions: { original: Input; modified: Input; current: Input }, settings?: Settings): MadePatch;
  lint(documents: string, settings?: Settings): Finding[];
  lintPatch(object: Input, patch: Input, settings?: PatchSettings): Finding[];
  admit(object: Input, settings?: Settings & { old?: Input }): Admitted;
  serverSideApply(config: Input, settings: ApplySettings): ApplyResult;
  /** Places are those in `shown`, if it is given: the same object without managedFields, say. */
  owners(object: Input, settings?: Settings & { shown?: string }): { path: string; owners: Owner[]; place?: Place }[];
  kinds(settings?: Settings): { apiVersion: string; kind: string }[];
  versions(): string[];
}

/** Starts an engine. In a browser, from `kubemerge.wasm` beside the package or from the given address. */
export function load(address?: string | URL): Promise<Kubemerge>;
