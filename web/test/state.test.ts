import { expect, test } from "vitest";
import { lanesBefore, lanesText, maskText, ones, parseMask } from "../src/model/masks";
import { Colouring, decodeState } from "../src/model/state";
import { statusText } from "../src/panes/status";
import { sessionOf } from "./support";

const CAUSES = ["issued", "ready", "hit", "memory"];

const paths = (state: Parameters<typeof decodeState>[0]) =>
  decodeState(state, 0, CAUSES).paths.map((p) => `${maskText(p.mask, 4)}@${p.pc} ${p.status}`);

test("lanes below the top of a stack are the paths that wait there", () => {
  const stack = [
    [9, null, "f"],
    [5, 9, "c"],
    [2, 9, "3"],
  ] as const;
  const groups = [{ id: 0, mask: "3", pc: 3, status: "run" }] as const;
  expect(paths({ stack, groups })).toEqual(["1100@3 run", "0011@5 below"]);
  expect(decodeState({ stack, groups }, 0, CAUSES).isSplit).toBe(false);
});

test("groups that share the top of the stack are warp-splits", () => {
  const stack = [[0, null, "f"]] as const;
  const groups = [
    { id: 0, mask: "3", pc: 3, status: "ready" },
    { id: 1, mask: "c", pc: 5, status: "wait", cause: 3, ready: 40 },
  ] as const;
  const state = decodeState({ stack, groups }, 0, CAUSES);
  expect(state.isSplit).toBe(true);
  expect(state.paths[1]).toMatchObject({ cause: "memory", ready: 40, group: 1, pc: 5 });
  const waiting = [["c", 9, "rpc-wait"]] as const;
  expect(paths({ stack, groups: [groups[0]], waiting })).toEqual([
    "1100@3 ready",
    "0011@9 rpc-wait",
  ]);
});

test("a wait is for one cause after the other, and ready when its time has come", () => {
  const groups = [
    { id: 0, mask: "f", pc: 3, status: "wait", cause: 3, ready: 40, parts: [[12, 2]] },
  ] as const;
  const session = sessionOf({ states: [{ groups }], tables: { state: [[5, 0, 0]] } });
  const text = (t: number) => statusText(session.stateAt(0, t).paths[0], session, t);
  expect(text(5)).toBe("waits for cache hit until cycle 40");
  expect(text(12)).toBe("waits for memory until cycle 40");
  expect(text(40)).toBe("ready");
});

test("of a pair both sides are paths, and an entry above refines the current side", () => {
  const pairs = [
    [1, "3", 8, "c"],
    [2, "1", 6, "2"],
  ] as const;
  expect(paths({ pairs, groups: [{ id: 0, mask: "1", pc: 2, status: "run" }] })).toEqual([
    "1000@2 run",
    "0100@6 below",
    "0011@8 below",
  ]);
});

test("a state holds from the end of its time on", () => {
  const session = sessionOf({
    states: [{ stack: [[0, null, "f"]] }, { stack: [[0, null, "3"]] }],
    tables: {
      state: [
        [0, 0, 0],
        [5, 0, 1],
        [5, 1, 0],
      ],
    },
  });
  expect([4, 5, 99].map((t) => session.stateAt(0, t).live)).toEqual([15n, 3n, 3n]);
  expect(session.stateAt(1, 4).live).toBe(0n);
  expect(session.lanesAt(0, 5).map((l) => l.isLive)).toEqual([true, true, false, false]);
});

test("a path keeps its colour, and a whole warp is of the first colour again", () => {
  const split = (a: string, b: string) => ({
    groups: [
      { id: 0, mask: a, pc: 1 },
      { id: 1, mask: b, pc: 2 },
    ],
  });
  const session = sessionOf({
    states: [
      { groups: [{ id: 0, mask: "f", pc: 0 }] },
      split("c", "3"),
      split("3", "c"),
      split("3", "8"),
    ],
    tables: {
      state: [
        [0, 0, 0],
        [1, 0, 1],
        [2, 0, 2],
        [3, 0, 3],
        [4, 0, 0],
      ],
    },
  });
  const colouring = new Colouring(session.recording, session.states, 0);
  const of = (t: number) => [...colouring.ofLanes(t)];
  expect(of(0)).toEqual([0, 0, 0, 0]);
  const [low, , high] = of(1);
  expect(low).not.toBe(high);
  expect(of(2)).toEqual([low, low, high, high]);
  expect([of(3)[0], of(3)[3]]).toEqual([low, high]);
  expect(of(4)).toEqual([0, 0, 0, 0]);
});

test("an issue has the colour of its path before it, or after a merge at its time", () => {
  const session = sessionOf({
    states: [
      { groups: [{ id: 0, mask: "f", pc: 0 }] },
      {
        groups: [
          { id: 0, mask: "3", pc: 1 },
          { id: 1, mask: "c", pc: 2 },
        ],
      },
    ],
    tables: {
      state: [
        [0, 0, 0],
        [1, 0, 1],
        [5, 0, 0],
      ],
      // The whole warp, both paths, and the warp that has merged when it issues.
      issue: [
        [0, 0, 0, 0, 0, 1, 15],
        [1, 0, 0, 0, 4, 1, 15],
        [2, 0, 0, 0, 1, 1, 3],
        [3, 0, 0, 0, 2, 1, 12],
        [5, 0, 0, 0, 0, 1, 15],
      ],
    },
  });
  const colouring = new Colouring(session.recording, session.states, 0);
  const colours = [0, 1, 2, 3, 4].map((i) => colouring.ofIssue(i));
  expect(colours.slice(0, 2)).toEqual([0, 0]);
  expect(colours[2]).not.toBe(colours[3]);
  expect(colours[4]).toBe(0);
});

test("masks are written and counted as the papers do", () => {
  expect(maskText(parseMask("9f"), 8)).toBe("11111001");
  expect(lanesText(parseMask("9f"))).toBe("lanes 0–4 and 7");
  expect(lanesText(4n)).toBe("lane 2");
  expect(ones(0xffffffff)).toBe(32);
  expect(lanesBefore(0xffffffff, 0xffffffff, 0)).toBe(0);
  expect(lanesBefore(0xffffffff, 0xffffffff, 32)).toBe(32);
  expect(lanesBefore(0xffffffff, 0xffffffff, 63)).toBe(63);
});
