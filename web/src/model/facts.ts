// The JSON part of a recording, as docs/recording.md of simtlab describes it.

export interface Instruction {
  readonly text: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly stem: string;
  readonly segment: string | null;
  readonly type: string | null;
  readonly size: number | null;
  readonly dst: string | null;
  readonly target: number | null;
  readonly join: number | null;
  readonly kind:
    | "alu"
    | "load"
    | "store"
    | "atomic"
    | "branch"
    | "jump"
    | "barrier"
    | "fence"
    | "exit"
    | "trap"
    | "marker";
}

export interface Block {
  readonly start: number;
  /** Excluded. */
  readonly end: number;
  readonly successors: readonly number[];
  readonly ipdom: number | null;
}

export interface Kernel {
  readonly name: string;
  readonly signature: string;
  readonly labels: Readonly<Record<string, number>>;
  readonly registers: Readonly<Record<string, number>>;
  readonly params: readonly { name: string; type: string; pointer: boolean }[];
  readonly arrays: readonly {
    name: string;
    segment: string;
    type: string;
    count: number;
    offset: number;
  }[];
  readonly group_bytes: number;
  readonly private_bytes: number;
  readonly blocks: readonly Block[];
  readonly instructions: readonly Instruction[];
}

type Triple = readonly [number, number, number];

export interface Launch {
  /** Number or name of the kernel. */
  readonly kernel: number | string;
  readonly t: number;
  readonly groups: Triple;
  readonly group_size: Triple;
  readonly items: Triple;
  readonly arguments: readonly { name: string; value: unknown }[];
  readonly buffers: readonly { buffer: number | string; offset: number; size: number }[];
}

export interface BufferFact {
  readonly name: string;
  readonly address: number;
  readonly size: number;
  readonly type: string;
}

export type GroupStatus =
  | "run"
  | "ready"
  | "wait"
  | "held"
  | "slotless"
  | "barrier-wait"
  | "parked"
  | "rpc-wait"
  | "branch-wait";

type StackRow = readonly [number | null, number | null, string];

export interface GroupFact {
  readonly id: number;
  readonly mask: string;
  readonly pc: number | null;
  readonly status?: GroupStatus;
  readonly ready?: number;
  readonly cause?: number | string | null;
  readonly stack?: readonly StackRow[];
  /** What the group waits for up to these times, before its own cause. */
  readonly parts?: readonly (readonly [number, number | string])[];
}

export interface StateFact {
  readonly stack?: readonly StackRow[];
  readonly pairs?: readonly (readonly [number, string, number, string])[];
  readonly groups?: readonly GroupFact[];
  readonly waiting?: readonly (readonly [string, number | null, GroupStatus])[];
  readonly entries?: unknown;
}

export interface Facts {
  readonly format: "simtlab recording";
  readonly version: number;
  readonly kind: "functional" | "timing";
  readonly unit: "step" | "cycle";
  readonly title: string;
  readonly begin: number;
  readonly end: number;
  readonly lost: number;
  readonly width: number;
  readonly scheme?: { name: string; knobs?: Record<string, unknown> } | null;
  readonly machine?: Record<string, unknown> | null;
  readonly policy?: string | null;
  readonly outcome: { code: string | null; text: string } | null;
  readonly versions?: Record<string, string>;
  readonly sources: Readonly<Record<string, string>>;
  readonly kernels: readonly Kernel[];
  readonly launches: readonly Launch[];
  readonly buffers: readonly BufferFact[];
  readonly warps: readonly string[];
  readonly causes: readonly string[];
  readonly instants: readonly string[];
  readonly states: readonly StateFact[];
  readonly statistics: Readonly<Record<string, unknown>>;
  /** Warps whose values the page has; absent: all. */
  readonly kept?: readonly number[];
  /** Set where a replay's final memory differs from the run's. */
  readonly inexact?: boolean;
}
