// Masks of lanes: bit l is lane l. Columns keep them as halves of 32 bits, the rest as bigint.

export type Mask = bigint;

/** Return the number of ones of a 32-bit word. */
export function ones(x: number): number {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Return the number of lanes in the mask with these halves. */
export const countOf = (lo: number, hi: number) => ones(lo) + ones(hi);

/** Return whether a lane is in the mask with these halves. */
export const hasLane = (lo: number, hi: number, lane: number) =>
  (lane < 32 ? (lo >>> lane) & 1 : (hi >>> (lane - 32)) & 1) === 1;

/** Return how many lanes of the mask come before `lane`. */
export function lanesBefore(lo: number, hi: number, lane: number): number {
  if (lane < 32) return ones(lane ? lo << (32 - lane) : 0);
  return ones(lo) + (lane > 32 ? ones(hi << (64 - lane)) : 0);
}

/** Return the mask with these halves. */
export const maskOf = (lo: number, hi: number): Mask => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

/** Return the mask of a hexadecimal text. */
export const parseMask = (hex: string): Mask => BigInt(`0x${hex.replace(/^0x/, "") || "0"}`);

/** Return the number of lanes of a mask. */
export const popcount = (mask: Mask) =>
  countOf(Number(mask & 0xffffffffn), Number((mask >> 32n) & 0xffffffffn));

/** Return whether `lane` is in the mask. */
export const includes = (mask: Mask, lane: number) => ((mask >> BigInt(lane)) & 1n) === 1n;

/** Return the lanes of a mask, smallest first. */
export function lanesOf(mask: Mask): number[] {
  const found: number[] = [];
  for (let lane = 0, rest = mask; rest; lane++, rest >>= 1n) if (rest & 1n) found.push(lane);
  return found;
}

/** Return a mask as the papers write it: a digit per lane, lane 0 on the left. */
export const maskText = (mask: Mask, width: number) =>
  Array.from({ length: width }, (_, lane) => (includes(mask, lane) ? "1" : "0")).join("");

/** Return lanes in words: "lanes 0-4 and 7". */
export function lanesText(mask: Mask): string {
  const lanes = lanesOf(mask);
  const runs: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (lanes[end + 1] === lanes[end] + 1) end++;
    runs.push(end > i ? `${lanes[i]}–${lanes[end]}` : `${lanes[i]}`);
    i = end + 1;
  }
  if (!runs.length) return "no lane";
  const list =
    runs.length > 1 ? `${runs.slice(0, -1).join(", ")} and ${runs[runs.length - 1]}` : runs[0];
  return `${lanes.length > 1 ? "lanes" : "lane"} ${list}`;
}
