// Lists of facts below the panes.

/** Fills a list and hides its section if there is nothing to tell. Items: {text, line, detail, className}. */
export function fill(id, items, goTo) {
  document.getElementById(`${id}-box`).hidden = items.length === 0;
  document.getElementById(id).replaceChildren(...items.map((item) => entry(item, goTo)));
}

function entry({ text, line, detail, className }, goTo) {
  const entry = document.createElement("li");
  if (className) entry.className = className;
  const head = document.createElement(line && goTo ? "button" : "span");
  head.textContent = text;
  if (line && goTo) {
    head.type = "button";
    head.onclick = () => goTo(line);
  }
  entry.append(head);
  if (detail) entry.append(" ", Object.assign(document.createElement("span"), { className: "because", textContent: detail }));
  return entry;
}

/** Shows a fault of a request, or hides it. */
export function fault(id, error) {
  const element = document.getElementById(id);
  element.hidden = !error;
  element.textContent = error ? [place(error) + error.message, error.hint].filter(Boolean).join("\n") : "";
}

function place({ text, place }) {
  if (!text) return "";
  return place ? `${text}, line ${place.line}: ` : `${text}: `;
}
