// One recording being looked at: answers for a warp and a time, from lazily built indices.

import type { Instruction, Kernel } from "./facts";
import { findItem, type ItemQuery, itemOf, type WorkItem } from "./items";
import { countOf, includes, type Mask, maskOf } from "./masks";
import { lastAtMost, type Recording } from "./recording";
import { Colouring, type Lane, States, type WarpState } from "./state";
import { Values } from "./values";

/** One instruction that a warp issues at a time. */
export interface IssuedNow {
  readonly row: number;
  readonly pc: number;
  readonly mask: Mask;
  readonly lanes: number;
  readonly group: number;
  readonly launch: number;
  readonly instruction: Instruction;
}

export interface WaitNow {
  readonly cause: string;
  readonly mask: Mask;
  readonly from: number;
  readonly until: number;
  readonly pc: number;
}

export interface InstantNow {
  readonly kind: string;
  readonly pc: number;
  readonly mask: Mask;
  readonly other: Mask;
}

/** One cell of the matrix of a pack: which sub-warp takes the lane of a row along. */
export interface Pack {
  readonly pc: number;
  /** Warp contexts, a row of lanes each. */
  readonly warps: readonly number[];
  /** By row, then lane: number of the sub-warp from 1, or 0. */
  readonly cells: readonly Uint8Array[];
  /** Time of each sub-warp. */
  readonly times: readonly number[];
  /** The sub-warp that issues at the time asked for. */
  readonly now: number;
}

export class Session {
  readonly states: States;
  private readonly colourings = new Map<number, Colouring>();
  private known: Values | string | null = null;
  /** The largest number of instructions of one issue. */
  readonly longestIssue: number;
  private byGroup: Map<number, Int32Array> | null = null;
  private ends: Float64Array | null = null;
  private accessEnds: Float64Array | null = null;
  private services: Float64Array | null = null;

  /** Warp contexts that issue anything, in order. */
  readonly usedWarps: readonly number[];

  constructor(readonly recording: Recording) {
    this.states = new States(recording);
    this.usedWarps = [...new Set(recording.issue.warp)].sort((a, b) => a - b);
    this.longestIssue = recording.issue.n.reduce((a, b) => Math.max(a, b), 1);
  }

  get begin() {
    return this.recording.facts.begin;
  }

  /** The last time that is covered. */
  get last() {
    return Math.max(this.begin, this.recording.facts.end - 1);
  }

  /** The values, or the sentence that says why there are none. */
  get values(): Values | string {
    this.known ??= Values.of(this.recording);
    return this.known;
  }

  kernelAt(t: number): Kernel {
    return this.recording.kernels[this.recording.launchAt(t)];
  }

  colouring(warp: number): Colouring {
    let found = this.colourings.get(warp);
    if (!found) {
      found = new Colouring(this.recording, this.states, warp);
      this.colourings.set(warp, found);
    }
    return found;
  }

  /**
   * Return the state of a warp at the end of t.
   *
   * A state is recorded when it changes; within an issue of several instructions only the pc moves.
   */
  stateAt(warp: number, t: number): WarpState {
    const state = this.states.stateAt(warp, t);
    const { issue } = this.recording;
    const going = this.issuedAt(warp, t).filter(({ row }) => issue.t[row] + issue.n[row] - 1 > t);
    if (!going.length) return state;
    const paths = state.paths.map((path) => {
      const now = going.find(({ mask }) => path.source === "group" && (mask & path.mask) !== 0n);
      return now ? { ...path, pc: now.pc + 1 } : path;
    });
    return { ...state, paths };
  }

  /** Return the colour of each path of the state of a warp at the end of t. */
  coloursAt(warp: number, t: number): Uint8Array {
    return this.colouring(warp).ofPaths(this.states.indexAt(warp, t));
  }

  /** Return every lane of a warp at the end of t. */
  lanesAt(warp: number, t: number): Lane[] {
    const issued = this.issuedAt(warp, t).reduce((all, issue) => all | issue.mask, 0n);
    const { paths, live } = this.stateAt(warp, t);
    return Array.from({ length: this.recording.width }, (_, lane) => {
      const path = paths.findIndex((p) => includes(p.mask, lane));
      return {
        lane,
        path,
        pc: path < 0 ? null : paths[path].pc,
        issues: includes(issued, lane),
        isLive: includes(live, lane),
      };
    });
  }

  /** Return what a warp issues at t, first group first. */
  issuedAt(warp: number, t: number): IssuedNow[] {
    const { issue } = this.recording;
    const rows = this.recording.rows(issue, warp);
    const found: IssuedNow[] = [];
    for (let i = lastAtMost(rows, issue.t, t); i >= 0; i--) {
      const row = rows[i];
      if (issue.t[row] <= t - this.longestIssue) break;
      if (issue.t[row] + issue.n[row] <= t) continue;
      const pc = issue.pc[row] + (t - issue.t[row]);
      found.push({
        row,
        pc,
        mask: maskOf(issue.lo[row], issue.hi[row]),
        lanes: countOf(issue.lo[row], issue.hi[row]),
        group: issue.group[row],
        launch: issue.launch[row],
        instruction: this.recording.kernelOf(row).instructions[pc],
      });
    }
    return found.reverse();
  }

  /** Return the next time after t (before it, if `step` is -1) at which the warp issues, or null. */
  nextIssue(warp: number, t: number, step: 1 | -1): number | null {
    const { issue } = this.recording;
    const rows = this.recording.rows(issue, warp);
    const at = lastAtMost(rows, issue.t, t);
    if (step > 0) {
      if (at >= 0 && issue.t[rows[at]] + issue.n[rows[at]] > t + 1) return t + 1;
      return at + 1 < rows.length ? issue.t[rows[at + 1]] : null;
    }
    for (let i = lastAtMost(rows, issue.t, t - 1); i >= 0; )
      return Math.min(t - 1, issue.t[rows[i]] + issue.n[rows[i]] - 1);
    return null;
  }

  /** Return the next time at which the warp issues an instruction that `test` accepts. */
  nextWhere(
    warp: number,
    t: number,
    step: 1 | -1,
    test: (kernel: Kernel, pc: number) => boolean,
  ): number | null {
    const { issue } = this.recording;
    const rows = this.recording.rows(issue, warp);
    for (let i = lastAtMost(rows, issue.t, t); i >= 0 ? i < rows.length : step > 0; i += step) {
      if (i < 0) continue;
      const row = rows[i];
      const kernel = this.recording.kernelOf(row);
      for (let k = 0; k < issue.n[row]; k++) {
        const j = step > 0 ? k : issue.n[row] - 1 - k;
        const time = issue.t[row] + j;
        if ((step > 0 ? time > t : time < t) && test(kernel, issue.pc[row] + j)) return time;
      }
      if (step < 0 && i === 0) break;
    }
    return null;
  }

  /** Return the next time at which an instant of one of the kinds befalls the warp, or null. */
  nextInstant(warp: number, t: number, step: 1 | -1, kinds: readonly string[]): number | null {
    const { instant, facts } = this.recording;
    const rows = this.recording.rows(instant, warp);
    const wanted = new Set(kinds.map((kind) => facts.instants.indexOf(kind)));
    let i = lastAtMost(rows, instant.t, step > 0 ? t : t - 1) + (step > 0 ? 1 : 0);
    for (; i >= 0 && i < rows.length; i += step)
      if (wanted.has(instant.kind[rows[i]])) return instant.t[rows[i]];
    return null;
  }

  instantsAt(warp: number, t: number): InstantNow[] {
    const { instant, facts } = this.recording;
    const rows = this.recording.rows(instant, warp);
    const found: InstantNow[] = [];
    for (let i = lastAtMost(rows, instant.t, t); i >= 0 && instant.t[rows[i]] === t; i--) {
      const row = rows[i];
      found.push({
        kind: facts.instants[instant.kind[row]],
        pc: instant.pc[row],
        mask: maskOf(instant.lo[row], instant.hi[row]),
        other: maskOf(instant.other.lo[row], instant.other.hi[row]),
      });
    }
    return found.reverse();
  }

  /** Return what groups of a warp wait for at t. */
  waitsAt(warp: number, t: number): WaitNow[] {
    const { wait, facts } = this.recording;
    const rows = this.recording.rows(wait, warp);
    const found: WaitNow[] = [];
    // Waits overlap: a running maximum of their ends says how far back one can still last.
    const ends = this.runningEnds();
    for (let i = lastAtMost(rows, wait.t, t); i >= 0 && ends[rows[i]] > t; i--) {
      const row = rows[i];
      if (wait.until[row] <= t) continue;
      found.push({
        cause: facts.causes[wait.cause[row]] ?? "unknown",
        mask: maskOf(wait.lo[row], wait.hi[row]),
        from: wait.t[row],
        until: wait.until[row],
        pc: wait.pc[row],
      });
    }
    return found.reverse();
  }

  /** Return the index of the warp's first wait that can last beyond t. */
  firstWait(warp: number, t: number): number {
    return firstBeyond(this.recording.rows(this.recording.wait, warp), this.runningEnds(), t);
  }

  /** Return the index of the warp's first access that can be in service after t. */
  firstAccess(warp: number, t: number): number {
    const { access } = this.recording;
    this.accessEnds ??= this.runningMaxima(access, this.serviceEnds());
    return firstBeyond(this.recording.rows(access, warp), this.accessEnds, t);
  }

  /** Return by access the end of its service, which is the end of its group's waits. */
  serviceEnds(): Float64Array {
    if (this.services) return this.services;
    const { access, wait, facts } = this.recording;
    this.services = new Float64Array(access.count);
    const inMemory = new Set(
      ["hit", "bank", "mshr", "l2", "memory"].map((cause) => facts.causes.indexOf(cause)),
    );
    const key = (group: number, pc: number) => group * 65536 + pc;
    const waiting = new Map<number, number[]>();
    for (let row = 0; row < wait.count; row++) {
      if (!inMemory.has(wait.cause[row])) continue;
      const at = key(wait.group[row], wait.pc[row]);
      const rows = waiting.get(at);
      if (rows) rows.push(row);
      else waiting.set(at, [row]);
    }
    for (let row = 0; row < access.count; row++) {
      const rows = waiting.get(key(access.group[row], access.pc[row])) ?? [];
      let end = access.t[row] + 1;
      for (let i = lastRowBelow(rows, wait.t, access.t[row]) + 1; i < rows.length; i++) {
        if (wait.t[rows[i]] > end) break;
        end = Math.max(end, wait.until[rows[i]]);
      }
      this.services[row] = end;
    }
    return this.services;
  }

  private runningEnds(): Float64Array {
    const { wait } = this.recording;
    this.ends ??= this.runningMaxima(wait, wait.until);
    return this.ends;
  }

  /** Return by row the largest end of the warp's rows up to it, which never decreases. */
  private runningMaxima(
    table: { readonly count: number; readonly warp: Int32Array },
    ends: Float64Array,
  ): Float64Array {
    const found = new Float64Array(table.count);
    for (let warp = 0; warp < this.recording.warps; warp++) {
      let end = Number.NEGATIVE_INFINITY;
      for (const row of this.recording.rows(table, warp)) {
        end = Math.max(end, ends[row]);
        found[row] = end;
      }
    }
    return found;
  }

  /** Return the pack that a warp is a row of at t, or null where it issues alone. */
  packAt(warp: number, t: number): Pack | null {
    const now = this.issuedAt(warp, t)[0];
    if (!now) return null;
    const { issue } = this.recording;
    const rows = this.rowsOfGroup(now.group);
    const at = lastAtMost(rows, issue.t, t);
    // The instruction's sub-warps are the neighbours at this pc whose lanes were not taken yet.
    const seen = new Map<number, Mask>();
    const overlaps = (row: number) =>
      ((seen.get(issue.warp[row]) ?? 0n) & maskOf(issue.lo[row], issue.hi[row])) !== 0n;
    const take = (row: number) => {
      const before = seen.get(issue.warp[row]) ?? 0n;
      seen.set(issue.warp[row], before | maskOf(issue.lo[row], issue.hi[row]));
    };
    let [first, end] = [at, at];
    while (first >= 0 && issue.pc[rows[first]] === now.pc && !overlaps(rows[first]))
      take(rows[first--]);
    while (
      ++end < rows.length &&
      issue.pc[rows[end]] === now.pc &&
      issue.n[rows[end]] === 1 &&
      !overlaps(rows[end])
    )
      take(rows[end]);
    const parts = Array.from(rows.subarray(first + 1, end));
    const warps = [...new Set(parts.map((row) => issue.warp[row]))].sort((a, b) => a - b);
    if (warps.length < 2) return null;
    const times = [...new Set(parts.map((row) => issue.t[row]))];
    const cells = warps.map(() => new Uint8Array(this.recording.width));
    for (const row of parts) {
      const cell = cells[warps.indexOf(issue.warp[row])];
      for (let lane = 0; lane < cell.length; lane++)
        if ((maskOf(issue.lo[row], issue.hi[row]) >> BigInt(lane)) & 1n)
          cell[lane] = 1 + times.indexOf(issue.t[row]);
    }
    return { pc: now.pc, warps, cells, times, now: 1 + times.indexOf(t) };
  }

  private rowsOfGroup(group: number): Int32Array {
    if (!this.byGroup) {
      const lists = new Map<number, number[]>();
      this.recording.issue.group.forEach((g, row) => {
        const list = lists.get(g);
        if (list) list.push(row);
        else lists.set(g, [row]);
      });
      this.byGroup = new Map([...lists].map(([g, list]) => [g, Int32Array.from(list)]));
    }
    return this.byGroup.get(group) ?? new Int32Array();
  }

  /** Return the ids of the work-item in a lane, or null for an empty lane. */
  itemOf(warp: number, lane: number, t: number): WorkItem | null {
    return itemOf(this.recording, warp, lane, t);
  }

  /** Return where a work-item is: a warp, a lane and a time not before t, if there is one. */
  findItem(wanted: ItemQuery, t: number): { warp: number; lane: number; t: number } | null {
    return findItem(this.recording, wanted, t);
  }
}

/** Return the largest index in `rows` whose time is below t, or -1. */
const lastRowBelow = (rows: readonly number[], times: Float64Array, t: number) =>
  lastAtMost(rows, times, t - 0.5);

/** Return the first index in `rows` whose end is later than t; ends never decrease. */
function firstBeyond(rows: Int32Array, ends: Float64Array, t: number): number {
  return lastAtMost(rows, ends, t) + 1;
}
