// What a warp holds at a time: its paths (sets of lanes that are at one pc), stack, pairs, table.

import type { GroupStatus, StateFact } from "./facts";
import { hasLane, includes, type Mask, parseMask, popcount } from "./masks";
import { lastAtMost, type Recording } from "./recording";

/** Where a path is written down: it decides how the page draws it. */
export type PathSource = "group" | "stack" | "pair" | "waiting";

export interface Path {
  readonly mask: Mask;
  readonly pc: number | null;
  readonly status: GroupStatus | "below";
  readonly source: PathSource;
  /** Number of the group (-1: none). */
  readonly group: number;
  readonly cause: string | null;
  /** Time at which it can go on, as far as known (-1: not known). */
  readonly ready: number;
  /** Causes of the wait up to these times, before `cause`. */
  readonly parts: readonly { readonly until: number; readonly cause: string | null }[];
}

export interface StackRow {
  readonly pc: number | null;
  readonly rpc: number | null;
  readonly mask: Mask;
}

export interface PairRow {
  readonly pc: number;
  readonly mask: Mask;
  readonly otherPc: number;
  readonly otherMask: Mask;
}

/** A state of a warp, decoded. Paths are disjoint, and their union is the lanes that live. */
export interface WarpState {
  readonly row: number;
  readonly stack: readonly StackRow[];
  readonly pairs: readonly PairRow[];
  readonly paths: readonly Path[];
  /** Stacks of groups that have one of their own, by number of the group. */
  readonly stacksOfGroups: ReadonlyMap<number, readonly StackRow[]>;
  /** Whether groups are warp-splits: more than one, or fewer lanes than the stack's top. */
  readonly isSplit: boolean;
  readonly live: Mask;
}

const readStack = (rows: StateFact["stack"]): StackRow[] =>
  (rows ?? []).map(([pc, rpc, mask]) => ({ pc, rpc, mask: parseMask(mask) }));

/** Decode `facts.states[row]`. */
export function decodeState(fact: StateFact, row: number, causes: readonly string[]): WarpState {
  const stack = readStack(fact.stack);
  const pairs = (fact.pairs ?? []).map(([pc, mask, otherPc, otherMask]) => ({
    pc,
    mask: parseMask(mask),
    otherPc,
    otherMask: parseMask(otherMask),
  }));
  const paths: Path[] = [];
  const stacksOfGroups = new Map<number, readonly StackRow[]>();
  let taken = 0n;
  const add = (mask: Mask, path: Omit<Path, "mask">) => {
    const own = mask & ~taken;
    taken |= mask;
    if (own) paths.push({ ...path, mask: own });
  };
  const none = { group: -1, cause: null, ready: -1, parts: [] };
  const nameOf = (cause: number | string | null | undefined) =>
    typeof cause === "number" ? (causes[cause] ?? null) : (cause ?? null);
  for (const group of fact.groups ?? []) {
    add(parseMask(group.mask), {
      pc: group.pc,
      status: group.status ?? "ready",
      source: "group",
      group: group.id,
      cause: nameOf(group.cause),
      ready: group.ready ?? -1,
      parts: (group.parts ?? []).map(([until, cause]) => ({ until, cause: nameOf(cause) })),
    });
    if (group.stack?.length) stacksOfGroups.set(group.id, readStack(group.stack));
  }
  for (const [mask, pc, status] of fact.waiting ?? [])
    add(parseMask(mask), { pc, status, source: "waiting", ...none });
  for (const rows of stacksOfGroups.values())
    for (const { mask, pc } of [...rows].reverse())
      add(mask, { pc, status: "below", source: "stack", ...none });
  for (const { pc, mask, otherPc, otherMask } of [...pairs].reverse()) {
    add(mask, { pc, status: "below", source: "pair", ...none });
    add(otherMask, { pc: otherPc, status: "below", source: "pair", ...none });
  }
  for (const { pc, mask } of [...stack].reverse())
    add(mask, { pc, status: "below", source: "stack", ...none });
  const groups = paths.filter((p) => p.source === "group");
  const top = stack.length ? stack[stack.length - 1].mask : 0n;
  const isSplit =
    groups.length > 1 ||
    (fact.waiting?.length ?? 0) > 0 ||
    stacksOfGroups.size > 0 ||
    (stack.length > 0 && groups.length === 1 && (top & ~groups[0].mask) !== 0n);
  return { row, stack, pairs, paths, stacksOfGroups, isSplit, live: taken };
}

const NOTHING: WarpState = {
  row: -1,
  stack: [],
  pairs: [],
  paths: [],
  stacksOfGroups: new Map(),
  isSplit: false,
  live: 0n,
};

export interface Lane {
  readonly lane: number;
  /** Index into the paths of the warp's state, or -1. */
  readonly path: number;
  readonly pc: number | null;
  /** Whether the lane issues at t. */
  readonly issues: boolean;
  /** Whether the lane has not returned, and holds a work-item. */
  readonly isLive: boolean;
}

/** The states of all warps, decoded when asked for. */
export class States {
  private readonly decoded: (WarpState | undefined)[] = [];

  constructor(private readonly recording: Recording) {}

  /** Return `facts.states[row]`, decoded. */
  at(row: number): WarpState {
    const { states, causes } = this.recording.facts;
    this.decoded[row] ??= decodeState(states[row] ?? {}, row, causes);
    return this.decoded[row];
  }

  /** Return the index into the rows of the warp's states that is valid at the end of t, or -1. */
  indexAt(warp: number, t: number): number {
    const { state } = this.recording;
    return lastAtMost(this.recording.rows(state, warp), state.t, t);
  }

  /** Return the state of a warp at the end of t. */
  stateAt(warp: number, t: number): WarpState {
    const index = this.indexAt(warp, t);
    if (index < 0) return NOTHING;
    const { state } = this.recording;
    return this.at(state.row[this.recording.rows(state, warp)[index]]);
  }
}

export const COLOURS = 8;

/** Colours of the paths of one warp over time: a path keeps its colour while it lives. */
export class Colouring {
  /** By index of the warp's state: first entry of its paths in `colours`. */
  private readonly starts: Int32Array;
  private readonly colours: Uint8Array;
  private readonly laneColours: Uint8Array;
  private readonly rows: Int32Array;

  private issues: Uint8Array | null = null;

  constructor(
    private readonly recording: Recording,
    states: States,
    private readonly warp: number,
  ) {
    const { state, width } = recording;
    this.rows = recording.rows(state, warp);
    this.starts = new Int32Array(this.rows.length + 1);
    this.laneColours = new Uint8Array(this.rows.length * width).fill(255);
    const colours: number[] = [];
    let before: Uint8Array | null = null;
    for (let i = 0; i < this.rows.length; i++) {
      const { paths } = states.at(state.row[this.rows[i]]);
      const chosen = chooseColours(paths, before, width);
      const lanes = this.laneColours.subarray(i * width, (i + 1) * width);
      if (before) lanes.set(before);
      paths.forEach(({ mask }, p) => {
        for (let lane = 0; lane < width; lane++) if (includes(mask, lane)) lanes[lane] = chosen[p];
      });
      before = lanes;
      colours.push(...chosen);
      this.starts[i + 1] = colours.length;
    }
    this.colours = Uint8Array.from(colours);
  }

  /** Return the colours of the paths of the warp's state number `index`. */
  ofPaths(index: number): Uint8Array {
    return index < 0
      ? new Uint8Array()
      : this.colours.subarray(this.starts[index], this.starts[index + 1]);
  }

  /** Return the colour of the warp's issue number `index`. */
  ofIssue(index: number): number {
    this.issues ??= this.colourIssues();
    return this.issues[index];
  }

  /** An issue has the colour of the path that its lanes were before it, or are after a merge. */
  private colourIssues(): Uint8Array {
    const { issue, state, width } = this.recording;
    const rows = this.recording.rows(issue, this.warp);
    const found = new Uint8Array(rows.length);
    let next = 0; // the first state that is later than the issue before
    const shared = (index: number, row: number): number => {
      let colour = 255;
      for (let lane = 0; index >= 0 && lane < width; lane++) {
        if (!hasLane(issue.lo[row], issue.hi[row], lane)) continue;
        const own = this.laneColours[index * width + lane];
        if (colour !== 255 && own !== colour) return 255;
        colour = own;
      }
      return colour;
    };
    rows.forEach((row, i) => {
      const t = issue.t[row];
      while (next < this.rows.length && state.t[this.rows[next]] < t) next++;
      const before = shared(next - 1, row);
      const isNew = next < this.rows.length && state.t[this.rows[next]] === t;
      const after = before === 255 && isNew ? shared(next, row) : before;
      found[i] = after === 255 ? 0 : after;
    });
    return found;
  }

  /** Return the colour of each lane at the end of t, 255 for none. */
  ofLanes(t: number): Uint8Array {
    const { width } = this.recording;
    const index = lastAtMost(this.rows, this.recording.state.t, t);
    return index < 0
      ? new Uint8Array(width).fill(255)
      : this.laneColours.subarray(index * width, (index + 1) * width);
  }
}

/** The path with most lanes of a colour inherits it; a new path gets the first free one. */
function chooseColours(paths: readonly Path[], before: Uint8Array | null, width: number): number[] {
  const wishes = paths.map(({ mask }) => {
    const votes = new Map<number, number>();
    if (before)
      for (let lane = 0; lane < width; lane++)
        if (before[lane] !== 255 && includes(mask, lane))
          votes.set(before[lane], (votes.get(before[lane]) ?? 0) + 1);
    // A merged warp keeps the smallest of its colours, so that a whole warp is colour 0 again.
    return [...votes.keys()].sort((a, b) => a - b);
  });
  const order = paths
    .map((_, i) => i)
    .sort((a, b) => popcount(paths[b].mask) - popcount(paths[a].mask) || a - b);
  const chosen: number[] = paths.map(() => -1);
  const used = new Set<number>();
  for (const i of order) {
    const wish = wishes[i].find((colour) => !used.has(colour));
    if (wish === undefined) continue;
    chosen[i] = wish;
    used.add(wish);
  }
  for (const i of order) {
    if (chosen[i] >= 0) continue;
    let colour = 0;
    while (used.has(colour) && colour < COLOURS - 1) colour++;
    if (used.has(colour)) colour = i % COLOURS;
    chosen[i] = colour;
    used.add(colour);
  }
  return chosen;
}
