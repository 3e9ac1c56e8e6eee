// The tab "Patch": result, steps, differences, refusal and findings.
import { fault, fill } from "./list.js";

export function showPatch([explained, objectFindings, patchFindings], editors, compared) {
  const { answer, error } = explained;
  fault("fault", error);
  mark(editors.object, objectFindings, error?.text === "object" ? error : null);
  mark(editors.patch, patchFindings, error?.text === "patch" ? error : null);
  const result = answer?.result ?? "";
  editors.result.compare(null);
  editors.result.text = answer && answer.result === null ? "# the object is deleted\n" : result;
  if (compared && answer?.result) editors.result.compare(editors.object.text);
  editors.result.notes(answer ? notes(answer) : new Map());
  const inResult = (line) => editors.result.goTo(line);
  fill("refusal", (answer?.refusal ?? []).map(cause), inResult);
  fill("findings", findings(objectFindings, "object").concat(findings(patchFindings, "patch")));
  fill("differences", (answer?.differences ?? []).map(difference), inResult);
  fill("steps", (answer?.steps ?? []).filter(isTold).map(step), inResult);
}

function mark(editor, found, error) {
  const all = found.answer ?? [];
  const place = error?.place;
  editor.findings(place ? [{ place, severity: "error", message: error.message }] : all);
}

/** Steps that only lead to others are left out. */
function isTold({ path, action }) {
  return path !== "" && !["map-merged", "item-matched", "unchanged"].includes(action);
}

const step = ({ path, sentence, because, inResult }) => ({
  text: `${path}: ${sentence}`,
  line: inResult?.line,
  detail: because?.length ? `(${because.join("; ")})` : "",
});

const difference = ({ path, words, inResult }) => ({ text: `${path}: ${words}`, line: inResult?.line });

const cause = ({ field, message, inResult }) => ({
  text: field ? `${field}: ${message}` : message,
  line: inResult?.line,
  className: "error",
});

function findings({ answer }, where) {
  return (answer ?? []).map(({ rule, severity, message, reason, help, place }) => ({
    text: `${where}, line ${place.line}: ${message}`,
    detail: [reason, help && `Try: ${help}`, `[${rule}]`].filter(Boolean).join(". "),
    className: severity,
  }));
}

/** What each line of the result has to say. */
function notes({ steps, differences, refusal }) {
  const lines = new Map();
  const add = (place, text, className) => {
    if (!place) return;
    const note = lines.get(place.line) ?? { className, texts: [] };
    note.texts.push(text);
    note.className = className;
    lines.set(place.line, note);
  };
  for (const one of steps.filter(isTold)) {
    const because = one.because?.length ? ` (${one.because.join("; ")})` : "";
    add(one.inResult, `${one.path}: ${one.sentence}${because}`, "l-changed");
  }
  for (const one of differences) add(one.inResult, `${one.path}: ${one.words}`, "l-differs");
  for (const one of refusal) add(one.inResult, `The API server refuses this: ${one.message}`, "l-refused");
  return lines;
}
