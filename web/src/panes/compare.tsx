// Two recordings of the same kernels: where they part, in words and numbers.

import { effect, untracked } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import {
  firstParting,
  matchOf,
  type Parting,
  type Step,
  type Totals,
  Trails,
  totalsOf,
} from "../model/align";
import { lanesText } from "../model/masks";
import type { Session } from "../model/session";
import { causeTitle, codeOf, count } from "../model/words";
import type { Store } from "../store";
import { Pane } from "./parts";

export const SIDES = ["A", "B"] as const;

/** Let each of two stores follow the other: whichever is moved leads. */
export function useAlignment(stores: readonly Store[]) {
  useEffect(() => {
    if (stores.length < 2) return;
    const trails = stores.map((s) => new Trails(s.session));
    // Where a store was put by the other one: it does not lead from there.
    const put: (string | null)[] = [null, null];
    const placeOf = (s: Store) => `${s.warp.value} ${s.lane.value} ${s.t.value}`;
    put[1] = placeOf(stores[1]);
    const follow = (leader: number) =>
      effect(() => {
        const [from, to] = [stores[leader], stores[1 - leader]];
        if (placeOf(from) === put[leader]) return;
        put[leader] = null;
        const at = { warp: from.warp.value, lane: from.lane.value, t: from.t.value };
        untracked(() => {
          const both = { from: trails[leader], to: trails[1 - leader] };
          const match = matchOf(from.session, to.session, both, at);
          from.partner.value = match;
          to.partner.value = match;
          if (!match) return;
          to.chooseWarp(match.warp);
          to.chooseLane(match.lane);
          to.goto(match.t);
          put[1 - leader] = placeOf(to);
        });
      });
    const [stopA, stopB] = [follow(0), follow(1)];
    return () => {
      stopA();
      stopB();
    };
  }, [stores]);
}

export function ComparePane({ stores }: { readonly stores: readonly Store[] }) {
  const [a, b] = stores;
  const facts = useMemo(() => {
    const sessions = [a.session, b.session] as const;
    return {
      parting: firstParting(...sessions),
      totals: sessions.map(totalsOf) as [Totals, Totals],
    };
  }, [a, b]);
  const { unit } = a.session.recording.facts;
  return (
    <Pane
      title="Where they part"
      name="compare"
      hint="The two runs are aligned by work-item: when A is at a step, B is at the moment at which the work-item of the chosen lane has executed as many instructions. A work-item's own instructions are the same in both runs; times, masks and the order of paths differ."
    >
      <div class="compare">
        <div>
          <Words sessions={[a.session, b.session]} {...facts} />
          {facts.parting?.a && (
            <button type="button" onClick={() => gotoParting(a, facts.parting)}>
              Show the first difference
            </button>
          )}
          <Alignment store={a} />
        </div>
        <Numbers totals={facts.totals} unit={unit} />
        <Lines totals={facts.totals} store={a} />
      </div>
    </Pane>
  );
}

function gotoParting(store: Store, parting: Parting | null) {
  if (!parting?.a) return;
  store.chooseWarp(parting.a.warp);
  // A lane that issues in both runs shows both at this very instruction.
  const lanes = parting.a.mask & (parting.b?.mask ?? 0n) || parting.a.mask;
  let lane = 0;
  while (!((lanes >> BigInt(lane)) & 1n)) lane++;
  store.chooseLane(lane);
  store.goto(parting.a.t);
}

interface WordsProps {
  readonly sessions: readonly [Session, Session];
  readonly parting: Parting | null;
  readonly totals: readonly [Totals, Totals];
}

function Words({ sessions, parting, totals }: WordsProps) {
  const [a, b] = sessions.map((s) => s.recording.facts);
  const unit = a.unit;
  const sentences: string[] = [];
  if (a.unit !== b.unit) sentences.push("One run counts cycles and the other steps.");
  else if (totals[0].time === totals[1].time)
    sentences.push(`Both take ${count(totals[0].time, unit)}.`);
  else {
    const [less, more] = totals[0].time < totals[1].time ? [0, 1] : [1, 0];
    const ratio = totals[more].time / totals[less].time;
    sentences.push(
      `${SIDES[less]} takes ${count(totals[less].time, unit)}, ${SIDES[more]} ${totals[more].time.toLocaleString("en")}: ${SIDES[less]} is ${ratio.toFixed(2)} times as fast.`,
    );
  }
  const widths = sessions.map((s) => s.recording.width);
  if (widths[0] !== widths[1])
    sentences.push(
      `Their warps have ${widths[0]} and ${widths[1]} lanes, so that no warp has its like.`,
    );
  else if (!parting)
    sentences.push(
      "Every warp issues the same instructions for the same lanes, in the same order.",
    );
  else sentences.push(partingText(sessions, parting));
  return (
    <>
      {sentences.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </>
  );
}

function partingText(sessions: readonly [Session, Session], parting: Parting): string {
  const what = (side: 0 | 1, step: Step | null) => {
    const { recording } = sessions[side];
    if (!step) return `${SIDES[side]} issues nothing more`;
    const { text, line } = recording.kernels[parting.launch].instructions[step.pc];
    const place = line ? ` (line ${line})` : "";
    return `${SIDES[side]} issues ${codeOf(text)}${place} for ${lanesText(step.mask)} at ${recording.facts.unit} ${step.t.toLocaleString("en")}`;
  };
  const launches = sessions[0].recording.kernels.length > 1 ? ` in launch ${parting.launch}` : "";
  const before =
    parting.before === 1
      ? "its first instruction"
      : `its first ${parting.before.toLocaleString("en")} instructions`;
  const after = parting.before ? `, after ${before} were the same` : "";
  return `The first warp to part is warp ${parting.wave} of workgroup ${parting.workgroup}${launches}${after}: ${what(0, parting.a)}; ${what(1, parting.b)}.`;
}

/** How this step of A corresponds to B. */
function Alignment({ store }: { readonly store: Store }) {
  const match = store.partner.value;
  if (!match) return <p class="quiet">The chosen lane holds no work-item that both runs have.</p>;
  const done = `The work-item of the chosen lane has executed ${count(match.executed, "instruction")} in both`;
  return (
    <p class="quiet">
      {match.isSame
        ? `${done}.`
        : "The work-item took different paths in the two runs: they depend on time."}
    </p>
  );
}

function Numbers({
  totals,
  unit,
}: {
  readonly totals: readonly [Totals, Totals];
  readonly unit: string;
}) {
  const [a, b] = totals;
  const whole = (n: number) => n.toLocaleString("en");
  const rows: [string, string, string, string][] = [
    [`${unit}s`, whole(a.time), whole(b.time), "how long the recording is"],
    [
      "issues",
      whole(a.issues),
      whole(b.issues),
      "instructions that warps or groups of them issued",
    ],
    [
      "instructions of work-items",
      whole(a.threads),
      whole(b.threads),
      "issues, counted once for each lane",
    ],
    ["mean active lanes", a.meanLanes.toFixed(2), b.meanLanes.toFixed(2), "lanes per issue"],
  ];
  if (unit === "cycle") {
    rows.push(["idle cycles", whole(a.idle), whole(b.idle), "cycles in which nothing issued"]);
    const slots = a.slots && b.slots ? [a.slots, b.slots] : null;
    const [left, right] = slots ?? [a.idleBy, b.idleBy];
    const means = slots
      ? "issue slots of all WPUs in which nothing issued, by the cause that the engine charged"
      : "idle cycles are charged to the cause for which most lanes wait then";
    const of = (by: ReadonlyMap<string, number>, cause: string) => by.get(cause) ?? 0;
    const causes = [...new Set([...left.keys(), ...right.keys()])]
      .filter((cause) => cause !== "issued" && of(left, cause) + of(right, cause) > 0)
      .sort((x, y) => of(left, y) + of(right, y) - of(left, x) - of(right, x));
    if (slots) rows.push(["empty issue slots by cause", "", "", means]);
    for (const cause of causes)
      rows.push([`– ${causeTitle(cause)}`, whole(of(left, cause)), whole(of(right, cause)), means]);
  }
  return (
    <div class="scroll">
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, left, right, means]) => (
            <tr key={name} title={means} class={left === right ? "" : "differs"}>
              <th scope="row">{name}</th>
              <td>{left}</td>
              <td>{right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const MOST_LINES = 10;

/** Lines by how much they differ. */
function Lines({
  totals,
  store,
}: {
  readonly totals: readonly [Totals, Totals];
  readonly store: Store;
}) {
  const names = [...new Set(totals.flatMap((t) => [...t.lines.keys()]))];
  const rows = names
    .map((name) => {
      const [a, b] = totals.map((t) => t.lines.get(name));
      const { file, line } = (a ?? b) as { file: string; line: number };
      const lanes = (l: typeof a) => (l?.issues ? l.threads / l.issues : 0);
      const cost = (l: typeof a) => (l ? l.issues + l.waited : 0);
      return {
        name,
        file,
        line,
        a,
        b,
        lanes: [lanes(a), lanes(b)],
        by: Math.abs(cost(a) - cost(b)),
      };
    })
    .filter((r) => r.by > 0)
    .sort((x, y) => y.by - x.by);
  if (!rows.length) return <p class="quiet">Every line was issued as often, and waited as long.</p>;
  const hasWaits = rows.some((r) => r.a?.waited || r.b?.waited);
  return (
    <div class="scroll">
      <table class="numbers">
        <caption>
          {rows.length > MOST_LINES
            ? `The ${MOST_LINES} of ${rows.length} lines that differ most`
            : "Lines that differ"}
        </caption>
        <thead>
          <tr>
            <th scope="col">line</th>
            <th scope="col" colSpan={2} title="How often it was issued, in A and in B">
              issues A, B
            </th>
            <th scope="col" colSpan={2} title="Lanes per issue, in A and in B">
              mean lanes
            </th>
            {hasWaits && (
              <th
                scope="col"
                colSpan={2}
                title="Cycles that groups of lanes waited there, added up"
              >
                waited
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_LINES).map(({ name, file, line, a, b, lanes }) => (
            <tr key={name}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    store.line.value = { file, line };
                    store.jump.value = "line";
                    store.jumpTo("line", 1);
                  }}
                >
                  {line}
                </button>
              </th>
              <td>{a?.issues ?? 0}</td>
              <td>{b?.issues ?? 0}</td>
              <td>{lanes[0].toFixed(1)}</td>
              <td>{lanes[1].toFixed(1)}</td>
              {hasWaits && <td>{(a?.waited ?? 0).toLocaleString("en")}</td>}
              {hasWaits && <td>{(b?.waited ?? 0).toLocaleString("en")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
