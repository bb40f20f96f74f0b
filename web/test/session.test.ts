import { expect, test } from "vitest";
import { readQuery } from "../src/dialogs";
import { firstParting, keyOf, matchOf, Trails, totalsOf } from "../src/model/align";
import { tokens } from "../src/model/lexer";
import { stepText } from "../src/model/words";
import { Store } from "../src/store";
import { type Row, sessionOf } from "./support";

const ISSUES: readonly Row[] = [
  [0, 0, 0, 0, 0, 3, 15],
  [1, 1, 4, 0, 0, 1, 15],
  [5, 0, 0, 0, 4, 1, 15],
  [6, 0, 0, 0, 0, 1, 3],
  [9, 0, 0, 0, 5, 1, 15],
];

test("an issue of several instructions lasts as long", () => {
  const session = sessionOf({ tables: { issue: ISSUES } });
  const pcs = [0, 1, 2, 3, 5, 6].map((t) => session.issuedAt(0, t).map((i) => i.pc));
  expect(pcs).toEqual([[0], [1], [2], [], [4], [0]]);
  expect(session.usedWarps).toEqual([0, 1]);
});

test("within an issue of several instructions the pc of its group moves on", () => {
  const session = sessionOf({
    states: [
      {
        groups: [
          { id: 0, mask: "3", pc: 0, status: "run" },
          { id: 1, mask: "c", pc: 4, status: "ready" },
        ],
      },
    ],
    tables: { issue: [[0, 0, 0, 0, 0, 3, 3]], state: [[0, 0, 0]] },
  });
  const pcs = (t: number) => session.stateAt(0, t).paths.map((p) => p.pc);
  expect([pcs(0), pcs(1)]).toEqual([
    [1, 4],
    [2, 4],
  ]);
  expect(session.lanesAt(0, 1).map((l) => l.pc)).toEqual([2, 2, 4, 4]);
});

test("steps find the instruction before and after", () => {
  const session = sessionOf({ tables: { issue: ISSUES } });
  const walk = (step: 1 | -1, from: number) => {
    const found: number[] = [];
    for (let t: number | null = from; t !== null; ) {
      t = session.nextIssue(0, t, step);
      if (t !== null) found.push(t);
    }
    return found;
  };
  expect(walk(1, -1)).toEqual([0, 1, 2, 5, 6, 9]);
  expect(walk(-1, 50)).toEqual([9, 6, 5, 2, 1, 0]);
});

test("jumps find instants of the warp, and runs of a line", () => {
  const instant: Row[] = [
    [5, 0, 0, 4, 15, 3],
    [5, 1, 0, 4, 15, 3],
    [7, 0, 2, 0, 15, 3],
    [8, 0, 0, 4, 15, 3],
  ];
  const session = sessionOf({ tables: { issue: ISSUES, instant } });
  expect(session.nextInstant(0, 0, 1, ["diverge"])).toBe(5);
  expect(session.nextInstant(0, 5, 1, ["diverge"])).toBe(8);
  expect(session.nextInstant(0, 8, -1, ["diverge"])).toBe(5);
  expect(session.nextInstant(0, 5, -1, ["diverge"])).toBeNull();
  const store = new Store(session);
  store.jumpTo("merge", 1);
  expect(store.t.value).toBe(7);
  store.line.value = { file: "k.sasm", line: 2 };
  store.jumpTo("line", -1);
  expect(store.t.value).toBe(6);
  store.jumpTo("line", -1);
  expect(store.t.value).toBe(0);
  store.jumpTo("line", -1);
  expect([store.t.value, store.remark.value]).toEqual([
    0,
    "Warp 0 does not execute line 2 earlier",
  ]);
});

test("time, warp and lane stay in the recording", () => {
  const store = new Store(sessionOf({ tables: { issue: ISSUES } }));
  store.goto(1e9);
  store.chooseWarp(77);
  store.chooseLane(-3);
  expect([store.t.value, store.warp.value, store.lane.value]).toEqual([99, 3, 0]);
});

test("waits that overlap are all found", () => {
  const wait: Row[] = [
    [1, 50, 0, 0, 0, 1, 1, 3],
    [2, 4, 0, 0, 0, 1, 2, 2],
    [3, 9, 0, 0, 0, 1, 4, 3],
  ];
  const session = sessionOf({ tables: { wait } });
  const at = (t: number) => session.waitsAt(0, t).map((w) => w.mask);
  expect([0, 1, 3, 4, 9, 50].map(at)).toEqual([[], [1n], [1n, 2n, 4n], [1n, 4n], [1n], []]);
});

test("parts of a pack that issue one instruction are its sub-warps", () => {
  const issue: Row[] = [
    [10, 0, 7, 0, 0, 1, 0b0101],
    [10, 1, 7, 0, 0, 1, 0b1010],
    [11, 0, 7, 0, 0, 1, 0b1010],
    [12, 0, 7, 0, 1, 1, 0b1111],
  ];
  const session = sessionOf({ tables: { issue } });
  const pack = session.packAt(1, 10);
  expect(pack?.warps).toEqual([0, 1]);
  expect(pack?.cells.map((c) => [...c])).toEqual([
    [1, 2, 1, 2],
    [0, 1, 0, 1],
  ]);
  expect([pack?.times, pack?.now]).toEqual([[10, 11], 1]);
  expect(session.packAt(0, 12)).toBeNull();
});

test("work-items are found by either id", () => {
  const session = sessionOf({ tables: { issue: ISSUES } });
  expect(session.itemOf(3, 2, 0)).toMatchObject({
    global: [14, 0, 0],
    group: [1, 0, 0],
    local: [6, 0, 0],
  });
  expect(session.findItem({ global: [14] }, 0)).toEqual({ warp: 3, lane: 2, t: 0 });
  expect(session.findItem({ group: [1], local: [6] }, 0)).toEqual({ warp: 3, lane: 2, t: 0 });
  expect(session.findItem({ global: [16] }, 0)).toBeNull();
  expect(readQuery("14")).toEqual({ item: { global: [14] } });
  expect(readQuery("(1, 0) + (6)")).toEqual({ item: { group: [1, 0], local: [6] } });
  expect(readQuery("line 31")).toEqual({ line: 31 });
  expect(readQuery("x")).toMatch(/^Type a global id/);
});

test("a step is said in words", () => {
  const instant: Row[] = [[5, 0, 0, 4, 15, 3]];
  const session = sessionOf({
    tables: { issue: ISSUES, instant, wait: [[7, 9, 0, 0, 0, 1, 15, 3]] },
  });
  expect(stepText(session, 0, 5)).toBe(
    "Cycle 5. Warp 0 issues cbr $c0, @a (line 6) for all 4 lanes. The branch diverges: lanes 0–1 take it, lanes 2–3 fall through.",
  );
  expect(stepText(session, 0, 6)).toBe(
    "Cycle 6. Warp 0 issues mov_u32 $s0, 1 (line 2) for 2 of 4: lanes 0–1.",
  );
  expect(stepText(session, 0, 7)).toContain("wait for the bus and DRAM, until cycle 9");
});

test("two runs are aligned by what the work-item has executed", () => {
  const a = sessionOf({ tables: { issue: ISSUES } });
  const b = sessionOf({
    tables: {
      issue: [
        [0, 0, 0, 0, 0, 3, 15],
        [20, 0, 0, 0, 4, 1, 15],
        [21, 0, 0, 0, 0, 1, 1],
        [30, 0, 0, 0, 0, 1, 2],
        [31, 0, 0, 0, 5, 1, 15],
        [32, 1, 4, 0, 0, 1, 15],
      ],
    },
  });
  const trails = { from: new Trails(a), to: new Trails(b) };
  expect(keyOf(a, 1, 2, 0)).toEqual({ launch: 0, workgroup: 0, local: 6 });
  const match = (lane: number, t: number) => matchOf(a, b, trails, { warp: 0, lane, t });
  expect(match(0, 4)).toMatchObject({ t: 2, executed: 3, isSame: true });
  expect(match(0, 6)).toMatchObject({ t: 21, executed: 5 });
  expect(match(1, 6)).toMatchObject({ t: 30, executed: 5 });
  expect(match(3, 9)).toMatchObject({ t: 31, executed: 5, isSame: true });
  const parting = firstParting(a, b);
  expect(parting).toMatchObject({ workgroup: 0, wave: 0, before: 4 });
  expect([parting?.a?.mask, parting?.b?.mask]).toEqual([3n, 1n]);
  expect(firstParting(a, a)).toBeNull();
});

test("sums of a recording add up", () => {
  const wait: Row[] = [
    [3, 5, 0, 0, 0, 1, 15, 3],
    [7, 9, 0, 0, 0, 1, 15, 2],
  ];
  const totals = totalsOf(sessionOf({ facts: { end: 10 }, tables: { issue: ISSUES, wait } }));
  expect(totals).toMatchObject({ time: 10, issues: 7, threads: 26, idle: 4 });
  expect(Object.fromEntries(totals.idleBy)).toEqual({ memory: 2, hit: 2 });
  expect(totals.slots).toBeNull();
  const statistics = { cycles: 10, "slots: memory": 7, "slots: issued": 3 };
  const slots = (more: object) => totalsOf(sessionOf({ facts: { statistics, ...more } })).slots;
  expect(Object.fromEntries(slots({}) ?? [])).toEqual({ memory: 7, issued: 3 });
  expect(slots({ lost: 1 })).toBeNull();
  expect(totals.lines.get("k.sasm:2")).toMatchObject({ issues: 3, threads: 10, waited: 0 });
  expect(totals.lines.get("k.sasm:3")).toMatchObject({ issues: 1, waited: 4 });
});

test("the lexer keeps every character", () => {
  for (const line of [
    "    cbr  $c0, @a  // if (x)",
    "@loop:",
    "mov_f32 $s1, 1.5e-3",
    ".const N = 5 µ",
  ])
    expect(
      tokens(line)
        .map((t) => t.text)
        .join(""),
    ).toBe(line);
  const kinds = tokens("@a: add_u32 $s0, $s1, 0x1f").filter((t) => t.kind !== "plain");
  expect(kinds.map((t) => t.kind)).toEqual(["label", "mnemonic", "register", "register", "number"]);
});
