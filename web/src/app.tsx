// The page: a head, the controls of time, and the panes of one recording or of two.

import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { About, Help, Search } from "./dialogs";
import { linkToAddress, listen } from "./keys";
import { count } from "./model/words";
import { ComparePane, SIDES, useAlignment } from "./panes/compare";
import { GraphPane } from "./panes/graph";
import { LanesPane } from "./panes/lanes";
import { MachinePane } from "./panes/machine";
import { MemoryPane } from "./panes/memory";
import { RegistersPane } from "./panes/registers";
import { SourcePane } from "./panes/source";
import { LaneTimelinePane, TimelinePane } from "./panes/timelines";
import { page, type Store, type Theme } from "./store";
import { StepText, Transport } from "./transport";

export function App({ stores }: { readonly stores: readonly Store[] }) {
  const [store] = stores;
  useTheme();
  useAlignment(stores);
  useEffect(() => listen(() => store), [store]);
  useEffect(() => linkToAddress(store), [store]);
  const dialog = page.dialog.value;
  return (
    <>
      <Head stores={stores} />
      <div class="controls">
        <Transport store={store} />
        <div class="steps">
          {stores.map((s, i) => (
            <StepText key={i} store={s} name={stores.length > 1 ? SIDES[i] : ""} />
          ))}
        </div>
      </div>
      <main>
        {stores.map((s, i) => (
          <Remarks key={i} store={s} />
        ))}
        {stores.length > 1 ? <Two stores={stores} /> : <One store={store} />}
      </main>
      {dialog === "help" && <Help />}
      {dialog === "search" && <Search store={store} />}
      {dialog === "about" && <About stores={stores} />}
    </>
  );
}

function One({ store }: { readonly store: Store }) {
  return (
    <>
      <TimelinePane store={store} />
      <div class="columns">
        <SourcePane store={store} />
        <div class="column">
          <LanesPane store={store} />
          <MachinePane store={store} />
        </div>
        <RegistersPane store={store} />
      </div>
      <LaneTimelinePane store={store} />
      <div class="halves">
        <GraphPane store={store} />
        <MemoryPane store={store} />
      </div>
    </>
  );
}

/** Two recordings: what differs, then the panes of both beside the source. */
function Two({ stores }: { readonly stores: readonly Store[] }) {
  const shown = stores[page.side.value];
  return (
    <>
      <ComparePane stores={stores} />
      {stores.map((store, i) => (
        <TimelinePane key={i} store={store} side={SIDES[i]} />
      ))}
      <div class="columns">
        <SourcePane store={shown} />
        {stores.map((store, i) => (
          <div key={i} class="column">
            <LanesPane store={store} side={SIDES[i]} />
            <MachinePane store={store} side={SIDES[i]} />
          </div>
        ))}
      </div>
      <fieldset class="sides">
        <legend>Source, registers, memory and control flow of</legend>
        {stores.map((store, i) => (
          <label key={i} class="check">
            <input
              type="radio"
              name="side"
              checked={page.side.value === i}
              onChange={() => {
                page.side.value = i;
              }}
            />
            {`${SIDES[i]}: ${store.name}`}
          </label>
        ))}
      </fieldset>
      <LaneTimelinePane key={page.side.value} store={shown} side={SIDES[page.side.value]} />
      <div class="columns">
        <GraphPane store={shown} />
        <RegistersPane store={shown} />
        <MemoryPane store={shown} />
      </div>
    </>
  );
}

function Head({ stores }: { readonly stores: readonly Store[] }) {
  return (
    <header class="head">
      <div>
        {stores.map((store, i) => (
          <Title key={i} store={store} name={stores.length > 1 ? `${SIDES[i]}: ` : ""} />
        ))}
      </div>
      <nav aria-label="Page">
        <button
          type="button"
          onClick={() => open("search")}
          title="Search for a work-item or a line (/)"
        >
          Search
        </button>
        <button type="button" onClick={() => open("about")}>
          About
        </button>
        <button type="button" onClick={() => open("help")} title="Help (?)">
          Help
        </button>
        <ThemeButton />
      </nav>
    </header>
  );
}

function Title({ store, name }: { readonly store: Store; readonly name: string }) {
  const { facts, width, warps } = store.session.recording;
  const how = facts.policy ?? facts.scheme?.name;
  const machine = facts.machine?.name;
  const words = [
    facts.kind === "timing" ? "simulation" : "execution",
    how && `${facts.policy ? "policy" : "scheme"} ${how}`,
    machine && `machine ${machine}`,
    `${count(warps, "warp")} of ${count(width, "lane")}`,
  ];
  return (
    <>
      <h1>{`${name}${facts.title}`}</h1>
      <p class="quiet">{words.filter(Boolean).join(" · ")}</p>
    </>
  );
}

const open = (dialog: "help" | "search" | "about") => {
  page.dialog.value = dialog;
};

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

function ThemeButton() {
  const theme = page.theme.value;
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return (
    <button
      type="button"
      class="theme"
      title={`Colours: ${theme}. Change to ${next}.`}
      aria-label={`Colours: ${theme}. Change to ${next}.`}
      onClick={() => {
        page.theme.value = next;
      }}
    >
      {{ auto: "◐", light: "☀", dark: "☾" }[theme]}
    </button>
  );
}

/** Follow the switch and the system: canvases have to be drawn again. */
function useTheme() {
  useSignalEffect(() => {
    const theme = page.theme.value;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    page.repaint.value = page.repaint.peek() + 1;
  });
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => {
      page.repaint.value++;
    };
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
}

/** The message, notes and help of an error as the command prints it, without its drawing of the source. */
function sentencesOf(error: string): string[] {
  const [first = "", ...rest] = error.split("\n");
  return [first, ...rest.flatMap((line) => /^\s*= (?:note|help): (.*)/.exec(line)?.[1] ?? [])];
}

/** What the reader must know of the recording: how it ended, and what it lacks. */
function Remarks({ store }: { readonly store: Store }) {
  const { session } = store;
  const { facts } = session.recording;
  const remarks: string[] = [];
  if (facts.outcome) {
    const [what, ...more] = sentencesOf(facts.outcome.text);
    remarks.push(`The run ended with an error: ${what}`, ...more);
  }
  if (facts.inexact)
    remarks.push(
      "Replaying this recording gave another final memory than the run had: values of registers and memory may be wrong.",
    );
  const span = `${facts.unit}s ${facts.begin.toLocaleString("en")} to ${session.last.toLocaleString("en")}`;
  if (facts.lost > 0)
    remarks.push(
      `This recording covers ${span} of a longer run; ${facts.lost.toLocaleString("en")} later issues were not kept. Record another part with --record-window FROM:TO.`,
    );
  else if (!session.recording.issue.count)
    remarks.push("Nothing was issued in the window of this recording.");
  else if (facts.begin > 0) remarks.push(`This recording covers ${span} of a longer run.`);
  if (!remarks.length) return null;
  return (
    <div class="remarks" role="note">
      {remarks.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
