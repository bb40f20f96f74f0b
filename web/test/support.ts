// Small recordings, written as NumPy writes them.

import { strToU8, zipSync } from "fflate";
import type { Facts, Instruction, Kernel, StateFact } from "../src/model/facts";
import { Archive } from "../src/model/npz";
import { Recording } from "../src/model/recording";
import { Session } from "../src/model/session";

const SIZES: Record<string, number> = { i8: 8, u8: 8, i4: 4, i2: 2, i1: 1, u1: 1 };

/** Return a .npy file of integers. */
export function npy(type: string, values: readonly (number | bigint)[], extra = ""): Uint8Array {
  const size = SIZES[type];
  const order = size === 1 ? "|" : "<";
  const text = `{'descr': '${order}${type}', 'fortran_order': False, 'shape': (${values.length},), ${extra}}`;
  const head = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11, " ");
  const bytes = new Uint8Array(10 + head.length + 1 + size * values.length);
  bytes.set([0x93, ...strToU8("NUMPY"), 1, 0]);
  const view = new DataView(bytes.buffer);
  view.setUint16(8, head.length + 1, true);
  bytes.set(strToU8(`${head}\n`), 10);
  values.forEach((value, i) => {
    const at = 11 + head.length + i * size;
    const whole = BigInt.asUintN(8 * size, BigInt(value));
    for (let b = 0; b < size; b++) bytes[at + b] = Number((whole >> BigInt(8 * b)) & 255n);
  });
  return bytes;
}

export const COLUMNS: Record<string, string> = {
  issue: "t:i8 warp:i4 group:i4 launch:i2 pc:i4 n:i4 mask:u8",
  access: "t:i8 warp:i4 group:i4 launch:i2 pc:i4 mask:u8 hits:u8",
  wait: "t:i8 until:i8 warp:i4 group:i4 launch:i2 pc:i4 mask:u8 cause:i1",
  state: "t:i8 warp:i4 row:i4",
  instant: "t:i8 warp:i4 kind:i1 pc:i4 mask:u8 other:u8",
  occupant: "t:i8 warp:i4 workgroup:i4 wave:i4",
};

export type Row = readonly (number | bigint)[];

export interface Plan {
  readonly facts?: Partial<Facts>;
  readonly tables?: Partial<Record<string, readonly Row[]>>;
  readonly states?: readonly StateFact[];
  readonly values?: {
    readonly value: readonly number[];
    readonly address: readonly number[];
    readonly stored: readonly number[];
  };
  readonly memory?: readonly number[];
}

export function instruction(text: string, more: Partial<Instruction> = {}): Instruction {
  return {
    text,
    file: "k.sasm",
    line: 1,
    column: 1,
    stem: text.split("_")[0],
    segment: null,
    type: "u32",
    size: 4,
    dst: null,
    target: null,
    join: null,
    kind: "alu",
    ...more,
  };
}

export const CODE: readonly Instruction[] = [
  instruction("mov_u32 $s0, 1", { dst: "$s0", line: 2 }),
  instruction("ld_global_u32 $s1, [$d0]", { dst: "$s1", kind: "load", segment: "global", line: 3 }),
  instruction("st_global_u32 $s1, [$d1]", { kind: "store", segment: "global", line: 4 }),
  instruction("ld_kernarg_u64 $d0, [%x]", {
    dst: "$d0",
    kind: "load",
    segment: "kernarg",
    type: "u64",
    size: 8,
    line: 5,
  }),
  instruction("cbr $c0, @a", { kind: "branch", target: 0, join: 5, line: 6 }),
  instruction("ret", { kind: "exit", line: 7 }),
];

export const KERNEL: Kernel = {
  name: "k",
  signature: "kernel k()",
  labels: { a: 0, end: 5 },
  registers: { s: 2, d: 1, c: 0 },
  params: [],
  arrays: [{ name: "tile", segment: "group", type: "u32", count: 4, offset: 0 }],
  group_bytes: 16,
  private_bytes: 0,
  blocks: [
    { start: 0, end: 5, successors: [0, 1], ipdom: 1 },
    { start: 5, end: 6, successors: [], ipdom: null },
  ],
  instructions: CODE,
};

export const FACTS: Facts = {
  format: "simtlab recording",
  version: 1,
  kind: "timing",
  unit: "cycle",
  title: "a test",
  begin: 0,
  end: 100,
  lost: 0,
  width: 4,
  outcome: null,
  sources: { "k.sasm": "one\ntwo\n" },
  kernels: [KERNEL],
  launches: [
    {
      kernel: 0,
      t: 0,
      groups: [2, 1, 1],
      group_size: [8, 1, 1],
      items: [16, 1, 1],
      arguments: [],
      buffers: [{ buffer: 0, offset: 0, size: 16 }],
    },
  ],
  buffers: [{ name: "x", address: 0x1000, size: 16, type: "u32" }],
  warps: ["w0", "w1", "w2", "w3"],
  causes: ["issued", "ready", "hit", "memory"],
  instants: ["diverge", "split", "merge", "join", "miss", "barrier", "open", "exit", "trap"],
  states: [],
  statistics: {},
};

/** Return the members of the file of a plan. */
export function membersOf(plan: Plan): Record<string, Uint8Array> {
  const facts = { ...FACTS, ...plan.facts, states: plan.states ?? [] };
  const tables: Plan["tables"] = {
    occupant: [
      [0, 0, 0, 0],
      [0, 1, 0, 1],
      [0, 2, 1, 0],
      [0, 3, 1, 1],
    ],
    issue: [[0, 0, 0, 0, 0, 1, 15]],
    ...plan.tables,
  };
  const files: Record<string, Uint8Array> = {
    "facts.npy": npy("u1", [...strToU8(JSON.stringify(facts))]),
    "memory_bytes.npy": npy("u1", plan.memory ?? new Array(16).fill(0)),
  };
  for (const [table, columns] of Object.entries(COLUMNS))
    columns.split(" ").forEach((column, i) => {
      const [name, type] = column.split(":");
      files[`${table}_${name}.npy`] = npy(
        type,
        (tables[table] ?? []).map((row) => row[i]),
      );
    });
  for (const [name, values] of Object.entries(plan.values ?? {}))
    files[`${name}.npy`] = npy("u8", values);
  return files;
}

export function sessionOf(plan: Plan): Session {
  return new Session(new Recording(new Archive(zipSync(membersOf(plan)))));
}
