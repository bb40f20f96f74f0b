// Help, search, and what the recording says of itself.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ItemQuery } from "./model/items";
import { page, type Store } from "./store";

function Dialog(props: { readonly title: string; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const close = () => {
    page.dialog.value = null;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={element}
      aria-label={props.title}
      onClose={close}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <header>
        <h2>{props.title}</h2>
        <button type="button" onClick={close} aria-label="Close">
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ["← →", "back or forward one unit of time"],
  ["Shift + ← →", "instruction of the chosen warp before or after"],
  ["Ctrl + ← →", "back or forward 100 units of time"],
  ["Home, End", "first and last time"],
  ["space", "play or pause"],
  ["[ ]", "divergence before or after"],
  ["{ }", "event of the chosen kind before or after"],
  ["w W", "next warp, warp before"],
  ["l L", "next lane, lane before"],
  ["+ − 0", "zoom in, zoom out, show all"],
  ["/", "search for a work-item or a line"],
  ["?", "this help"],
  ["Esc", "close"],
];

export function Help() {
  return (
    <Dialog title="How to read and move">
      <p>
        A <b>warp</b> is a group of <b>lanes</b> that issue one instruction together. Where lanes
        branch to different places, or some miss the cache, the warp divides into <b>paths</b>: each
        has its colour, hatch and letter. The page shows one warp at one time; choose them above, in
        the timeline, or by key.
      </p>
      <p>
        What is issued <i>at</i> a time is filled; everything else is as it is at the <i>end</i> of
        that time.
      </p>
      <table class="keys">
        <tbody>
          {KEYS.map(([keys, meaning]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        The address of the page holds time, warp and lane (<code>#t=120&amp;warp=3&amp;lane=5</code>
        ): copy it to show someone this very step. In the timeline, drag the ruler to move through
        time, drag rows to pan, turn the wheel to zoom.
      </p>
    </Dialog>
  );
}

/** Return what a search text means: a work-item, a line, or the sentence that explains the form. */
export function readQuery(
  text: string,
): { readonly item: ItemQuery } | { readonly line: number } | string {
  const clean = text.trim();
  const line = /^(?:line\s+|:)(\d+)$/i.exec(clean);
  if (line) return { line: Number(line[1]) };
  const ids = (part: string) =>
    part
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
  const halves = clean.split("+");
  const numbers = halves.map((h) => ids(h.replace(/[()]/g, " ")));
  const isFine = numbers.every((n) => n.length >= 1 && n.length <= 3 && n.every(Number.isInteger));
  if (isFine && halves.length === 1) return { item: { global: numbers[0] } };
  if (isFine && halves.length === 2) return { item: { group: numbers[0], local: numbers[1] } };
  return "Type a global id (17 or 3, 4), workgroup + local id (2 + 5), or a line (line 31).";
}

export function Search({ store }: { readonly store: Store }) {
  const [answer, setAnswer] = useState("");
  const find = (text: string) => {
    const query = readQuery(text);
    if (typeof query === "string") return setAnswer(query);
    if ("line" in query) return findLine(query.line);
    const place = store.session.findItem(query.item, store.t.value);
    if (!place) return setAnswer("This recording has no such work-item.");
    store.chooseWarp(place.warp);
    store.chooseLane(place.lane);
    if (place.t !== store.t.value) store.goto(place.t);
    page.dialog.value = null;
  };
  const findLine = (line: number) => {
    const file = store.lineNow()?.file ?? Object.keys(store.session.recording.facts.sources)[0];
    store.line.value = { file, line };
    store.jump.value = "line";
    const before = store.t.value;
    store.jumpTo("line", 1);
    if (store.remark.value) store.jumpTo("line", -1);
    if (store.remark.value && store.t.value === before)
      return setAnswer(`Warp ${store.warp.value} never executes line ${line} in this recording.`);
    page.dialog.value = null;
  };
  return (
    <Dialog title="Search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          find((event.currentTarget.elements.namedItem("query") as HTMLInputElement).value);
        }}
      >
        <label>
          Work-item or line
          <input name="query" autocomplete="off" placeholder="17, or 2 + 5, or line 31" />
        </label>
        <button type="submit">Find</button>
      </form>
      <p class="quiet">
        <b>17</b> or <b>3, 4</b> is a global id. <b>2 + 5</b> is local id 5 of workgroup 2.{" "}
        <b>line 31</b> is a source line: the next time that the chosen warp runs it.
      </p>
      <p role="status" class="problem">
        {answer}
      </p>
    </Dialog>
  );
}

/** What ran, on what, and with which result. */
export function About({ stores }: { readonly stores: readonly Store[] }) {
  return (
    <Dialog title="About this recording">
      {stores.map((store, i) => (
        <Facts key={i} store={store} />
      ))}
    </Dialog>
  );
}

function Facts({ store }: { readonly store: Store }) {
  const { facts } = store.session.recording;
  const rows: [string, string][] = [
    ["what", facts.title],
    [
      "kind",
      facts.kind === "timing" ? "simulation: time counts cycles" : "execution: time counts steps",
    ],
    ["times", `${facts.unit}s ${facts.begin} to ${store.session.last}`],
  ];
  if (facts.scheme) rows.push(["scheme", withKnobs(facts.scheme.name, facts.scheme.knobs)]);
  if (facts.policy) rows.push(["policy", facts.policy]);
  for (const [field, value] of Object.entries(facts.machine ?? {}))
    if (field !== "sources" && value !== null) rows.push([`machine: ${field}`, fieldText(value)]);
  for (const launch of facts.launches) {
    const kernel =
      typeof launch.kernel === "number" ? facts.kernels[launch.kernel].name : launch.kernel;
    const words = launch.arguments.map((a) => `${a.name}=${a.value}`).join(", ");
    rows.push([
      "launch",
      `${kernel} from ${facts.unit} ${launch.t}, ${launch.items.join(" × ")} work-items in groups of ${launch.group_size.join(" × ")}; ${words}`,
    ]);
  }
  for (const [name, value] of Object.entries(facts.statistics))
    if (typeof value === "number" || typeof value === "string")
      rows.push([
        name.replaceAll("_", " "),
        typeof value === "number" ? value.toLocaleString("en") : value,
      ]);
  if (facts.outcome) rows.push(["ended by", facts.outcome.text]);
  if (facts.versions) rows.push(["made with", withKnobs("", facts.versions)]);
  return (
    <table class="about">
      <tbody>
        {rows.map(([name, value], i) => (
          <tr key={i}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Return a field of a machine: "32768", or "size 32768, ways 8" of one with parts. */
const fieldText = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? withKnobs("", value as Record<string, unknown>)
    : String(value);

function withKnobs(name: string, knobs: Readonly<Record<string, unknown>> = {}): string {
  const words = Object.entries(knobs).map(([k, v]) =>
    typeof v === "object" ? `${k} ${JSON.stringify(v)}` : `${k} ${v}`,
  );
  return [name, words.join(", ")].filter(Boolean).join(": ");
}
