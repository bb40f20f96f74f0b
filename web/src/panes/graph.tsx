// The control-flow graph of the kernel, with the blocks that run lit by path.

import { useMemo } from "preact/hooks";
import { type GraphLayout, layoutOf, NODE_LINE } from "../draw/layout";
import type { Kernel } from "../model/facts";
import { labelAt } from "../model/words";
import type { Store } from "../store";
import { letterOf, Pane } from "./parts";

export function GraphPane({ store }: { readonly store: Store }) {
  const kernel = store.kernel.value;
  const layout = useMemo(() => layoutOf(kernel, (b) => linesOf(kernel, b)), [kernel]);
  return (
    <Pane
      title="Control flow"
      name="graph"
      hint="Basic blocks and the branches between them. A dashed line leads from a branch to its immediate post-dominator: the first block that all its lanes reach again. A block that issues is filled; a letter marks a path that is in it."
      tools={<span class="quiet">{kernel.name}</span>}
    >
      <div class="scroll tall graph">
        <svg
          role="img"
          aria-label={`Control-flow graph of ${kernel.name}`}
          width={layout.width}
          height={layout.height}
          viewBox={`0 0 ${layout.width} ${layout.height}`}
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          <Edges layout={layout} />
          <Blocks store={store} layout={layout} />
        </svg>
      </div>
    </Pane>
  );
}

/** Return what a block's box says: its label, and its lines or pcs. */
function linesOf(kernel: Kernel, block: number): string[] {
  const { start, end } = kernel.blocks[block];
  const label = labelAt(kernel, start);
  const lines = kernel.instructions
    .slice(start, end)
    .map((i) => i.line)
    .filter((line) => line !== null);
  const [from, to] = [Math.min(...lines), Math.max(...lines)];
  const range = lines.length ? (from === to ? `line ${from}` : `lines ${from}–${to}`) : "";
  return [label ? `@${label}` : `block ${block}`, range || `pc ${start}–${end - 1}`];
}

function Edges({ layout }: { readonly layout: GraphLayout }) {
  return (
    <>
      {layout.dominators.map(({ path, title }) => (
        <path key={title} class="dominator" d={path}>
          <title>{title}</title>
        </path>
      ))}
      {layout.edges.map(({ path, title }) => (
        <path key={title} class="edge" d={path} marker-end="url(#arrow)">
          <title>{title}</title>
        </path>
      ))}
    </>
  );
}

function Blocks({ store, layout }: { readonly store: Store; readonly layout: GraphLayout }) {
  const kernel = store.kernel.value;
  const blockOf = (pc: number | null) =>
    pc === null ? -1 : kernel.blocks.findIndex((b) => b.start <= pc && pc < b.end);
  const issuing = new Map<number, number>();
  const lanes = store.lanes.value;
  const colours = store.colours.value;
  for (const { pc, mask } of store.issued.value) {
    const lane = lanes.find((l) => (mask >> BigInt(l.lane)) & 1n && l.path >= 0);
    issuing.set(blockOf(pc), lane ? colours[lane.path] : 0);
  }
  const waiting = new Map<number, number[]>();
  store.state.value.paths.forEach(({ pc }, i) => {
    const block = blockOf(pc);
    waiting.set(block, [...(waiting.get(block) ?? []), colours[i]]);
  });
  const choose = (block: number) => {
    const { file, line } = kernel.instructions[kernel.blocks[block].start];
    if (file && line) store.line.value = { file, line };
  };
  return (
    <>
      {layout.nodes.map(({ x, y, width, height, lines }, block) => {
        const colour = issuing.get(block);
        const look = colour === undefined ? "" : ` fill-${colour} lit`;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: likewise
          <g
            key={block}
            class={`block${look}`}
            transform={`translate(${x - width / 2} ${y - height / 2})`}
            onClick={() => choose(block)}
          >
            <rect width={width} height={height} rx="5" />
            {lines.map((text, i) => (
              <text
                key={text}
                x={width / 2}
                y={NODE_LINE * (i + 1) + 2}
                class={i ? "range" : "name"}
              >
                {text}
              </text>
            ))}
            {(waiting.get(block) ?? []).map((path, i) => (
              <g key={path} transform={`translate(${4 + 17 * i} -10)`}>
                <rect class={`badge fill-${path}`} width="15" height="13" rx="3" />
                <text class={`badge-text fill-${path}`} x="7.5" y="10">
                  {letterOf(path)}
                </text>
              </g>
            ))}
          </g>
        );
      })}
    </>
  );
}
