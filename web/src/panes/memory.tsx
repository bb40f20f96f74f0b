// Memory, buffer by buffer, with the last writer of each element.

import { signal } from "@preact/signals";
import { bitsOf, format, formOf, sizeOf } from "../model/numbers";
import type { Values, Writer } from "../model/values";
import type { Store } from "../store";
import { Choice, Pane } from "./parts";
import { keptText } from "./registers";

/** A range of memory that the reader can choose. */
interface Region {
  readonly name: string;
  readonly title: string;
  readonly segment: string;
  readonly address: number;
  readonly size: number;
  readonly type: string;
}

const PAGE = 128;
const TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "b32", "b64"];

const region = signal<string | null>(null);
const type = signal<string>("own");
const first = signal(0);
const chosen = signal<number | null>(null);
const follows = signal(true);

function regionsOf(store: Store): Region[] {
  const { facts } = store.session.recording;
  const kernel = store.kernel.value;
  const arrays = kernel.arrays
    .filter((a) => a.segment !== "readonly")
    .map(({ name, segment, type: t, count, offset }) => {
      const title =
        segment === "group" ? `${name} (group memory)` : `${name} (private to the lane)`;
      const size = count * sizeOf(t);
      return { name: `${segment} ${name}`, title, segment, address: offset, size, type: t };
    });
  const buffers = facts.buffers.map(({ name, address, size, type: t }) => {
    const title = `${name} (buffer)`;
    return { name: `global ${name} ${address}`, title, segment: "global", address, size, type: t };
  });
  return [...buffers, ...arrays];
}

export function MemoryPane({ store }: { readonly store: Store }) {
  const { values } = store.session;
  const regions = regionsOf(store);
  const access = typeof values === "string" ? null : accessNow(store, values);
  const accessed = access && regions.find((r) => holds(r, access));
  const shown =
    (follows.value && accessed) || regions.find((r) => r.name === region.value) || regions[0];
  const hint =
    "What buffers and arrays hold at this time. Cells that this time's instruction writes are marked; the frame is the place that the chosen lane accesses. Choose a cell to see who wrote it last.";
  const problem =
    typeof values === "string" ? values : shown ? null : "This kernel has no buffers and arrays.";
  if (problem !== null || typeof values === "string")
    return (
      <Pane title="Memory" name="memory" hint={hint}>
        <p class="empty">{problem}</p>
      </Pane>
    );
  const shownType = type.value === "own" ? shown.type : type.value;
  return (
    <Pane
      title="Memory"
      name="memory"
      hint={hint}
      tools={
        <>
          <Choice
            label="Buffer or array"
            hidesLabel
            value={shown.name}
            options={regions.map((r) => ({ value: r.name, title: r.title }))}
            onChange={(name) => {
              region.value = name;
              follows.value = false;
              first.value = 0;
              chosen.value = null;
            }}
          />
          <Choice
            label="Type"
            hidesLabel
            value={type.value}
            options={[
              { value: "own", title: shown.type },
              ...TYPES.filter((t) => t !== shown.type).map((t) => ({ value: t, title: t })),
            ]}
            onChange={(t) => {
              type.value = t;
            }}
          />
          <label class="check" title="Show the place that the chosen lane accesses">
            <input
              type="checkbox"
              checked={follows.value}
              onChange={(event) => {
                follows.value = event.currentTarget.checked;
              }}
            />
            follow
          </label>
        </>
      }
    >
      <Cells
        store={store}
        values={values}
        shown={shown}
        type={shownType}
        access={accessed === shown && access ? access.address - shown.address : null}
      />
    </Pane>
  );
}

interface Access {
  readonly segment: string;
  readonly address: number;
}

function accessNow(store: Store, values: Values): Access | null {
  for (const { row } of store.issued.value) {
    const found = values.addressOf(row, store.t.value, store.lane.value);
    if (found) return found;
  }
  return null;
}

const holds = (r: Region, a: Access) => {
  const isLocal = a.segment === "group" || a.segment === "private";
  return (
    (isLocal ? r.segment === a.segment : r.segment === "global") &&
    a.address >= r.address &&
    a.address < r.address + r.size
  );
};

interface CellsProps {
  readonly store: Store;
  readonly values: Values;
  readonly shown: Region;
  readonly type: string;
  /** Byte of the region that the chosen lane accesses, or null. */
  readonly access: number | null;
}

function Cells({ store, values, shown, type: cellType, access }: CellsProps) {
  const { session } = store;
  const t = store.t.value;
  const size = sizeOf(cellType);
  const total = Math.floor(shown.size / size);
  const accessed = access === null ? null : Math.floor(access / size);
  const start = follows.value && accessed !== null ? accessed : first.value;
  const page = Math.max(0, Math.min(Math.floor(start / PAGE), Math.ceil(total / PAGE) - 1));
  const launch = session.recording.launchAt(t);
  const space = values.spaceName(shown.segment, store.warp.value, launch, t, store.lane.value);
  const cells = Array.from({ length: Math.min(PAGE, total - page * PAGE) }, (_, i) => {
    const index = page * PAGE + i;
    return { index, ...values.memoryAt(space, shown.address + index * size, size, t) };
  });
  const texts = cells.map(({ bytes, isKnown }) =>
    isKnown ? format(bitsOf(bytes), formOf(cellType), size) : "–",
  );
  const turn = (by: number) => {
    follows.value = false;
    region.value = shown.name;
    first.value = (page + by) * PAGE;
  };
  const marked =
    cells.find((c) => c.index === chosen.value) ?? cells.find((c) => c.index === accessed);
  return (
    <>
      <div
        class="cells"
        role="listbox"
        aria-label={`Elements of ${shown.title}`}
        style={{ "--letters": Math.max(0, ...texts.map((text) => text.length)) }}
      >
        {cells.map(({ index, writer }, i) => {
          const text = texts[i];
          const look = `${writer?.t === t ? " new" : ""}${writer ? " written" : ""}${index === accessed ? " accessed" : ""}`;
          return (
            <button
              type="button"
              role="option"
              key={index}
              class={`cell${look}`}
              aria-selected={index === marked?.index}
              aria-label={`Element ${index}: ${text}`}
              onClick={() => {
                chosen.value = index;
              }}
            >
              <small>{index}</small>
              {text}
            </button>
          );
        })}
      </div>
      <div class="row">
        {total > PAGE && (
          <span class="pager">
            <button
              type="button"
              disabled={page === 0}
              onClick={() => turn(-1)}
              aria-label="Elements before"
            >
              ‹
            </button>
            {`${page * PAGE}–${page * PAGE + cells.length - 1} of ${total}`}
            <button
              type="button"
              disabled={(page + 1) * PAGE >= total}
              onClick={() => turn(1)}
              aria-label="Elements after"
            >
              ›
            </button>
          </span>
        )}
        <span class="quiet" aria-live="polite">
          {marked
            ? writerText(store, marked.index, marked.writer)
            : "Choose a cell to see who wrote it."}
        </span>
        {marked?.writer && (
          <button type="button" class="link" onClick={() => gotoWriter(store, marked.writer)}>
            go there
          </button>
        )}
      </div>
      {session.recording.facts.kept && (
        <p class="quiet">{keptText(store)} Stores of other warps are missing here.</p>
      )}
    </>
  );
}

function writerText(store: Store, index: number, writer: Writer | null): string {
  if (!writer) return `Element ${index}: not written by the kernel yet.`;
  const { session } = store;
  const item = session.itemOf(writer.warp, writer.lane, writer.t);
  const who = item ? `work-item (${item.global.join(", ")})` : `lane ${writer.lane}`;
  const line = session.recording.kernels[writer.launch].instructions[writer.pc].line;
  const { unit } = session.recording.facts;
  return `Element ${index}: written by ${who}, warp ${writer.warp} lane ${writer.lane}${line ? `, line ${line}` : ""}, ${unit} ${writer.t}.`;
}

function gotoWriter(store: Store, writer: Writer | null) {
  if (!writer) return;
  store.chooseWarp(writer.warp);
  store.chooseLane(writer.lane);
  store.goto(writer.t);
}
