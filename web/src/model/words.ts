// The step in words: for the screen reader's live region, and for readers new to the subject.

import type { Kernel } from "./facts";
import { lanesText, type Mask, popcount } from "./masks";
import type { InstantNow, Session } from "./session";

/** Return the number with the noun in its plural: "3 lanes". */
export const count = (n: number, noun: string) =>
  `${n.toLocaleString("en")} ${n === 1 ? noun : `${noun.replace(/(s|ch)$/, "$1e")}s`}`;

/** Return a place in the kernel: the label or the line, else the pc. */
export function placeText(kernel: Kernel, pc: number | null): string {
  if (pc === null) return "the end";
  const label = labelAt(kernel, pc);
  const line = kernel.instructions[pc]?.line;
  if (label && line) return `@${label} (line ${line})`;
  return label ? `@${label}` : line ? `line ${line}` : `pc ${pc}`;
}

/** Return the label that stands at a pc, or null. */
export function labelAt(kernel: Kernel, pc: number): string | null {
  for (const [name, at] of Object.entries(kernel.labels)) if (at === pc) return name;
  return null;
}

/** What the causes of waits mean, by their names in a recording. */
export const CAUSES: Readonly<Record<string, { title: string; means: string }>> = {
  issued: { title: "issues", means: "an instruction is issued" },
  ready: { title: "ready", means: "could issue, but another group was chosen" },
  hit: { title: "cache hit", means: "waits for the latency of the first-level cache" },
  bank: { title: "bank conflict", means: "waits for a bank or port of the cache" },
  mshr: { title: "no free MSHR", means: "every miss-status register of the cache is in use" },
  l2: { title: "second level", means: "waits for the crossbar or the second-level cache" },
  memory: { title: "memory", means: "waits for the bus and DRAM" },
  fetch: { title: "instruction fetch", means: "waits for the instruction cache" },
  pipeline: { title: "pipeline", means: "its last instruction is still in the pipeline" },
  barrier: { title: "barrier", means: "waits for the other warps of its workgroup" },
  reconverge: { title: "re-convergence", means: "waits for other lanes of its warp" },
  slot: { title: "no scheduler slot", means: "the scheduler has no free slot for this split" },
  unit: { title: "busy unit", means: "complex units or group memory are busy" },
  idle: { title: "no work-items", means: "holds no work-items" },
};

export const causeTitle = (cause: string) => CAUSES[cause]?.title ?? cause;

/** What the instants are called on buttons and in sentences. */
export const INSTANTS: Readonly<Record<string, string>> = {
  diverge: "divergence",
  split: "split",
  merge: "merge",
  join: "re-convergence",
  miss: "miss",
  barrier: "barrier",
  open: "barrier opens",
  exit: "exit",
  trap: "trap",
};

function instantText({ kind, mask, other }: InstantNow, width: number): string {
  const some = (m: Mask) => (popcount(m) === width ? "all lanes" : lanesText(m));
  switch (kind) {
    case "diverge":
      return `The branch diverges: ${some(other)} ${verb(other, "take", "takes")} it, ${some(mask & ~other)} ${verb(mask & ~other, "fall", "falls")} through.`;
    case "split":
      return `The warp splits: ${some(other)} ${verb(other, "continue", "continues")} separately.`;
    case "merge":
      return `Groups merge into one of ${some(mask)}.`;
    case "join":
      return `Paths re-converge: ${some(mask)} run together again.`;
    case "miss":
      if (mask === other)
        return `${capital(some(mask))} ${verb(mask, "miss", "misses")} the cache.`;
      return `${capital(lanesText(other))} of ${count(popcount(mask), "lane")} ${verb(other, "miss", "misses")} the cache.`;
    case "barrier":
      return `${capital(some(mask))} ${verb(mask, "arrive", "arrives")} at the barrier.`;
    case "open":
      return "The barrier opens.";
    case "exit":
      return `${capital(some(mask))} ${verb(mask, "return", "returns")}.`;
    case "trap":
      return `${capital(some(mask))} ${verb(mask, "trap", "traps")}.`;
    default:
      return "";
  }
}

/** Return an instruction without its comment and its columns. */
export const codeOf = (text: string) =>
  text
    .replace(/\/\/.*/, "")
    .trim()
    .replace(/\s+/g, " ");

const verb = (mask: Mask, many: string, one: string) => (popcount(mask) === 1 ? one : many);

/** Return what a cause means for one warp in the words for several lanes. */
const ofSeveral = (means: string) =>
  means
    .replace(/^waits/, "wait")
    .replace(/^holds/, "hold")
    .replace(/^its/, "their")
    .replace(" its ", " their ");

const capital = (text: string) => text[0].toUpperCase() + text.slice(1);

/** Return what a warp does at t, in sentences. */
export function stepText(session: Session, warp: number, t: number): string {
  const { recording } = session;
  const { facts, width } = recording;
  const sentences: string[] = [];
  const issued = session.issuedAt(warp, t);
  for (const { pc, mask, lanes, instruction } of issued) {
    const line = instruction.line ? ` (line ${instruction.line})` : "";
    const who = lanes === width ? `all ${width} lanes` : `${lanes} of ${width}: ${lanesText(mask)}`;
    sentences.push(
      `Warp ${warp} issues ${codeOf(instruction.text) || `pc ${pc}`}${line} for ${who}.`,
    );
  }
  for (const instant of session.instantsAt(warp, t)) sentences.push(instantText(instant, width));
  if (!issued.length) sentences.push(...idleText(session, warp, t));
  return `${capital(facts.unit)} ${t.toLocaleString("en")}. ${sentences.join(" ")}`;
}

function idleText(session: Session, warp: number, t: number): string[] {
  const { unit } = session.recording.facts;
  const kernel = session.kernelAt(t);
  const waits = session.waitsAt(warp, t);
  if (waits.length)
    return waits.map(({ cause, mask, until, pc }) => {
      const means = CAUSES[cause]?.means ?? `waits for ${cause}`;
      const whole = popcount(mask) === popcount(session.stateAt(warp, t).live);
      const one = whole || popcount(mask) === 1;
      const who = whole ? `Warp ${warp}` : `${capital(lanesText(mask))} of warp ${warp}`;
      const what = one ? means : ofSeveral(means);
      return `${who} at ${placeText(kernel, pc)}: ${what}, until ${unit} ${until.toLocaleString("en")}.`;
    });
  const { paths } = session.stateAt(warp, t);
  if (!paths.length) return [`Warp ${warp} holds no work-items that run.`];
  if (paths.some((p) => p.status === "barrier-wait")) return [`Warp ${warp} waits at a barrier.`];
  return [`Warp ${warp} issues nothing.`];
}
