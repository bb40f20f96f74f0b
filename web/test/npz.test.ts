import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { decodeBase64 } from "../src/base64";
import { Archive, asInts, asNumbers, asPairs, DamagedRecording, readNpy } from "../src/model/npz";
import { Recording } from "../src/model/recording";
import { membersOf, npy } from "./support";

test("integers of every width are read", () => {
  for (const type of ["i8", "i4", "i2", "i1"])
    expect([...asNumbers(readNpy(npy(type, [0, 1, -1, 100]), "x"))]).toEqual([0, 1, -1, 100]);
  expect([...asInts(readNpy(npy("u1", [0, 255]), "x"))]).toEqual([0, 255]);
  expect([...asNumbers(readNpy(npy("i8", [2 ** 40 + 7, -(2 ** 40)]), "x"))]).toEqual([
    2 ** 40 + 7,
    -(2 ** 40),
  ]);
});

test("words of 64 bits keep all their bits", () => {
  const { lo, hi } = asPairs(readNpy(npy("u8", [0xffff_ffff_0000_0001n, 1n << 63n]), "x"));
  expect([lo[0], hi[0], lo[1], hi[1]]).toEqual([1, 0xffffffff, 0, 0x80000000]);
});

test("a header of any spelling is read", () => {
  const { shape } = readNpy(npy("i4", [1, 2, 3], "'more': 1"), "x");
  expect(shape).toEqual([3]);
});

test.each([
  ["text", (f: Uint8Array) => f.fill(65, 0, 6), "is not a NumPy array"],
  ["cut off", (f: Uint8Array) => f.subarray(0, f.length - 1), "is cut off"],
  ["big endian", (f: Uint8Array) => replaced(f, "<", ">"), "form that this page does not read"],
])("a member that is %s is refused", (_, damage, message) => {
  const file = damage(npy("i4", [1, 2, 3])) ?? new Uint8Array();
  expect(() => readNpy(file, "issue_t")).toThrow(DamagedRecording);
  expect(() => readNpy(file, "issue_t")).toThrow(message);
});

function replaced(file: Uint8Array, from: string, to: string): Uint8Array {
  const at = file.indexOf(from.charCodeAt(0), 10);
  file[at] = to.charCodeAt(0);
  return file;
}

const read = (members: Record<string, Uint8Array>) => new Recording(new Archive(zipSync(members)));

test("a whole recording is read", () => {
  const recording = read(membersOf({}));
  expect(recording.issue.count).toBe(1);
  expect(recording.warps).toBe(4);
});

test.each<[string, (m: Record<string, Uint8Array>) => void, string]>([
  ["no facts", (m) => delete m["facts.npy"], "it has no facts"],
  [
    "facts that are no JSON",
    (m) => Object.assign(m, { "facts.npy": npy("u1", [1, 2]) }),
    "not JSON",
  ],
  ["a missing column", (m) => delete m["issue_pc.npy"], "issue has no column pc"],
  [
    "columns of two lengths",
    (m) => Object.assign(m, { "issue_pc.npy": npy("i4", []) }),
    "different lengths",
  ],
  ["no issue", (m) => Object.assign(m, membersOf({ tables: { issue: [] } })), "no instruction"],
  ["another version", (m) => Object.assign(m, membersOf({ facts: { version: 2 } })), "version 2"],
  ["too many lanes", (m) => Object.assign(m, membersOf({ facts: { width: 65 } })), "65 lanes"],
  [
    "an unknown launch",
    (m) => Object.assign(m, membersOf({ tables: { issue: [[0, 0, 0, 3, 0, 1, 1]] } })),
    "launch",
  ],
])("a recording with %s is refused in words", (_, damage, message) => {
  const members = membersOf({});
  damage(members);
  expect(() => read(members)).toThrow(DamagedRecording);
  expect(() => read(members)).toThrow(message);
});

test("a file that is no archive, and text that is no base64, are refused in words", () => {
  expect(() => new Recording(new Archive(new Uint8Array(40)))).toThrow("cannot be unpacked");
  expect(() => decodeBase64("%%%")).toThrow(DamagedRecording);
  expect([...decodeBase64(" AQID\n")]).toEqual([1, 2, 3]);
});
