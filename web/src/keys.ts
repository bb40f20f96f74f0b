// Keys, and the address of the page.

import { effect } from "@preact/signals";
import { hasAddress } from "./embedding";
import { page, type Store } from "./store";

/** Let keys move through the recording that `current` returns. */
export function listen(current: () => Store): () => void {
  const press = (event: KeyboardEvent) => {
    const target = event.target as Element;
    if (page.dialog.value || event.altKey || event.metaKey) return;
    if (target.matches("input:not([type=checkbox]), textarea")) return;
    // Lists choose by letters and by up and down, and what can be pressed is pressed by space.
    if (target.matches("select") && !/^(Arrow(Left|Right)|Home|End|[?/[\]])$/.test(event.key))
      return;
    if (event.key === " " && target.matches("button, input, a")) return;
    const act = actions(current(), event);
    if (!act) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

function actions(store: Store, { key, shiftKey, ctrlKey }: KeyboardEvent): (() => void) | null {
  const { session } = store;
  const sign = key === "ArrowLeft" ? -1 : 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight":
      if (ctrlKey) return () => store.step(100 * sign);
      return shiftKey ? () => store.stepInstruction(sign) : () => store.step(sign);
    case "Home":
      return () => store.goto(session.begin);
    case "End":
      return () => store.goto(session.last);
    case " ":
      return () => {
        store.isPlaying.value = !store.isPlaying.value;
      };
  }
  if (ctrlKey) return null;
  const span = store.to.value - store.from.value;
  const t = store.t.value;
  const plain: Record<string, () => void> = {
    "[": () => store.jumpTo("diverge", -1),
    "]": () => store.jumpTo("diverge", 1),
    "{": () => store.jumpTo(store.jump.value, -1),
    "}": () => store.jumpTo(store.jump.value, 1),
    w: () => store.stepWarp(1),
    W: () => store.stepWarp(-1),
    l: () => store.chooseLane(store.lane.value + 1),
    L: () => store.chooseLane(store.lane.value - 1),
    "+": () => store.zoom(t - span / 4, t + span / 4),
    "=": () => store.zoom(t - span / 4, t + span / 4),
    "-": () => store.zoom(t - span, t + span),
    "0": () => store.zoom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    "/": () => {
      page.dialog.value = "search";
    },
    "?": () => {
      page.dialog.value = "help";
    },
  };
  return plain[key] ?? null;
}

/** Read time, warp and lane from the address, and keep it up to date. */
export function linkToAddress(store: Store): () => void {
  let known = location.hash;
  const read = () => {
    known = location.hash;
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (name: string, act: (n: number) => void) => {
      const text = words.get(name);
      if (text !== null && text !== "" && Number.isFinite(Number(text))) act(Number(text));
    };
    number("warp", (n) => store.chooseWarp(n));
    number("lane", (n) => store.chooseLane(n));
    number("t", (n) => store.goto(n));
  };
  read();
  if (!hasAddress()) return () => {};
  let timer = 0;
  const stop = effect(() => {
    const hash = `#t=${store.t.value}&warp=${store.warp.value}&lane=${store.lane.value}`;
    // Browsers refuse an address that changes too often.
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      // An address that changed in the meantime is about to be read.
      if (location.hash !== known || known === hash) return;
      history.replaceState(null, "", hash);
      known = location.hash;
    }, 250);
  });
  addEventListener("hashchange", read);
  return () => {
    stop();
    removeEventListener("hashchange", read);
  };
}
