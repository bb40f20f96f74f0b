// The source, with the line that runs now and the lines at which other paths are.

import { useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { Facts } from "../model/facts";
import { tokens } from "../model/lexer";
import type { Store } from "../store";
import { letterOf, Pane } from "./parts";

export function SourcePane({ store }: { readonly store: Store }) {
  const facts = store.session.recording.facts;
  const file = shownFile(store, facts);
  return (
    <Pane
      title="Source"
      name="source"
      hint="The line that runs now is filled. A letter marks the path (set of lanes) that will run the line next. Click a line to choose it, then jump between its runs with { and }."
      tools={<span class="quiet">{file.split("/").pop()}</span>}
    >
      <Listing key={file} store={store} file={file} text={facts.sources[file] ?? ""} />
    </Pane>
  );
}

function shownFile(store: Store, facts: Facts): string {
  const names = Object.keys(facts.sources);
  return store.lineNow()?.file ?? names[0] ?? "";
}

interface ListingProps {
  readonly store: Store;
  readonly file: string;
  readonly text: string;
}

/** The lines are drawn once; marks are moved by hand, since they change 60 times a second. */
function Listing({ store, file, text }: ListingProps) {
  const list = useRef<HTMLOListElement>(null);
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const marked = useRef<HTMLElement[]>([]);
  useSignalEffect(() => {
    const root = list.current;
    if (!root) return;
    for (const element of marked.current) {
      element.className = "";
      element.removeAttribute("aria-current");
      (element.firstElementChild as HTMLElement).replaceChildren();
    }
    marked.current = [];
    const rowOf = (pc: number | null) => {
      const at = pc === null ? undefined : store.kernel.value.instructions[pc];
      return at?.file === file && at.line ? (root.children[at.line - 1] as HTMLElement) : undefined;
    };
    const mark = (row: HTMLElement | undefined, name: string) => {
      if (!row) return;
      row.classList.add(name);
      marked.current.push(row);
    };
    const { paths } = store.state.value;
    paths.forEach((path, i) => {
      const row = rowOf(path.pc);
      mark(row, "next");
      const chip = document.createElement("b");
      const colour = store.colours.value[i];
      chip.className = `chip path-${colour}`;
      chip.textContent = letterOf(colour);
      row?.firstElementChild?.append(chip);
    });
    let current: HTMLElement | undefined;
    for (const { pc } of store.issued.value) {
      current = rowOf(pc);
      mark(current, "now");
      current?.setAttribute("aria-current", "step");
    }
    const chosen = store.line.value;
    if (chosen?.file === file) mark(root.children[chosen.line - 1] as HTMLElement, "chosen");
    scrollTo(root, current ?? rowOf(paths[0]?.pc ?? null));
  });
  const choose = (line: number) => {
    const before = store.line.value;
    store.line.value = before?.line === line && before.file === file ? null : { file, line };
  };
  if (!text) return <p class="empty">The recording has no source text.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must take the focus
    <ol class="listing" ref={list} tabIndex={0} aria-label={`Source file ${file}`}>
      {lines.map((line, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: / chooses a line from the keyboard
        <li key={i} onClick={() => choose(i + 1)}>
          <span class="marks" />
          <span class="number">{i + 1}</span>
          <code>
            {tokens(line).map(({ kind, text: part }, k) =>
              kind === "plain" ? (
                part
              ) : (
                <span key={k} class={`token-${kind}`}>
                  {part}
                </span>
              ),
            )}
          </code>
        </li>
      ))}
    </ol>
  );
}

/** Bring a row into the middle of its list if it is not in sight. */
function scrollTo(list: HTMLElement, row: HTMLElement | undefined) {
  if (!row) return;
  const top = row.offsetTop;
  const margin = 2 * row.offsetHeight;
  if (
    top >= list.scrollTop + margin &&
    top + row.offsetHeight + margin <= list.scrollTop + list.clientHeight
  )
    return;
  list.scrollTop = top - list.clientHeight / 2;
}
