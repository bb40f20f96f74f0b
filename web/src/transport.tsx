// The controls of time: step, play, jump, and what to look at.

import { useEffect } from "preact/hooks";
import { INSTANTS, stepText } from "./model/words";
import { Choice } from "./panes/parts";
import { JUMPS, type Store } from "./store";

const ICONS = {
  before: "M4 3v10M13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M5 2.5v11L13.5 8z",
  pause: "M5 3v10M11 3v10",
  forward: "M5 3v10l7-5z",
  next: "M12 3v10M3 3v10l7-5z",
} as const;

function Icon({ name }: { readonly name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

export const SPEEDS = [1, 2, 4, 8, 16, 60, 240, 1000];

export function Transport({ store }: { readonly store: Store }) {
  const { session } = store;
  const { facts } = session.recording;
  usePlayback(store);
  const t = store.t.value;
  const kinds = new Set(facts.instants);
  const jumps = JUMPS.filter(
    ({ kind }) => kind === "line" || kinds.has(kind) || Object.keys(INSTANTS).includes(kind),
  );
  const isPlaying = store.isPlaying.value;
  return (
    <div class="transport" role="toolbar" aria-label="Time">
      <span class="buttons main">
        <button
          type="button"
          onClick={() => store.stepInstruction(-1)}
          title={`Instruction before (Shift+←)`}
          aria-label="Instruction before"
        >
          <Icon name="before" />
        </button>
        <button
          type="button"
          onClick={() => store.step(-1)}
          title={`Back one ${facts.unit} (←)`}
          aria-label={`Back one ${facts.unit}`}
        >
          <Icon name="back" />
        </button>
        <button
          type="button"
          class="play"
          aria-pressed={isPlaying}
          aria-label={isPlaying ? "Pause" : "Play"}
          title={`${isPlaying ? "Pause" : "Play"} (space)`}
          onClick={() => {
            store.isPlaying.value = !isPlaying;
          }}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
        </button>
        <button
          type="button"
          onClick={() => store.step(1)}
          title={`Forward one ${facts.unit} (→)`}
          aria-label={`Forward one ${facts.unit}`}
        >
          <Icon name="forward" />
        </button>
        <button
          type="button"
          onClick={() => store.stepInstruction(1)}
          title="Next instruction (Shift+→)"
          aria-label="Next instruction"
        >
          <Icon name="next" />
        </button>
      </span>
      <label class="time">
        <span class="unit">{facts.unit}</span>
        <input
          type="number"
          id="time"
          min={session.begin}
          max={session.last}
          value={t}
          onChange={(event) => store.goto(Number(event.currentTarget.value))}
        />
        <span class="quiet">{`of ${session.last.toLocaleString("en")}`}</span>
      </label>
      <Choice
        label={`Speed, ${facts.unit}s a second`}
        hidesLabel
        value={store.speed.value}
        options={SPEEDS.map((s) => ({ value: s, title: `${s}/s` }))}
        onChange={(speed) => {
          store.speed.value = speed;
        }}
      />
      <span class="jump">
        <button
          type="button"
          aria-label="Jump to the one before"
          title="Jump to the one before ([ is divergence, { is the chosen kind)"
          onClick={() => store.jumpTo(store.jump.value, -1)}
        >
          ‹
        </button>
        <Choice
          label="Jump to"
          hidesLabel
          value={store.jump.value}
          options={jumps.map(({ kind, title }) => ({ value: kind, title }))}
          onChange={(kind) => {
            store.jump.value = kind;
          }}
        />
        <button
          type="button"
          aria-label="Jump to the next one"
          title="Jump to the next one (] is divergence, } is the chosen kind)"
          onClick={() => store.jumpTo(store.jump.value, 1)}
        >
          ›
        </button>
      </span>
      <Choice
        label="warp"
        value={store.warp.value}
        options={session.usedWarps.map((w) => ({ value: w, title: `${w}` }))}
        onChange={(warp) => store.chooseWarp(warp)}
      />
      <Choice
        label="lane"
        value={store.lane.value}
        options={Array.from({ length: session.recording.width }, (_, l) => ({
          value: l,
          title: `${l}`,
        }))}
        onChange={(lane) => store.chooseLane(lane)}
      />
    </div>
  );
}

/** The step in words, which screen readers speak when it changes. */
export function StepText({ store, name }: { readonly store: Store; readonly name: string }) {
  const text = stepText(store.session, store.warp.value, store.t.value);
  const remark = store.remark.value;
  return (
    <p class="step" role="status" aria-live={store.isPlaying.value ? "off" : "polite"}>
      {name ? <b>{`${name} `}</b> : null}
      {remark ? <strong>{`${remark}. `}</strong> : null}
      {text}
    </p>
  );
}

/** Advance time while the store plays. */
function usePlayback(store: Store) {
  const isPlaying = store.isPlaying.value;
  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    let due = 0;
    let request = requestAnimationFrame(function play(now) {
      due += ((now - before) / 1000) * store.speed.value;
      before = now;
      const steps = Math.floor(due);
      due -= steps;
      if (steps) store.step(steps);
      if (store.t.value >= store.session.last) store.isPlaying.value = false;
      else request = requestAnimationFrame(play);
    });
    return () => cancelAnimationFrame(request);
  }, [store, isPlaying]);
}
