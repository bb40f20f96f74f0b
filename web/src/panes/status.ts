// The status of a path in words.

import type { Session } from "../model/session";
import type { Path } from "../model/state";
import { causeTitle } from "../model/words";

const STATUS: Readonly<Record<Path["status"], string>> = {
  run: "runs",
  ready: "ready",
  wait: "waits",
  held: "held back by adaptive slip",
  slotless: "waits for a scheduler slot",
  "barrier-wait": "waits at a barrier",
  parked: "waits for its turn",
  "rpc-wait": "waits at the re-convergence point",
  "branch-wait": "waits at a branch for its warp",
  below: "waits on the stack",
};

/** Return what a path does at t: "waits for memory until cycle 40". */
export function statusText(path: Path, session: Session, t: number): string {
  if (path.status === "below" && path.source === "pair") return "the other side of a pair";
  if (path.status !== "wait") return STATUS[path.status] ?? path.status;
  const { unit } = session.recording.facts;
  if (path.ready >= 0 && path.ready <= t) return STATUS.ready;
  const now = path.parts.find(({ until }) => until > t)?.cause ?? path.cause;
  const cause = now === null ? "" : ` for ${causeTitle(now)}`;
  const until = path.ready >= 0 ? ` until ${unit} ${path.ready}` : "";
  return `waits${cause}${until}`;
}
