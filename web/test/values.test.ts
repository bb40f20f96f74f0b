import { expect, test } from "vitest";
import { bitsOf, format } from "../src/model/numbers";
import type { Values } from "../src/model/values";
import { FACTS, type Plan, sessionOf } from "./support";

// Warp 0: lanes 0, 1 and 3 run pcs 0 to 3; then lane 1 stores again. Warp 1 stores once.
const PLAN: Plan = {
  tables: {
    issue: [
      [10, 0, 0, 0, 0, 4, 0b1011],
      [20, 0, 0, 0, 0, 1, 0b0010],
      [21, 1, 1, 0, 2, 1, 0b0001],
      [22, 0, 0, 0, 2, 1, 0b0010],
    ],
  },
  values: {
    //       pc 0       pc 1        pc 3          t 20
    value: [1, 2, 4, 11, 12, 14, 91, 92, 94, 7],
    //         load                     store                    warp 1  again
    address: [0x1000, 0x1004, 0x100c, 0x1000, 0x1004, 0x100c, 0x1004, 0x1004],
    stored: [100, 101, 103, 200, 300],
  },
  memory: [5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0],
};

const valuesOf = (plan: Plan): Values => {
  const { values } = sessionOf(plan);
  if (typeof values === "string") throw new Error(values);
  return values;
};

const register = (values: Values, lane: number, t: number, name: string) => {
  const found = values.registersAt(0, lane, t).find((r) => r.name === name);
  return found?.bits ? found.bits.lo : null;
};

test("a register has what its lane wrote last", () => {
  const values = valuesOf(PLAN);
  expect([9, 10, 19, 20, 99].map((t) => register(values, 1, t, "$s0"))).toEqual([null, 2, 2, 7, 7]);
  expect([9, 10, 20].map((t) => register(values, 3, t, "$s0"))).toEqual([null, 4, 4]);
  expect(register(values, 2, 99, "$s0")).toBeNull();
  expect([10, 11].map((t) => register(values, 3, t, "$s1"))).toEqual([null, 14]);
  expect(register(values, 0, 13, "$d0")).toBe(91);
});

test("a register says when and by which type it was written", () => {
  const found = valuesOf(PLAN).registersAt(0, 1, 13);
  expect(found.map((r) => r.name)).toEqual(["$s0", "$s1", "$d0"]);
  expect(found[2]).toMatchObject({ type: "u64", t: 13, pc: 3, isNew: true });
  expect(found[0].isNew).toBe(false);
});

const word = (values: Values, index: number, t: number) => {
  const { bytes, writer } = values.memoryAt("global", 0x1000 + 4 * index, 4, t);
  return [bitsOf(bytes).lo, writer ? `${writer.warp}.${writer.lane}@${writer.t}` : null];
};

test("memory has what was stored last, and by whom", () => {
  const values = valuesOf(PLAN);
  expect(word(values, 1, 11)).toEqual([6, null]);
  expect(word(values, 1, 12)).toEqual([101, "0.1@12"]);
  expect(word(values, 1, 21)).toEqual([200, "1.0@21"]);
  expect(word(values, 1, 22)).toEqual([300, "0.1@22"]);
  expect(word(values, 2, 99)).toEqual([7, null]);
  expect(word(values, 3, 99)).toEqual([103, "0.3@12"]);
});

test("what the host gives before a launch replaces what an earlier one stored", () => {
  const second = { ...FACTS.launches[0], t: 30, buffers: [{ buffer: 0, offset: 0, size: 8 }] };
  const values = valuesOf({ ...PLAN, facts: { launches: [FACTS.launches[0], second] } });
  expect(word(values, 1, 29)).toEqual([300, "0.1@22"]);
  expect(word(values, 1, 30)).toEqual([6, null]);
  expect(word(values, 3, 30)).toEqual([103, "0.3@12"]);
});

test("an access says its address, where it has one", () => {
  const values = valuesOf(PLAN);
  expect(values.addressOf(0, 11, 1)).toEqual({ segment: "global", address: 0x1004 });
  expect(values.addressOf(0, 12, 3)).toEqual({ segment: "global", address: 0x100c });
  expect(values.addressOf(0, 10, 1)).toBeNull();
  expect(values.addressOf(0, 13, 1)).toBeNull();
  expect(values.addressOf(0, 12, 2)).toBeNull();
});

test("values of kept warps only are counted as such", () => {
  const values = valuesOf({
    ...PLAN,
    facts: { kept: [1] },
    values: { value: [], address: [0x1004], stored: [200] },
  });
  expect(values.keeps(0)).toBe(false);
  expect(word(values, 1, 22)).toEqual([200, "1.0@21"]);
});

test("values that do not fit the issues are refused, and none is a sentence", () => {
  const wrong = { ...PLAN, values: { value: [1], address: [], stored: [] } };
  expect(sessionOf(wrong).values).toMatch(/do not belong/);
  expect(sessionOf({}).values).toMatch(/not in this page/);
  expect(sessionOf({ facts: { begin: 7 } }).values).toMatch(/begins at cycle 7/);
});

test("group memory is another one for each workgroup", () => {
  const group = (i: number) => ({ ...FACTS.kernels[0].instructions[i], segment: "group" });
  const instructions = FACTS.kernels[0].instructions.map((x, i) => (i === 2 ? group(i) : x));
  const session = sessionOf({
    facts: { kernels: [{ ...FACTS.kernels[0], instructions }] },
    tables: {
      issue: [
        [1, 0, 0, 0, 2, 1, 1],
        [2, 2, 2, 0, 2, 1, 1],
      ],
    },
    values: { value: [], address: [4, 4], stored: [10, 20] },
  });
  const values = session.values as Values;
  const at = (warp: number) =>
    bitsOf(values.memoryAt(values.spaceName("group", warp, 0, 5, 0), 4, 4, 5).bytes).lo;
  expect([at(0), at(1), at(2), at(3)]).toEqual([10, 10, 20, 20]);
});

test("bits are shown in every form", () => {
  const bits = { lo: 0xbf800000, hi: 0 };
  expect(format(bits, "float", 4)).toBe("-1");
  expect(format(bits, "signed", 4)).toBe("-1082130432");
  expect(format(bits, "unsigned", 4)).toBe("3212836864");
  expect(format(bits, "hex", 4)).toBe("0xbf800000");
  expect(format({ lo: 0x3dcccccd, hi: 0 }, "float", 4)).toBe("0.1");
  expect(format({ lo: 0xffffffff, hi: 0xffffffff }, "signed", 8)).toBe("-1");
  expect(format({ lo: 0xffffffff, hi: 0xffffffff }, "unsigned", 8)).toBe("18446744073709551615");
  expect(format({ lo: 0, hi: 0x3ff00000 }, "float", 8)).toBe("1");
  expect(format({ lo: 0x1ff, hi: 0 }, "signed", 1)).toBe("-1");
});
