// The tab "Server-side apply": the object after all applies, the owners of its lines, and what one apply does.
import { fault, fill } from "./list.js";

export function showApply({ outcomes, shown, owners }, state, editors) {
  const { answer, error } = outcomes[state.selected] ?? {};
  const refused = answer?.conflict && { message: answer.conflict, hint: "Force it to take the fields, or leave them out." };
  fault("apply-fault", error ?? refused);
  const place = error?.text === "config" && error.place;
  editors.config.findings(place ? [{ place, severity: "error", message: error.message }] : []);
  editors.owned.text = shown;
  editors.owned.notes(notes(owners));
  fill("plan", (answer?.plan ?? []).map(planned));
}

function planned({ path, effect, others, before, after }) {
  const values = [before, after].filter((value) => value !== undefined).join(" becomes ");
  const owned = others.length ? `owned by ${others.map(({ manager }) => manager).join(", ")}` : "";
  return {
    text: `${path}: ${effect.replace("-", " ")}${values && ` (${values})`}`,
    detail: owned,
    className: effect === "conflict" ? "error" : "",
  };
}

/** Who owns each line. */
function notes(owners) {
  const lines = new Map();
  for (const { owners: names, place, path } of owners) {
    if (!place) continue;
    const note = lines.get(place.line) ?? { className: "l-changed", texts: [] };
    note.texts.push(`${path}: ${names.map(({ manager, operation }) => `${manager} (${operation})`).join(", ")}`);
    if (names.length > 1) note.className = "l-differs";
    lines.set(place.line, note);
  }
  return lines;
}
