// What the hardware holds for the chosen warp, drawn as the papers draw it.

import type { Kernel } from "../model/facts";
import { type Mask, maskText } from "../model/masks";
import type { Pack } from "../model/session";
import type { PairRow, Path, StackRow, WarpState } from "../model/state";
import { labelAt } from "../model/words";
import type { Store } from "../store";
import { MaskDigits, Pane, type PaneOf, Swatch } from "./parts";
import { statusText } from "./status";

export function MachinePane({ store, side }: PaneOf) {
  const state = store.state.value;
  const pack = store.session.packAt(store.warp.value, store.t.value);
  const colours = laneColours(state, store.colours.value, store.session.recording.width);
  const isEmpty = !state.stack.length && !state.pairs.length && !state.paths.length && !pack;
  return (
    <Pane
      title={`${side ? `${side}: what` : "What"} the hardware holds`}
      name="machine"
      hint="The state of the chosen warp at the end of this time: the structures that decide which of its lanes run next."
    >
      {isEmpty && (
        <p class="empty">The warp holds nothing: its lanes have returned, or have not begun.</p>
      )}
      {state.stack.length > 0 && (
        <StackTable
          title="Re-convergence stack"
          hint="A branch that divides the lanes pushes both sides. The top runs; it is popped when its PC reaches its RPC, the re-convergence point."
          rows={withRunningPc(state)}
          {...{ store, colours }}
        />
      )}
      {state.pairs.length > 0 && <PairsTable rows={state.pairs} {...{ store, colours }} />}
      {hasTable(state) && <SplitTable store={store} paths={state.paths} />}
      {[...state.stacksOfGroups].map(([group, rows]) => (
        <StackTable
          key={group}
          title={`Stack of split ${group}`}
          hint="This warp-split met a branch that its own stack handles."
          {...{ rows, store, colours }}
        />
      ))}
      {!state.stack.length && !state.pairs.length && state.paths.length > 0 && (
        <ThreadPcs store={store} colours={colours} />
      )}
      {pack && <PackMatrix pack={pack} store={store} />}
    </Pane>
  );
}

/** A warp without a stack is not subdivided: its lanes have PCs of their own. */
const hasTable = (state: WarpState) =>
  state.isSplit && (state.stack.length > 0 || state.pairs.length > 0);

/**
 * Return the stack with the pc at which its top really is.
 *
 * While groups run, hardware keeps their PCs elsewhere, and the top's own is stale: one group has
 * all lanes of the top, or a warp-split table has the PCs of its splits.
 */
function withRunningPc(state: WarpState): StackRow[] {
  const rows = [...state.stack];
  const top = rows[rows.length - 1];
  const groups = state.paths.filter((p) => p.source === "group" || p.source === "waiting");
  const inTop = groups.filter((p) => (p.mask & top.mask) !== 0n);
  if (inTop.length) rows[rows.length - 1] = { ...top, pc: inTop.length === 1 ? inTop[0].pc : null };
  return rows;
}

/** Return the colour of each lane, 255 for none. */
function laneColours(state: WarpState, colours: Uint8Array, width: number): Uint8Array {
  const found = new Uint8Array(width).fill(255);
  state.paths.forEach(({ mask }, i) => {
    for (let lane = 0; lane < width; lane++)
      if ((mask >> BigInt(lane)) & 1n) found[lane] = colours[i];
  });
  return found;
}

/** A pc as the papers write it, by its label, with its number. */
function Pc({ pc, kernel }: { readonly pc: number | null; readonly kernel: Kernel }) {
  if (pc === null) return <span class="quiet">–</span>;
  const label = labelAt(kernel, pc);
  const { text, line } = kernel.instructions[pc] ?? {};
  return (
    <span class="pc" title={`${line ? `line ${line}: ` : ""}${text ?? "the end of the kernel"}`}>
      <b>{pc}</b>
      {label && <span class="label"> @{label}</span>}
    </span>
  );
}

interface Shared {
  readonly store: Store;
  readonly colours: Uint8Array;
}

interface StackProps extends Shared {
  readonly title: string;
  readonly hint: string;
  readonly rows: readonly StackRow[];
}

/** The stack with its top at the top, as DWS Fig. 3 and LWM Fig. 3 draw it. */
export function StackTable({ title, hint, rows, store, colours }: StackProps) {
  const kernel = store.kernel.value;
  const width = store.session.recording.width;
  return (
    <div class="scroll">
      <table class={`machine stack${width > 16 ? " wide" : ""}`}>
        <caption title={hint}>{title}</caption>
        <thead>
          <tr>
            <th scope="col" class="tos">
              <span class="unseen">top</span>
            </th>
            <th scope="col" title="program counter: where the lanes of this row continue">
              PC
            </th>
            <th scope="col" title="re-convergence PC: the row is popped when its PC reaches it">
              RPC
            </th>
            <th scope="col">mask, lane 0 on the left</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].reverse().map(({ pc, rpc, mask }, i) => (
            <tr
              key={rows.length - i}
              class={i ? "" : "top"}
              data-row={`${pc ?? "-"} ${rpc ?? "-"} ${maskText(mask, width)}`}
            >
              <td class="tos" title={i ? "" : "top of the stack: this row runs"}>
                {i ? "" : "top ▸"}
              </td>
              <td>
                <Pc pc={pc} kernel={kernel} />
              </td>
              <td>
                <Pc pc={rpc} kernel={kernel} />
              </td>
              <td>
                <MaskDigits {...{ mask, width, colours }} chosen={store.lane.value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Paired paths: both sides of each entry in a row, the current one marked (PPC Figs. 3 to 5). */
function PairsTable({ rows, store, colours }: Shared & { readonly rows: readonly PairRow[] }) {
  const kernel = store.kernel.value;
  const width = store.session.recording.width;
  const side = (pc: number, mask: Mask, isCurrent: boolean) => (
    <td class={isCurrent ? "current" : ""}>
      <Pc pc={pc} kernel={kernel} />
      <br />
      <MaskDigits {...{ mask, width, colours }} chosen={store.lane.value} />
    </td>
  );
  return (
    <div class="scroll">
      <table class="machine pairs">
        <caption title="An entry holds both sides of a branch. Only the PCs of the top entry are compared: the smaller one runs, and equal PCs merge.">
          Paired paths
        </caption>
        <thead>
          <tr>
            <th scope="col" class="tos">
              <span class="unseen">top</span>
            </th>
            <th scope="col" title="The side that runs, until its PC passes the other's">
              current side
            </th>
            <th scope="col" title="The side that waits; it is compared with the current one">
              other side
            </th>
          </tr>
        </thead>
        <tbody>
          {[...rows].reverse().map((pair, i) => (
            <tr
              key={rows.length - i}
              class={i ? "" : "top"}
              data-row={`${pair.pc} ${maskText(pair.mask, width)} ${pair.otherPc} ${maskText(pair.otherMask, width)}`}
            >
              <td class="tos">{i ? "" : "top ▸"}</td>
              {side(pair.pc, pair.mask, true)}
              {side(pair.otherPc, pair.otherMask, false)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The warp-split table: mask, PC and status of every group of the warp (DWS Figs. 6 and 12). */
function SplitTable({ store, paths }: { readonly store: Store; readonly paths: readonly Path[] }) {
  const { session } = store;
  const width = session.recording.width;
  return (
    <div class="scroll">
      <table class={`machine splits${width > 16 ? " wide" : ""}`}>
        <caption title="The warp is subdivided: each row is a warp-split, which is scheduled like a warp of its own.">
          Warp-split table
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">path</span>
            </th>
            <th scope="col">mask</th>
            <th scope="col">PC</th>
            <th scope="col">status</th>
          </tr>
        </thead>
        <tbody>
          {paths.map((path, i) => {
            if (path.source !== "group" && path.source !== "waiting") return null;
            const colour = store.colours.value[i];
            return (
              <tr
                key={i}
                data-row={`${maskText(path.mask, width)} ${path.pc ?? "-"} ${path.status}`}
              >
                <td>
                  <Swatch colour={colour} />
                </td>
                <td>
                  <MaskDigits
                    mask={path.mask}
                    width={width}
                    colours={new Array(width).fill(colour)}
                    chosen={store.lane.value}
                  />
                </td>
                <td>
                  <Pc pc={path.pc} kernel={store.kernel.value} />
                </td>
                <td>{statusText(path, session, store.t.value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const CHUNK = 8;

/** A PC for each lane: what schemes without a stack hold. */
function ThreadPcs({ store, colours }: Shared) {
  const lanes = store.lanes.value;
  const chunks = Array.from({ length: Math.ceil(lanes.length / CHUNK) }, (_, i) =>
    lanes.slice(i * CHUNK, (i + 1) * CHUNK),
  );
  return (
    <div class="scroll">
      <table class="machine threads" data-row={lanes.map((l) => l.pc ?? "-").join(" ")}>
        <caption title="Each lane has a PC of its own; lanes at one PC can issue together.">
          PCs of the lanes
        </caption>
        {chunks.map((chunk) => (
          <tbody key={chunk[0].lane}>
            <tr>
              <th scope="row">lane</th>
              {chunk.map(({ lane }) => (
                <th scope="col" key={lane}>
                  {lane}
                </th>
              ))}
            </tr>
            <tr>
              <th scope="row">PC</th>
              {chunk.map(({ lane, pc }) => (
                <td key={lane} class={colours[lane] === 255 ? "" : `path-${colours[lane]} pale`}>
                  {pc ?? "–"}
                </td>
              ))}
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** What a pack of warps is called, and what its numbers are. */
function packWords(pack: Pack, isFormed: boolean) {
  if (isFormed && pack.times.length === 1)
    return {
      caption: `The formed warp at pc ${pack.pc}: lanes of ${pack.warps.length} warps`,
      hint: "Lanes of several warps that are at one PC issue together, each in its own column.",
      row: "warp",
    };
  return {
    caption: `Sub-warps at pc ${pack.pc}: number ${pack.now} of ${pack.times.length} issues`,
    hint: "Rows of a large warp issue together: each sub-warp takes at most one active lane of every column. Numbers are those of the sub-warps.",
    row: "row",
  };
}

/** A pack of warps: which sub-warp takes which lane along (LWM Figs. 4 to 7). */
function PackMatrix({ pack, store }: { readonly pack: Pack; readonly store: Store }) {
  const { facts } = store.session.recording;
  const words = packWords(pack, !!facts.policy?.startsWith("dwf"));
  const width = pack.cells[0].length;
  const isCompact = width > 16;
  const named = isCompact ? 4 : 1; // one lane in so many: the columns are narrower than a number
  return (
    <div class="scroll">
      <table class={`machine pack${isCompact ? " compact" : ""}`}>
        <caption title={words.hint}>{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.row}</th>
            {Array.from({ length: Math.ceil(width / named) }, (_, i) => (
              <th scope="col" key={i} colSpan={named}>
                {i * named}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pack.cells.map((cells, row) => (
            <tr key={pack.warps[row]} data-row={Array.from(cells).join(" ")}>
              <th scope="row" title={facts.warps[pack.warps[row]]}>
                {pack.warps[row]}
              </th>
              {Array.from(cells, (number, lane) => (
                <td
                  key={lane}
                  class={
                    number ? `path-${(number - 1) % 8} ${number === pack.now ? "" : "pale"}` : ""
                  }
                >
                  {number || "·"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
