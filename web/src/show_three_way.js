// The tab "Diff and three-way": the patch, and what both sides changed.
import { fault, fill } from "./list.js";

export function showThreeWay({ answer, error }, editors) {
  fault("made-fault", error);
  for (const side of ["original", "modified", "current"]) {
    const here = error?.place && (error.text === side || error.text === { original: "from", modified: "to" }[side]);
    editors[side].findings(here ? [{ place: error.place, severity: "error", message: error.message }] : []);
  }
  editors.made.text = answer?.patch ?? "";
  fill("conflicts", (answer?.conflicts ?? []).map(conflict));
}

const conflict = ({ path, wanted, current }) => ({
  text: `${path}: wanted ${words(wanted)}, on the server ${words(current)}`,
  className: "warning",
});

function words({ change, value }) {
  return value === undefined ? change : `${change} ${JSON.stringify(value)}`;
}
