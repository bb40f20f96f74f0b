// 64 bits as numbers of a type of the instruction set.

import type { Bits } from "./values";

const view = new DataView(new ArrayBuffer(8));

export type Form = "hex" | "unsigned" | "signed" | "float" | "truth";

/** Return the bytes of a type: 4 for u32. */
export const sizeOf = (type: string) => Math.max(1, Number(/\d+$/.exec(type)?.[0] ?? 32) / 8);

/** Return the form in which values of a type are read. */
export function formOf(type: string | null): Form {
  if (!type) return "hex";
  if (type.startsWith("f")) return "float";
  if (type.startsWith("s")) return "signed";
  if (type === "b1") return "truth";
  return type.startsWith("b") ? "hex" : "unsigned";
}

/** Return bits as a text of a form; `size` is in bytes. */
export function format({ lo, hi }: Bits, form: Form, size: number): string {
  view.setUint32(0, lo, true);
  view.setUint32(4, hi, true);
  switch (form) {
    case "truth":
      return lo & 1 ? "true" : "false";
    case "float":
      return size === 8 ? short(view.getFloat64(0, true)) : short(view.getFloat32(0, true), 9);
    case "signed":
      if (size === 8) return view.getBigInt64(0, true).toString();
      return String(
        size === 1 ? view.getInt8(0) : size === 2 ? view.getInt16(0, true) : view.getInt32(0, true),
      );
    case "unsigned":
      if (size === 8) return view.getBigUint64(0, true).toString();
      return String(size === 1 ? lo & 255 : size === 2 ? lo & 65535 : lo >>> 0);
    default: {
      const low = (size < 4 ? lo & (2 ** (8 * size) - 1) : lo >>> 0).toString(16);
      if (size < 8) return `0x${low.padStart(2 * size, "0")}`;
      return `0x${(hi >>> 0).toString(16).padStart(8, "0")}${low.padStart(8, "0")}`;
    }
  }
}

/** Return the shortest text that reads back as the same number of `digits` (17: a double). */
function short(x: number, digits = 17): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (Object.is(x, -0)) return "-0";
  if (digits > 9) return String(x);
  for (let p = 1; p < digits; p++) {
    const text = x.toPrecision(p);
    if (Math.fround(Number(text)) === x) return String(Number(text));
  }
  return x.toPrecision(digits);
}

/** Return little-endian bytes as 64 bits. */
export function bitsOf(bytes: Uint8Array): Bits {
  let [lo, hi] = [0, 0];
  bytes.forEach((byte, i) => {
    if (i < 4) lo |= byte << (8 * i);
    else hi |= byte << (8 * (i - 4));
  });
  return { lo: lo >>> 0, hi: hi >>> 0 };
}
