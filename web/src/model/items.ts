// Work-items: which one a lane holds, and where one is.

import type { Recording } from "./recording";

export type Triple = [number, number, number];

export interface WorkItem {
  readonly group: Triple;
  readonly local: Triple;
  readonly global: Triple;
  readonly flatGroup: number;
  readonly flatLocal: number;
}

/** A global id, or a group and a local id. */
export type ItemQuery =
  | { readonly global: readonly number[] }
  | { readonly group: readonly number[]; readonly local: readonly number[] };

function matches(item: WorkItem, wanted: ItemQuery): boolean {
  const same = (ids: readonly number[], triple: Triple) =>
    triple.every((id, d) => id === (ids[d] ?? 0));
  if ("global" in wanted) return same(wanted.global, item.global);
  const isGroup =
    wanted.group.length === 1 ? wanted.group[0] === item.flatGroup : same(wanted.group, item.group);
  const isLocal =
    wanted.local.length === 1 ? wanted.local[0] === item.flatLocal : same(wanted.local, item.local);
  return isGroup && isLocal;
}

/** Return the ids of the work-item in a lane, or null for an empty lane. */
export function itemOf(
  recording: Recording,
  warp: number,
  lane: number,
  t: number,
): WorkItem | null {
  const place = recording.occupantAt(warp, t);
  const launch = recording.facts.launches[recording.launchAt(t)];
  const local = (place?.wave ?? 0) * recording.width + lane;
  if (!place) return null;
  const [gx, gy] = launch.groups;
  const [sx, sy, sz] = launch.group_size;
  if (local >= sx * sy * sz) return null;
  const group: Triple = [
    place.workgroup % gx,
    Math.floor(place.workgroup / gx) % gy,
    Math.floor(place.workgroup / (gx * gy)),
  ];
  const within: Triple = [local % sx, Math.floor(local / sx) % sy, Math.floor(local / (sx * sy))];
  const global = group.map((g, d) => g * launch.group_size[d] + within[d]) as Triple;
  if (global.some((id, d) => id >= launch.items[d])) return null;
  return { group, local: within, global, flatGroup: place.workgroup, flatLocal: local };
}

/** Return where a work-item is: a warp, a lane and a time not before t, if there is one. */
export function findItem(
  recording: Recording,
  wanted: ItemQuery,
  t: number,
): { warp: number; lane: number; t: number } | null {
  const { occupant, width } = recording;
  let found: { warp: number; lane: number; t: number } | null = null;
  for (let row = 0; row < occupant.count; row++) {
    const { workgroup, wave } = {
      workgroup: occupant.workgroup[row],
      wave: occupant.wave[row],
    };
    if (workgroup < 0) continue;
    const at = occupant.t[row];
    for (let lane = 0; lane < width; lane++) {
      const item = itemOf(recording, occupant.warp[row], lane, at);
      if (!item || !matches(item, wanted)) continue;
      const warp = occupant.warp[row];
      const isThere = recording.occupantAt(warp, t);
      if (isThere?.workgroup === workgroup && isThere.wave === wave) return { warp, lane, t };
      if (!found || at <= t) found = { warp, lane, t: Math.max(recording.facts.begin, at) };
    }
  }
  return found;
}
