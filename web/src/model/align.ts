// Two recordings of the same kernels, aligned by what each work-item has executed.
//
// Time and warps differ between two runs, and even the order in which a warp takes its paths. What
// both have in common is a work-item's own instructions: its k-th instruction is the same in both,
// unless its path depends on time. So a step of one run corresponds to the moment of the other at
// which the chosen work-item has executed as many instructions.

import type { Facts } from "./facts";
import { countOf, hasLane, type Mask, maskOf } from "./masks";
import { lastRowAtMost } from "./recording";
import type { Session } from "./session";

/** A work-item in any recording: launch, workgroup and flat local id. */
export interface ItemKey {
  readonly launch: number;
  readonly workgroup: number;
  readonly local: number;
}

/** What one work-item executes: times and pcs, in order, and where. */
export interface Trail {
  readonly warp: number;
  readonly lane: number;
  readonly times: readonly number[];
  readonly pcs: readonly number[];
}

/** Return the work-item in a lane at t, or null. */
export function keyOf(session: Session, warp: number, lane: number, t: number): ItemKey | null {
  const { recording } = session;
  const place = recording.occupantAt(warp, t);
  if (!place || !session.itemOf(warp, lane, t)) return null;
  const local = place.wave * recording.width + lane;
  return { launch: recording.launchAt(t), workgroup: place.workgroup, local };
}

/** The trails of a recording's work-items, found when asked for. */
export class Trails {
  private readonly found = new Map<string, Trail | null>();

  constructor(private readonly session: Session) {}

  of(key: ItemKey): Trail | null {
    const name = `${key.launch} ${key.workgroup} ${key.local}`;
    let trail = this.found.get(name);
    if (trail === undefined) {
      trail = this.find(key);
      this.found.set(name, trail);
    }
    return trail;
  }

  private find({ launch, workgroup, local }: ItemKey): Trail | null {
    const { recording } = this.session;
    const { issue, width } = recording;
    const [wave, lane] = [Math.floor(local / width), local % width];
    for (const warp of this.session.usedWarps) {
      const times: number[] = [];
      const pcs: number[] = [];
      for (const row of recording.rows(issue, warp)) {
        if (issue.launch[row] !== launch || !hasLane(issue.lo[row], issue.hi[row], lane)) continue;
        const place = recording.occupantAt(warp, issue.t[row]);
        if (place?.workgroup !== workgroup || place.wave !== wave) continue;
        for (let k = 0; k < issue.n[row]; k++) {
          times.push(issue.t[row] + k);
          pcs.push(issue.pc[row] + k);
        }
      }
      if (times.length) return { warp, lane, times, pcs };
    }
    return null;
  }
}

/** Where the other recording is, when this one is at a step. */
export interface Match {
  readonly warp: number;
  readonly lane: number;
  readonly t: number;
  /** Instructions that the work-item has executed. */
  readonly executed: number;
  /** Whether both have executed the same until here. */
  readonly isSame: boolean;
}

/** Return the moment of `to` that corresponds to a step of `from`, or null if there is none. */
export function matchOf(
  from: Session,
  to: Session,
  trails: { readonly from: Trails; readonly to: Trails },
  { warp, lane, t }: { readonly warp: number; readonly lane: number; readonly t: number },
): Match | null {
  const key = keyOf(from, warp, lane, t);
  if (!key) return null;
  const [here, there] = [trails.from.of(key), trails.to.of(key)];
  if (!here || !there) return null;
  const executed = lastRowAtMost(here.times, t) + 1;
  const last = Math.min(executed, there.times.length);
  const time = last ? there.times[last - 1] : Math.max(to.begin, there.times[0] - 1);
  let isSame = executed <= there.times.length;
  for (let k = 0; k < last && isSame; k++) isSame = here.pcs[k] === there.pcs[k];
  return { warp: there.warp, lane: there.lane, t: time, executed, isSame };
}

/** One instruction of a warp. */
export interface Step {
  readonly t: number;
  readonly pc: number;
  readonly mask: Mask;
  readonly warp: number;
}

/** The first place at which two runs of a warp issue different things. */
export interface Parting {
  readonly launch: number;
  readonly workgroup: number;
  readonly wave: number;
  /** How many instructions of this warp were the same. */
  readonly before: number;
  readonly a: Step | null;
  readonly b: Step | null;
}

/** Return where the earliest warp parts, or null where all issue the same in the same order. */
export function firstParting(a: Session, b: Session): Parting | null {
  if (a.recording.width !== b.recording.width) return null;
  const [ofA, ofB] = [stepsByWarp(a), stepsByWarp(b)];
  let found: Parting | null = null;
  const timeOf = (p: Parting) => Math.min(p.a?.t ?? Infinity, p.b?.t ?? Infinity);
  for (const [name, steps] of ofA) {
    const others = ofB.get(name) ?? [];
    let k = 0;
    while (k < steps.length && k < others.length && same(steps[k], others[k])) k++;
    if (k === steps.length && k === others.length) continue;
    const [launch, workgroup, wave] = name.split(" ").map(Number);
    const parting = {
      launch,
      workgroup,
      wave,
      before: k,
      a: steps[k] ?? null,
      b: others[k] ?? null,
    };
    if (!found || timeOf(parting) < timeOf(found)) found = parting;
  }
  return found;
}

const same = (x: Step, y: Step) => x.pc === y.pc && x.mask === y.mask;

/** Return the instructions of each warp of a launch, by "launch workgroup wave". */
function stepsByWarp({ recording, usedWarps }: Session): Map<string, Step[]> {
  const { issue } = recording;
  const found = new Map<string, Step[]>();
  for (const warp of usedWarps)
    for (const row of recording.rows(issue, warp)) {
      const place = recording.occupantAt(warp, issue.t[row]);
      if (!place) continue;
      const name = `${issue.launch[row]} ${place.workgroup} ${place.wave}`;
      let steps = found.get(name);
      if (!steps) {
        steps = [];
        found.set(name, steps);
      }
      const mask = maskOf(issue.lo[row], issue.hi[row]);
      for (let k = 0; k < issue.n[row]; k++)
        steps.push({ t: issue.t[row] + k, pc: issue.pc[row] + k, mask, warp });
    }
  return found;
}

/** Sums of one recording. */
export interface Totals {
  readonly time: number;
  readonly issues: number;
  readonly threads: number;
  readonly meanLanes: number;
  /** Issue slots by cause, as the engine charged each one; null for a part of a run. */
  readonly slots: ReadonlyMap<string, number> | null;
  /** Times at which no warp issues. */
  readonly idle: number;
  /** Idle times by the cause for which most lanes wait then. */
  readonly idleBy: ReadonlyMap<string, number>;
  readonly lines: ReadonlyMap<string, LineTotals>;
}

export interface LineTotals {
  readonly file: string;
  readonly line: number;
  issues: number;
  threads: number;
  /** Cycles that groups waited there, added up. */
  waited: number;
}

export function totalsOf({ recording }: Session): Totals {
  const { issue, wait, facts } = recording;
  const lines = new Map<string, LineTotals>();
  const lineOf = (launch: number, pc: number): LineTotals | null => {
    const at = recording.kernels[launch].instructions[pc];
    if (!at?.file || !at.line) return null;
    const name = `${at.file}:${at.line}`;
    let found = lines.get(name);
    if (!found) {
      found = { file: at.file, line: at.line, issues: 0, threads: 0, waited: 0 };
      lines.set(name, found);
    }
    return found;
  };
  let [issues, threads] = [0, 0];
  const busy = new Uint8Array(Math.max(1, facts.end - facts.begin));
  for (let row = 0; row < issue.count; row++) {
    const lanes = countOf(issue.lo[row], issue.hi[row]);
    for (let k = 0; k < issue.n[row]; k++) {
      const at = issue.t[row] + k - facts.begin;
      if (at >= 0 && at < busy.length) busy[at] = 1;
      const line = lineOf(issue.launch[row], issue.pc[row] + k);
      issues++;
      threads += lanes;
      if (!line) continue;
      line.issues++;
      line.threads += lanes;
    }
  }
  for (let row = 0; row < wait.count; row++) {
    const line = lineOf(recording.launchAt(wait.t[row]), wait.pc[row]);
    if (line && facts.causes[wait.cause[row]] !== "ready")
      line.waited += wait.until[row] - wait.t[row];
  }
  const { idle, idleBy } = idleOf(recording.facts, wait, busy);
  const time = facts.end - facts.begin;
  const meanLanes = issues ? threads / issues : 0;
  return { time, issues, threads, meanLanes, slots: slotsOf(facts), idle, idleBy, lines };
}

function slotsOf(facts: Facts): Map<string, number> | null {
  const found = new Map<string, number>();
  if (facts.lost || facts.begin) return null;
  for (const [name, value] of Object.entries(facts.statistics))
    if (name.startsWith("slots: ") && typeof value === "number")
      found.set(name.replace("slots: ", ""), value);
  return found.size ? found : null;
}

/** Charge times without an issue to the cause for which most lanes wait at that time. */
function idleOf(
  facts: { readonly begin: number; readonly causes: readonly string[] },
  wait: Session["recording"]["wait"],
  busy: Uint8Array,
): { idle: number; idleBy: Map<string, number> } {
  const n = facts.causes.length;
  // Lanes that wait for a cause change by these amounts at these times.
  const changes = new Int32Array((busy.length + 1) * Math.max(1, n));
  for (let row = 0; row < wait.count; row++) {
    const lanes = countOf(wait.lo[row], wait.hi[row]);
    const clamp = (t: number) => Math.min(busy.length, Math.max(0, t - facts.begin));
    changes[clamp(wait.t[row]) * n + wait.cause[row]] += lanes;
    changes[clamp(wait.until[row]) * n + wait.cause[row]] -= lanes;
  }
  const lanes = new Int32Array(n);
  const idleBy = new Map<string, number>();
  let idle = 0;
  for (let at = 0; at < busy.length; at++) {
    let most = -1;
    for (let cause = 0; cause < n; cause++) {
      lanes[cause] += changes[at * n + cause];
      if (lanes[cause] > 0 && (most < 0 || lanes[cause] > lanes[most])) most = cause;
    }
    if (busy[at]) continue;
    idle++;
    const name = most < 0 ? "other" : facts.causes[most];
    idleBy.set(name, (idleBy.get(name) ?? 0) + 1);
  }
  return { idle, idleBy };
}
