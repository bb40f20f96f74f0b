// What the reader looks at: time, warp, lane, and how. Everything else on the page follows from it.

import { computed, signal } from "@preact/signals";
import type { Match } from "./model/align";
import type { Session } from "./model/session";

export type Tint = "paths" | "density";

export type Theme = "auto" | "light" | "dark";

/** What the whole page has once, however many recordings it shows. */
export const page = {
  theme: signal<Theme>("auto"),
  /** Which of two recordings the panes below show that exist once. */
  side: signal(0),
  dialog: signal<"help" | "search" | "about" | null>(null),
  /** Counts changes of colours, after which canvases are drawn again. */
  repaint: signal(0),
};

/** The state of one view of a recording. Panes read signals; keys and buttons call the methods. */
export class Store {
  readonly t;
  readonly warp;
  readonly lane;
  readonly isPlaying = signal(false);
  /** Units of time a second. */
  readonly speed = signal(8);
  readonly jump = signal("diverge");
  readonly tint = signal<Tint>("paths");
  /** The part of the time that the timelines show. */
  readonly from;
  readonly to;
  /** What a jump could not find, until the next step. */
  readonly remark = signal("");
  /** Where the other recording is, if two are compared. */
  readonly partner = signal<Match | null>(null);
  /** The source line that was clicked: file and line. */
  readonly line = signal<{ file: string; line: number } | null>(null);

  readonly issued = computed(() => this.session.issuedAt(this.warp.value, this.t.value));
  readonly state = computed(() => this.session.stateAt(this.warp.value, this.t.value));
  readonly colours = computed(() => this.session.coloursAt(this.warp.value, this.t.value));
  readonly lanes = computed(() => this.session.lanesAt(this.warp.value, this.t.value));
  readonly kernel = computed(() => this.session.kernelAt(this.t.value));

  constructor(
    readonly session: Session,
    readonly name = "",
  ) {
    this.t = signal(session.begin);
    this.warp = signal(session.usedWarps[0]);
    this.lane = signal(0);
    this.from = signal(session.begin);
    const all = session.last + 1 - session.begin;
    this.to = signal(session.begin + (all > 3000 ? 1000 : all));
  }

  /** Go to a time, which is clamped to the recording. */
  goto(t: number) {
    this.remark.value = "";
    this.t.value = Math.min(this.session.last, Math.max(this.session.begin, Math.round(t)));
    this.follow();
  }

  step(by: number) {
    this.goto(this.t.value + by);
  }

  /** Go to the next instruction that the warp issues, or the one before. */
  stepInstruction(step: 1 | -1) {
    const t = this.session.nextIssue(this.warp.value, this.t.value, step);
    this.arrive(t, `warp ${this.warp.value} issues nothing ${step > 0 ? "after" : "before"} this`);
  }

  /** Go to the next instant of the chosen kind, or the one before; `line` means executions. */
  jumpTo(kind: string, step: 1 | -1) {
    const [warp, t] = [this.warp.value, this.t.value];
    const which = step > 0 ? "later" : "earlier";
    if (kind !== "line") {
      const kinds = KINDS_OF[kind] ?? [kind];
      const found = this.session.nextInstant(warp, t, step, kinds);
      this.arrive(found, `warp ${warp} has no ${which} event of this kind`);
      return;
    }
    const line = this.line.value ?? this.lineNow();
    if (!line) return;
    const found = this.session.nextWhere(warp, t, step, (kernel, pc) => {
      const at = kernel.instructions[pc];
      return at.line === line.line && at.file === line.file;
    });
    this.arrive(found, `warp ${warp} does not execute line ${line.line} ${which}`);
  }

  /** Return the source line of the instruction that runs now, or will run next. */
  lineNow(): { file: string; line: number } | null {
    const pc = this.issued.value[0]?.pc ?? this.state.value.paths[0]?.pc;
    const at = pc === undefined || pc === null ? undefined : this.kernel.value.instructions[pc];
    return at?.file && at.line ? { file: at.file, line: at.line } : null;
  }

  private arrive(t: number | null, problem: string) {
    if (t === null) this.remark.value = problem[0].toUpperCase() + problem.slice(1);
    else this.goto(t);
  }

  chooseWarp(warp: number) {
    this.warp.value = Math.min(this.session.recording.warps - 1, Math.max(0, Math.round(warp)));
  }

  /** Choose the warp that issues anything after the chosen one, or before it. */
  stepWarp(step: 1 | -1) {
    const used = this.session.usedWarps;
    const at = used.indexOf(this.warp.value);
    this.chooseWarp(used[Math.min(used.length - 1, Math.max(0, at + step))]);
  }

  chooseLane(lane: number) {
    this.lane.value = Math.min(this.session.recording.width - 1, Math.max(0, Math.round(lane)));
  }

  /** Show the times from `from` up to `to`, at least `least` of them. */
  zoom(from: number, to: number, least = 8) {
    const [first, end] = [this.session.begin, this.session.last + 1];
    const span = Math.min(end - first, Math.max(least, to - from));
    const start = Math.min(end - span, Math.max(first, from));
    this.from.value = start;
    this.to.value = start + span;
  }

  /** Move the shown part so that the current time is in it. */
  private follow() {
    const [from, to, t] = [this.from.value, this.to.value, this.t.value];
    const span = to - from;
    if (t < from || t >= to)
      this.zoom(t - span * (t < from ? 0.8 : 0.2), t + span * (t < from ? 0.2 : 0.8));
  }
}

/** Kinds of jumps that stand for several instants. */
const KINDS_OF: Readonly<Record<string, readonly string[]>> = {
  merge: ["merge", "join"],
  barrier: ["barrier", "open"],
  exit: ["exit", "trap"],
};

export const JUMPS: readonly { kind: string; title: string }[] = [
  { kind: "diverge", title: "divergence" },
  { kind: "merge", title: "merge" },
  { kind: "split", title: "split" },
  { kind: "miss", title: "miss" },
  { kind: "barrier", title: "barrier" },
  { kind: "exit", title: "exit or trap" },
  { kind: "line", title: "run of the line" },
];
