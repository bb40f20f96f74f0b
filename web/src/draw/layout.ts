// Places of the blocks of a control-flow graph.

import { graphlib, layout } from "@dagrejs/dagre";
import type { Kernel } from "../model/facts";

export interface Node {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}

export interface Edge {
  readonly path: string;
  readonly title: string;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** From blocks that end in a branch to their immediate post-dominators. */
  readonly dominators: readonly Edge[];
}

export const NODE_LINE = 15;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Return the layout of a kernel's graph; `linesOf` gives the texts of a block. */
export function layoutOf(kernel: Kernel, linesOf: (block: number) => string[]): GraphLayout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: 26, ranksep: 34, edgesep: 12, marginx: 26, marginy: 14 });
  graph.setDefaultEdgeLabel(() => ({}));
  const texts = kernel.blocks.map((_, block) => linesOf(block));
  texts.forEach((lines, block) => {
    const width = 20 + 7.2 * Math.max(...lines.map((l) => l.length));
    graph.setNode(String(block), { width, height: NODE_LINE * lines.length + 10 });
  });
  kernel.blocks.forEach(({ successors }, block) => {
    successors.forEach((to, i) => {
      graph.setEdge(String(block), String(to), {}, String(i));
    });
  });
  layout(graph);
  const nodes = texts.map((lines, block): Node => {
    const { x, y, width, height } = graph.node(String(block)) as unknown as Node;
    return { x, y, width, height, lines };
  });
  const name = (block: number) => texts[block][0];
  const edges = graph.edges().map((e): Edge => {
    const { points } = graph.edge(e) as { points: Point[] };
    if (e.v === e.w)
      return { path: loop(nodes[Number(e.v)]), title: `${name(Number(e.v))} to itself` };
    return { path: curve(points), title: `${name(Number(e.v))} to ${name(Number(e.w))}` };
  });
  const dominators = kernel.blocks.flatMap(({ ipdom, successors }, block): Edge[] => {
    if (ipdom === null || successors.length < 2) return [];
    const title = `${name(ipdom)} is the immediate post-dominator of ${name(block)}`;
    return [{ path: bow(nodes[block], nodes[ipdom]), title }];
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width: Math.ceil(width), height: Math.ceil(height), nodes, edges, dominators };
}

/** Return a smooth path through the points. */
function curve(points: readonly Point[]): string {
  const f = (p: Point) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
  let path = `M${f(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [a, b] = [points[i], points[i + 1]];
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    path += `Q${f(a)} ${f(i === points.length - 2 ? b : middle)}`;
  }
  return points.length === 2 ? `${path}L${f(points[1])}` : path;
}

/** Return a path from a block to itself, on its right. */
function loop({ x, y, width }: Node): string {
  const [side, out] = [x + width / 2, x + width / 2 + 24];
  return `M${side} ${y - 7}C${out} ${y - 16} ${out} ${y + 16} ${side} ${y + 7}`;
}

/** Return a path that leaves a block on its left and enters another one there. */
function bow(from: Node, to: Node): string {
  const [x0, x1] = [from.x - from.width / 2, to.x - to.width / 2];
  const reach = Math.min(x0, x1) - Math.min(24, 8 + Math.abs(to.y - from.y) / 10);
  const y = (n: Node) => n.y.toFixed(1);
  return `M${x0.toFixed(1)} ${y(from)}C${reach.toFixed(1)} ${y(from)} ${reach.toFixed(1)} ${y(to)} ${x1.toFixed(1)} ${y(to)}`;
}
