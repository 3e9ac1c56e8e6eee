// Editors: YAML with line numbers, marks for findings, and what a line has to say when it is pointed at.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours come from the style sheet, which knows dark and light.
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "y-key" },
  { tag: [tags.string, tags.content], class: "y-text" },
  { tag: tags.comment, class: "y-comment" },
  { tag: [tags.number, tags.bool, tags.null], class: "y-number" },
]);

// Longer texts are shown without their changes: finding them would hold up typing.
const MAX_COMPARED = 100_000;

const setNotes = StateEffect.define();

/** Lines with something to say: {line: {className, html}}. */
const notes = StateField.define({
  create: () => ({ lines: new Map(), marks: Decoration.none }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setNotes)) return marked(transaction.state, effect.value);
    return transaction.docChanged ? { lines: new Map(), marks: Decoration.none } : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
});

function marked(state, lines) {
  const marks = [...lines]
    .filter(([line]) => line >= 1 && line <= state.doc.lines)
    .sort(([one], [other]) => one - other)
    .map(([line, note]) => Decoration.line({ class: note.className }).range(state.doc.line(line).from));
  return { lines, marks: Decoration.set(marks) };
}

const tellNotes = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position);
  const note = view.state.field(notes).lines.get(line.number);
  if (!note?.texts.length) return null;
  return { pos: line.from, end: line.to, above: true, create: () => ({ dom: tooltip(note.texts) }) };
});

function tooltip(texts) {
  const box = document.createElement("div");
  box.className = "note";
  for (const text of texts) box.append(Object.assign(document.createElement("p"), { textContent: text }));
  return box;
}

/** An editor in an element; `changed` is called with every new text of the user. */
export class Editor {
  #view;
  #comparison = new Compartment();
  #silent = false;

  constructor(parent, { label, readOnly = false, changed = () => {} }) {
    const extensions = [
      lineNumbers(),
      history(),
      // Tab leaves the editor: the page must be usable by keyboard.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      yaml(),
      syntaxHighlighting(colours),
      notes,
      tellNotes,
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !this.#silent) changed(this.text);
      }),
      this.#comparison.of([]),
      readOnly ? [] : lintGutter(),
    ];
    this.#view = new EditorView({ parent, extensions });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  set text(text) {
    if (text === this.text) return;
    this.#silent = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
    this.#silent = false;
  }

  /** Marks findings: {place, severity, message}. */
  findings(all) {
    const { doc } = this.#view.state;
    const offset = (line, column) => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return Math.min(at.from + column - 1, at.to);
    };
    const diagnostics = all.map(({ place, severity, message }) => ({
      from: offset(place.line, place.column),
      to: Math.max(offset(place.endLine, place.endColumn), offset(place.line, place.column)),
      severity,
      message,
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** What lines say when they are pointed at: a map of line numbers to {className, texts}. */
  notes(lines) {
    this.#view.dispatch({ effects: setNotes.of(lines) });
  }

  /** Shows what differs from another text; nothing without one. */
  compare(original) {
    const tooLong = Math.max(original?.length ?? 0, this.text.length) > MAX_COMPARED;
    const options = { original, mergeControls: false, gutter: true, diffConfig: { scanLimit: 500, timeout: 100 } };
    const view = original === null || tooLong ? [] : unifiedMergeView(options);
    this.#view.dispatch({ effects: this.#comparison.reconfigure(view) });
  }

  /** Puts the cursor into a line. */
  goTo(line) {
    const { doc } = this.#view.state;
    if (line < 1 || line > doc.lines) return;
    this.#view.dispatch({ selection: { anchor: doc.line(line).from }, scrollIntoView: true });
    this.#view.focus();
  }
}
