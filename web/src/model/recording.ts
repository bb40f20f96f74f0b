// A recording as typed columns, with the indices that make every question at a time t a search.

import type { Facts, Kernel, Launch } from "./facts";
import {
  type Archive,
  asInts,
  asNumbers,
  asPairs,
  DamagedRecording,
  type Npy,
  type Pairs,
} from "./npz";

export interface Issues extends Pairs {
  readonly count: number;
  readonly t: Float64Array;
  readonly warp: Int32Array;
  readonly group: Int32Array;
  readonly launch: Int32Array;
  readonly pc: Int32Array;
  readonly n: Int32Array;
}

export interface Accesses extends Pairs {
  readonly count: number;
  readonly t: Float64Array;
  readonly warp: Int32Array;
  readonly group: Int32Array;
  readonly pc: Int32Array;
  readonly hits: Pairs;
}

export interface Waits extends Pairs {
  readonly count: number;
  readonly t: Float64Array;
  readonly until: Float64Array;
  readonly warp: Int32Array;
  readonly group: Int32Array;
  readonly pc: Int32Array;
  readonly cause: Int32Array;
}

export interface States {
  readonly count: number;
  readonly t: Float64Array;
  readonly warp: Int32Array;
  readonly row: Int32Array;
}

export interface Instants extends Pairs {
  readonly count: number;
  readonly t: Float64Array;
  readonly warp: Int32Array;
  readonly kind: Int32Array;
  readonly pc: Int32Array;
  readonly other: Pairs;
}

export interface Occupants {
  readonly count: number;
  readonly t: Float64Array;
  readonly warp: Int32Array;
  readonly workgroup: Int32Array;
  readonly wave: Int32Array;
}

/** Values of registers and memory, in the order of the issues of the kept warps. */
export interface ValueColumns {
  readonly value: Pairs;
  readonly address: Pairs;
  readonly stored: Pairs;
}

export class Recording {
  readonly facts: Facts;
  readonly issue: Issues;
  readonly access: Accesses;
  readonly wait: Waits;
  readonly state: States;
  readonly instant: Instants;
  readonly occupant: Occupants;
  readonly warps: number;
  readonly width: number;
  /** Kernels of the launches. */
  readonly kernels: readonly Kernel[];
  private readonly rowsOf = new Map<object, Int32Array[]>();

  constructor(private readonly archive: Archive) {
    const members = archive.read((name) => !/^(value|address|stored|memory_bytes)$/.test(name));
    this.facts = readFacts(members.get("facts"));
    const table = <T>(name: string, make: (column: Reader) => T): T => make(reader(members, name));
    this.issue = table("issue", (c) => ({
      ...c.masks("mask"),
      count: c.count,
      t: c.numbers("t"),
      warp: c.ints("warp"),
      group: c.ints("group"),
      launch: c.ints("launch"),
      pc: c.ints("pc"),
      n: c.ints("n"),
    }));
    this.access = table("access", (c) => ({
      ...c.masks("mask"),
      count: c.count,
      t: c.numbers("t"),
      warp: c.ints("warp"),
      group: c.ints("group"),
      pc: c.ints("pc"),
      hits: c.masks("hits"),
    }));
    this.wait = table("wait", (c) => ({
      ...c.masks("mask"),
      count: c.count,
      t: c.numbers("t"),
      until: c.numbers("until"),
      warp: c.ints("warp"),
      group: c.ints("group"),
      pc: c.ints("pc"),
      cause: c.ints("cause"),
    }));
    this.state = table("state", (c) => ({
      count: c.count,
      t: c.numbers("t"),
      warp: c.ints("warp"),
      row: c.ints("row"),
    }));
    this.instant = table("instant", (c) => ({
      ...c.masks("mask"),
      count: c.count,
      t: c.numbers("t"),
      warp: c.ints("warp"),
      kind: c.ints("kind"),
      pc: c.ints("pc"),
      other: c.masks("other"),
    }));
    this.occupant = table("occupant", (c) => ({
      count: c.count,
      t: c.numbers("t"),
      warp: c.ints("warp"),
      workgroup: c.ints("workgroup"),
      wave: c.ints("wave"),
    }));
    this.width = this.facts.width;
    this.warps = Math.max(this.facts.warps.length, 1 + largest(this.issue.warp));
    this.kernels = this.facts.launches.map((launch) => this.kernelOfLaunch(launch));
    if (!this.issue.count || !this.kernels.length)
      throw new DamagedRecording("it holds no instruction");
    if (this.issue.launch.some((launch) => !this.kernels[launch]))
      throw new DamagedRecording("it names a launch that it does not describe");
  }

  private kernelOfLaunch(launch: Launch): Kernel {
    const { kernels } = this.facts;
    const found =
      typeof launch.kernel === "number"
        ? kernels[launch.kernel]
        : kernels.find((k) => k.name === launch.kernel);
    if (!found) throw new DamagedRecording(`it has no kernel ${launch.kernel}`);
    return found;
  }

  /** Return the kernel of an issue. */
  kernelOf(issue: number): Kernel {
    return this.kernels[this.issue.launch[issue]];
  }

  /** Return the values, or null where the file has none. */
  readValues(): ValueColumns | null {
    const found = this.archive.read((name) => /^(value|address|stored)$/.test(name));
    const [value, address, stored] = ["value", "address", "stored"].map((n) => found.get(n));
    if (!value || !address || !stored) return null;
    return { value: asPairs(value), address: asPairs(address), stored: asPairs(stored) };
  }

  /** Return the contents of buffers that launches began with. */
  readMemory(): Uint8Array {
    return (
      this.archive.read((name) => name === "memory_bytes").get("memory_bytes")?.bytes ??
      new Uint8Array()
    );
  }

  /** Return the rows of a table that belong to a warp, in the order of time. */
  rows(table: { readonly count: number; readonly warp: Int32Array }, warp: number): Int32Array {
    let rows = this.rowsOf.get(table);
    if (!rows) {
      rows = partition(table.warp, this.warps);
      this.rowsOf.set(table, rows);
    }
    return rows[warp];
  }

  /** Return the workgroup and wave in a warp context at t, or null for an empty one. */
  occupantAt(warp: number, t: number): { workgroup: number; wave: number } | null {
    const { occupant } = this;
    const rows = this.rows(occupant, warp);
    const at = lastAtMost(rows, occupant.t, t);
    if (at < 0 || occupant.workgroup[rows[at]] < 0) return null;
    return { workgroup: occupant.workgroup[rows[at]], wave: occupant.wave[rows[at]] };
  }

  /** Return the launch under way at t. */
  launchAt(t: number): number {
    const { launches } = this.facts;
    let found = 0;
    launches.forEach((launch, i) => {
      if (launch.t <= t) found = i;
    });
    return found;
  }
}

/** Return the largest index in `rows` whose time is at most t, or -1. */
export function lastAtMost(rows: ArrayLike<number>, times: Float64Array, t: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[rows[middle]] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Return the largest index whose time is at most t, or -1. */
export function lastRowAtMost(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function partition(keys: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (const key of keys) sizes[key]++;
  const found = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let i = 0; i < keys.length; i++) found[keys[i]][sizes[keys[i]]++] = i;
  return found;
}

function largest(values: Int32Array): number {
  let found = -1;
  for (const value of values) if (value > found) found = value;
  return found;
}

function readFacts(member: Npy | undefined): Facts {
  if (!member) throw new DamagedRecording("it has no facts");
  let facts: Facts;
  try {
    facts = JSON.parse(new TextDecoder().decode(member.bytes));
  } catch {
    throw new DamagedRecording("its facts are not JSON");
  }
  if (facts?.format !== "simtlab recording") throw new DamagedRecording("it is not a recording");
  if (facts.version !== 1)
    throw new DamagedRecording(
      `it has version ${facts.version} of the form, and this page reads version 1`,
    );
  for (const key of ["kernels", "launches", "warps", "states", "instants", "causes"] as const)
    if (!Array.isArray(facts[key])) throw new DamagedRecording(`its facts lack "${key}"`);
  if (!(facts.width >= 1 && facts.width <= 64))
    throw new DamagedRecording(`its warps have ${facts.width} lanes; 1 to 64 were expected`);
  return facts;
}

interface Reader {
  readonly count: number;
  ints(column: string): Int32Array;
  numbers(column: string): Float64Array;
  masks(column: string): Pairs;
}

function reader(members: Map<string, Npy>, table: string): Reader {
  const times = members.get(`${table}_t`);
  const count = times ? times.shape[0] : 0;
  const column = (name: string): Npy => {
    const found = members.get(`${table}_${name}`);
    if (!found && times) throw new DamagedRecording(`its table ${table} has no column ${name}`);
    if (found && found.shape[0] !== count)
      throw new DamagedRecording(`the columns of its table ${table} have different lengths`);
    return found ?? { type: "i8", shape: [0], bytes: new Uint8Array() };
  };
  return {
    count,
    ints: (name) => asInts(column(name)),
    numbers: (name) => asNumbers(column(name)),
    masks: (name) => asPairs(column(name)),
  };
}
