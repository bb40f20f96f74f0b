// Registers and memory at a time, from the values that issues wrote.

import type { Instruction, Kernel } from "./facts";
import { countOf, hasLane, lanesBefore } from "./masks";
import { lastRowAtMost, type Recording, type ValueColumns } from "./recording";

/** 64 bits as halves. */
export interface Bits {
  readonly lo: number;
  readonly hi: number;
}

export interface RegisterValue {
  readonly name: string;
  /** Null: not written yet. */
  readonly bits: Bits | null;
  /** Type of the instruction that wrote it. */
  readonly type: string | null;
  /** When, and by which instruction, it was written (-1: never). */
  readonly t: number;
  readonly pc: number;
  /** Whether it was written at the time asked for. */
  readonly isNew: boolean;
}

/** The last access to a place in memory: who, where and when. */
export interface Writer {
  readonly warp: number;
  readonly lane: number;
  readonly t: number;
  readonly pc: number;
  readonly launch: number;
}

/** Return whether an instruction accesses memory; arguments of kernels are not memory here. */
const accesses = (i: Instruction) => /load|store|atomic/.test(i.kind) && i.segment !== "kernarg";

/** How many instructions before each pc write a register, access memory, store to memory. */
class Counts {
  readonly writes: Int32Array;
  readonly accesses: Int32Array;
  readonly stores: Int32Array;

  constructor(kernel: Kernel) {
    const count = (test: (i: Instruction) => boolean) => {
      const sums = new Int32Array(kernel.instructions.length + 1);
      kernel.instructions.forEach((i, pc) => {
        sums[pc + 1] = sums[pc] + (test(i) ? 1 : 0);
      });
      return sums;
    };
    this.writes = count((i) => i.dst !== null);
    this.accesses = count(accesses);
    this.stores = count((i) => accesses(i) && i.kind !== "load");
  }
}

interface Writes {
  readonly t: number[];
  readonly issue: number[];
  readonly pc: number[];
  readonly base: number[];
}

/** Stores in the order of the file; `previous` and `last` follow the order of execution. */
interface StoreList {
  readonly t: Float64Array;
  readonly issue: Int32Array;
  readonly pc: Int32Array;
  readonly lane: Uint8Array;
  /** Index into the column `address`; that into `stored` is the store's number. */
  readonly address: Int32Array;
  /** The store before to the same word, or -1. */
  readonly previous: Int32Array;
  readonly last: Map<string, Map<number, number>>;
}

/** Answers about registers and memory; its indices are built when they are first needed. */
export class Values {
  private readonly counts = new Map<Kernel, Counts>();
  private readonly isKept: Uint8Array;
  private readonly bases: { value: Int32Array; address: Int32Array; stored: Int32Array };
  private readonly writes = new Map<number, Map<string, Writes>>();
  private stores: StoreList | null = null;
  private readonly bytes: Uint8Array;
  /** Why the values cannot be shown, or null. */
  readonly problem: string | null = null;

  private constructor(
    private readonly recording: Recording,
    private readonly columns: ValueColumns,
  ) {
    const { issue, facts } = recording;
    this.isKept = new Uint8Array(recording.warps).fill(facts.kept ? 0 : 1);
    for (const warp of facts.kept ?? []) this.isKept[warp] = 1;
    const value = new Int32Array(issue.count + 1);
    const address = new Int32Array(issue.count + 1);
    const stored = new Int32Array(issue.count + 1);
    for (let i = 0; i < issue.count; i++) {
      const lanes = this.isKept[issue.warp[i]] ? countOf(issue.lo[i], issue.hi[i]) : 0;
      const { writes, accesses, stores } = this.countsOf(recording.kernelOf(i));
      const [from, to] = [issue.pc[i], issue.pc[i] + issue.n[i]];
      value[i + 1] = value[i] + lanes * (writes[to] - writes[from]);
      address[i + 1] = address[i] + lanes * (accesses[to] - accesses[from]);
      stored[i + 1] = stored[i] + lanes * (stores[to] - stores[from]);
    }
    this.bases = { value, address, stored };
    this.bytes = recording.readMemory();
    const end = issue.count;
    if (
      value[end] !== columns.value.lo.length ||
      address[end] !== columns.address.lo.length ||
      stored[end] !== columns.stored.lo.length
    )
      this.problem = "The values in this page do not belong to its issues, so they are not shown.";
  }

  /** Return the values of a recording, or a sentence that says why there are none. */
  static of(recording: Recording): Values | string {
    const { facts } = recording;
    const columns = recording.readValues();
    if (!columns)
      return facts.begin > 0
        ? `Registers and memory are not known: this recording begins at ${facts.unit} ${facts.begin}.`
        : "Registers and memory are not in this page.";
    const values = new Values(recording, columns);
    return values.problem ?? values;
  }

  private countsOf(kernel: Kernel): Counts {
    let counts = this.counts.get(kernel);
    if (!counts) {
      counts = new Counts(kernel);
      this.counts.set(kernel, counts);
    }
    return counts;
  }

  /** Return whether the page has the values of a warp. */
  keeps(warp: number): boolean {
    return this.isKept[warp] === 1;
  }

  private writesOf(warp: number): Map<string, Writes> {
    const known = this.writes.get(warp);
    if (known) return known;
    const { issue } = this.recording;
    const found = new Map<string, Writes>();
    for (const i of this.recording.rows(issue, warp)) {
      const kernel = this.recording.kernelOf(i);
      const lanes = countOf(issue.lo[i], issue.hi[i]);
      let base = this.bases.value[i];
      for (let k = 0; k < issue.n[i]; k++) {
        const pc = issue.pc[i] + k;
        const { dst } = kernel.instructions[pc];
        if (dst === null) continue;
        let list = found.get(dst);
        if (!list) {
          list = { t: [], issue: [], pc: [], base: [] };
          found.set(dst, list);
        }
        list.t.push(issue.t[i] + k);
        list.issue.push(i);
        list.pc.push(pc);
        list.base.push(base);
        base += lanes;
      }
    }
    this.writes.set(warp, found);
    return found;
  }

  /** Return the registers of a lane at the end of t, in the order s, d, c. */
  registersAt(warp: number, lane: number, t: number): RegisterValue[] {
    const { issue, occupant } = this.recording;
    const kernel = this.recording.kernels[this.recording.launchAt(t)];
    // Registers of a work-item begin with its occupation of the warp context.
    let since = Number.NEGATIVE_INFINITY;
    for (const row of this.recording.rows(occupant, warp))
      if (occupant.t[row] <= t) since = occupant.t[row];
    const writes = this.writesOf(warp);
    const names = ["s", "d", "c"].flatMap((cls) =>
      Array.from({ length: kernel.registers[cls] ?? 0 }, (_, i) => `$${cls}${i}`),
    );
    return names.map((name) => {
      const unknown = { name, bits: null, type: null, t: -1, pc: -1, isNew: false };
      const list = writes.get(name);
      if (!list) return unknown;
      for (let at = lastRowAtMost(list.t, t); at >= 0 && list.t[at] >= since; at--) {
        const i = list.issue[at];
        if (!hasLane(issue.lo[i], issue.hi[i], lane)) continue;
        const index = list.base[at] + lanesBefore(issue.lo[i], issue.hi[i], lane);
        const { value } = this.columns;
        const pc = list.pc[at];
        return {
          name,
          bits: { lo: value.lo[index], hi: value.hi[index] },
          type: this.recording.kernelOf(i).instructions[pc].type,
          t: list.t[at],
          pc,
          isNew: list.t[at] === t,
        };
      }
      return unknown;
    });
  }

  /** Return the address that a lane accesses with the instruction at t of an issue, or null. */
  addressOf(
    issueRow: number,
    t: number,
    lane: number,
  ): { segment: string; address: number } | null {
    const { issue } = this.recording;
    if (!this.isKept[issue.warp[issueRow]]) return null;
    if (!hasLane(issue.lo[issueRow], issue.hi[issueRow], lane)) return null;
    const pc = issue.pc[issueRow] + (t - issue.t[issueRow]);
    const kernel = this.recording.kernelOf(issueRow);
    const { accesses } = this.countsOf(kernel);
    if (accesses[pc + 1] === accesses[pc]) return null;
    const lanes = countOf(issue.lo[issueRow], issue.hi[issueRow]);
    const index =
      this.bases.address[issueRow] +
      lanes * (accesses[pc] - accesses[issue.pc[issueRow]]) +
      lanesBefore(issue.lo[issueRow], issue.hi[issueRow], lane);
    const { address } = this.columns;
    return {
      segment: kernel.instructions[pc].segment ?? "global",
      address: address.hi[index] * 4294967296 + address.lo[index],
    };
  }

  private storeList(): StoreList {
    if (this.stores) return this.stores;
    const { issue } = this.recording;
    const total = this.columns.stored.lo.length;
    const raw = { t: new Float64Array(total), issue: new Int32Array(total) };
    const pcs = new Int32Array(total);
    const lanes = new Uint8Array(total);
    const addresses = new Int32Array(total);
    const order = new Int32Array(total);
    let isSorted = true;
    for (let i = 0; i < issue.count; i++) {
      if (this.bases.stored[i + 1] === this.bases.stored[i]) continue;
      const { instructions } = this.recording.kernelOf(i);
      let [store, access] = [this.bases.stored[i], this.bases.address[i]];
      for (let k = 0; k < issue.n[i]; k++) {
        const instruction = instructions[issue.pc[i] + k];
        if (!accesses(instruction)) continue;
        const isStore = instruction.kind !== "load";
        for (let lane = 0; lane < this.recording.width; lane++) {
          if (!hasLane(issue.lo[i], issue.hi[i], lane)) continue;
          if (isStore) {
            raw.t[store] = issue.t[i] + k;
            raw.issue[store] = i;
            pcs[store] = issue.pc[i] + k;
            lanes[store] = lane;
            addresses[store] = access;
            order[store] = store;
            if (store && raw.t[store] < raw.t[store - 1]) isSorted = false;
            store++;
          }
          access++;
        }
      }
    }
    if (!isSorted) order.sort((a, b) => raw.t[a] - raw.t[b] || a - b);
    const list: StoreList = {
      t: raw.t,
      issue: raw.issue,
      pc: pcs,
      lane: lanes,
      address: addresses,
      previous: new Int32Array(total).fill(-1),
      last: new Map(),
    };
    for (const store of order) {
      const space = this.spaceOf(raw.issue[store], pcs[store], raw.t[store], lanes[store]);
      let words = list.last.get(space);
      if (!words) {
        words = new Map();
        list.last.set(space, words);
      }
      const word = wordOf(this.columns.address, addresses[store]);
      list.previous[store] = words.get(word) ?? -1;
      words.set(word, store);
    }
    this.stores = list;
    return list;
  }

  /** Return the name of the address space of an access: segments but `global` exist many times. */
  private spaceOf(row: number, pc: number, t: number, lane: number): string {
    const { issue } = this.recording;
    const segment = this.recording.kernelOf(row).instructions[pc].segment ?? "global";
    if (segment !== "group" && segment !== "private") return "global";
    return this.spaceName(segment, issue.warp[row], issue.launch[row], t, lane);
  }

  /** Return the name of the address space that a segment is for a lane at t. */
  spaceName(segment: string, warp: number, launch: number, t: number, lane: number): string {
    if (segment !== "group" && segment !== "private") return "global";
    const place = this.recording.occupantAt(warp, t);
    const group = `${segment} ${launch} ${place?.workgroup ?? -1}`;
    return segment === "group" ? group : `${group} ${place?.wave ?? 0} ${lane}`;
  }

  /**
   * Return `size` bytes at an address of a space at the end of t, and the last writer of any.
   *
   * `isKnown` is false for bytes that have had no contents.
   */
  memoryAt(
    space: string,
    address: number,
    size: number,
    t: number,
  ): { bytes: Uint8Array; isKnown: boolean; writer: Writer | null } {
    const bytes = new Uint8Array(size);
    let isKnown = false;
    let done = 0;
    const all = 2 ** size - 1;
    let writer: Writer | null = null;
    const list = this.storeList();
    const { issue } = this.recording;
    const since = space === "global" ? this.initial(address, bytes, t) : -1;
    if (since !== -1) isKnown = true;
    const word = Math.floor(address / 8);
    let store = list.last.get(space)?.get(word) ?? -1;
    for (; store >= 0 && done !== all; store = list.previous[store]) {
      if (list.t[store] > t) continue;
      if (list.t[store] < since) break;
      const row = list.issue[store];
      const width = this.recording.kernelOf(row).instructions[list.pc[store]].size ?? 4;
      const from = addressAt(this.columns.address, list.address[store]) - address;
      // A store that is not aligned has trapped.
      if (from >= size || from + width <= 0 || (from + address) % width) continue;
      isKnown = true;
      writer ??= {
        warp: issue.warp[row],
        lane: list.lane[store],
        t: list.t[store],
        pc: list.pc[store],
        launch: issue.launch[row],
      };
      for (let b = 0; b < width; b++) {
        const at = from + b;
        if (at < 0 || at >= size || (done >> at) & 1) continue;
        const half = b < 4 ? this.columns.stored.lo[store] : this.columns.stored.hi[store];
        bytes[at] = half >>> (8 * (b & 3));
        done |= 1 << at;
      }
    }
    return { bytes, isKnown, writer };
  }

  /** Fill in what the host gave last before t; return when, or -1 where it gave nothing. */
  private initial(address: number, bytes: Uint8Array, t: number): number {
    const { launches, buffers } = this.recording.facts;
    let since = -1;
    for (const launch of launches) {
      if (launch.t > t && since !== -1) break;
      for (const part of launch.buffers) {
        const buffer =
          typeof part.buffer === "number"
            ? buffers[part.buffer]
            : buffers.find((b) => b.name === part.buffer);
        if (!buffer) continue;
        const from = address - buffer.address;
        if (from < 0 || from >= part.size) continue;
        const at = part.offset + from;
        bytes.set(this.bytes.subarray(at, Math.min(at + bytes.length, part.offset + part.size)));
        since = launch.t;
      }
    }
    return since;
  }
}

const addressAt = ({ lo, hi }: { lo: Uint32Array; hi: Uint32Array }, i: number) =>
  hi[i] * 4294967296 + lo[i];

const wordOf = (column: { lo: Uint32Array; hi: Uint32Array }, i: number) =>
  Math.floor(addressAt(column, i) / 8);
