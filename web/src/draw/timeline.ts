// Timelines as images: warps by time, and the lanes of a warp by time.
//
// Where a unit of time is narrower than a few pixels, a row is one line of an image that is
// stretched to the row's height, so that drawing costs a pixel each and not a call each.

import { countOf, hasLane } from "../model/masks";
import { lastAtMost } from "../model/recording";
import type { Session } from "../model/session";
import type { Tint } from "../store";
import { CAUSE_COLOURS, hatch, type Palette, pixel, rgbOf } from "./palette";

export interface Frame {
  readonly context: CanvasRenderingContext2D;
  /** In pixels of the style; the context is scaled. */
  readonly width: number;
  readonly left: number;
  readonly from: number;
  readonly to: number;
  readonly palette: Palette;
}

/** Pixels from which on a unit of time is drawn as a box with a hatch. */
const BOX = 7;

export interface WarpRows {
  readonly top: number;
  readonly height: number;
  /** Whether rows have room for waits and misses. */
  readonly hasWaits: boolean;
}

/** How a row of the warp timeline is divided: issues, waits, misses in service. */
export function partsOf({ height, hasWaits }: WarpRows): {
  issue: number;
  wait: number;
  miss: number;
} {
  if (!hasWaits) return { issue: height - 3, wait: 0, miss: 0 };
  if (height < 10) return { issue: height - 1, wait: 0, miss: 0 };
  const miss = height >= 16 ? 3 : 0;
  const wait = Math.round((height - miss - 2) * 0.36);
  return { issue: height - miss - wait - 2, wait, miss };
}

/** Counts of what was drawn, for the budget. */
export const drawn = { calls: 0, frames: 0 };

/** Draw rows of warps; return the number of calls to the canvas. */
export function drawWarps(frame: Frame, session: Session, rows: WarpRows, tint: Tint): void {
  const { recording } = session;
  const { context } = frame;
  const { issue, wait, access, facts } = recording;
  const parts = partsOf(rows);
  const pixels = Math.max(1, Math.round(frame.width - frame.left));
  const scale = pixels / (frame.to - frame.from);
  const isFine = scale >= BOX;
  const image = new ImageData(pixels, session.usedWarps.length * 3);
  const colours = new Uint32Array(image.data.buffer);
  const [low, high] = frame.palette.density.map(rgbOf);
  const shades = Array.from({ length: recording.width + 1 }, (_, n) =>
    pixel(low, high, n / recording.width),
  );
  const paths = frame.palette.paths.map((c) => pixel(rgbOf(c), rgbOf(c), 0));
  const causes = facts.causes.map((cause) => {
    const rgb = rgbOf(frame.palette.causes[cause] ?? frame.palette.quiet);
    return pixel(rgb, rgb, 0);
  });
  const missRgb = rgbOf(frame.palette.causes.memory);
  const missPixel = pixel(missRgb, missRgb, 0);
  const ends = session.serviceEnds();
  const at = (t: number) => Math.floor((t - frame.from) * scale);
  const fill = (line: number, t0: number, t1: number, colour: number) => {
    const start = Math.max(0, at(t0));
    const end = Math.min(pixels, Math.max(start + 1, at(t1)));
    if (start < pixels && end > 0) colours.fill(colour, line * pixels + start, line * pixels + end);
  };
  session.usedWarps.forEach((warp, line) => {
    const [issues, first] = issuesFrom(frame, session, warp);
    const density = new Uint8Array(pixels);
    const colouring = tint === "paths" ? session.colouring(warp) : null;
    for (let i = first; i < issues.length && issue.t[issues[i]] < frame.to; i++) {
      const row = issues[i];
      const lanes = countOf(issue.lo[row], issue.hi[row]);
      const x = at(issue.t[row]);
      // Of the issues that share a pixel the fullest is shown.
      if (scale < 1 && x >= 0 && x < pixels) {
        if (density[x] >= lanes) continue;
        density[x] = lanes;
      }
      const colour = colouring ? paths[colouring.ofIssue(i)] : shades[lanes];
      fill(line * 3, issue.t[row], issue.t[row] + issue.n[row], colour);
    }
    const waits = recording.rows(wait, warp);
    for (let i = session.firstWait(warp, frame.from); i < waits.length; i++) {
      const row = waits[i];
      if (wait.t[row] >= frame.to) break;
      fill(line * 3 + 1, wait.t[row], wait.until[row], causes[wait.cause[row]] ?? missPixel);
    }
    const accesses = recording.rows(access, warp);
    for (let i = session.firstAccess(warp, frame.from); i < accesses.length; i++) {
      const row = accesses[i];
      if (access.t[row] >= frame.to) break;
      const missed =
        access.lo[row] !== access.hits.lo[row] || access.hi[row] !== access.hits.hi[row];
      if (missed && ends[row] > access.t[row] + 1)
        fill(line * 3 + 2, access.t[row], ends[row], missPixel);
    }
  });
  const strip = canvasOf(image);
  context.imageSmoothingEnabled = false;
  const put = (line: number, y: number, height: number) => {
    if (height <= 0) return;
    context.drawImage(strip, 0, line, pixels, 1, frame.left, y, pixels, height);
    drawn.calls++;
  };
  session.usedWarps.forEach((_, line) => {
    const top = rows.top + line * rows.height;
    put(line * 3, top, parts.issue);
    put(line * 3 + 1, top + parts.issue, parts.wait);
    put(line * 3 + 2, top + parts.issue + parts.wait, parts.miss);
  });
  if (isFine) drawBoxes(frame, session, rows, parts.issue, tint, scale);
}

/** Return a warp's issues, and the index of the first one that can reach into the frame. */
function issuesFrom(frame: Frame, session: Session, warp: number): [Int32Array, number] {
  const { issue } = session.recording;
  const issues = session.recording.rows(issue, warp);
  return [issues, Math.max(0, lastAtMost(issues, issue.t, frame.from - session.longestIssue))];
}

/** Draw borders, hatches and counts of lanes over issues, where they are wide enough. */
function drawBoxes(
  frame: Frame,
  session: Session,
  rows: WarpRows,
  height: number,
  tint: Tint,
  scale: number,
) {
  const { context, palette } = frame;
  const { issue, width } = session.recording;
  context.font = "10px ui-monospace, monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  session.usedWarps.forEach((warp, line) => {
    const [issues, first] = issuesFrom(frame, session, warp);
    const y = rows.top + line * rows.height;
    for (let i = first; i < issues.length && issue.t[issues[i]] < frame.to; i++) {
      const row = issues[i];
      const lanes = countOf(issue.lo[row], issue.hi[row]);
      const colour = session.colouring(warp).ofIssue(i);
      for (let k = 0; k < issue.n[row]; k++) {
        const x = frame.left + (issue.t[row] + k - frame.from) * scale;
        if (x + scale < frame.left || x > frame.width) continue;
        if (tint === "paths") hatch(context, colour, palette.inks[colour], [x, y, scale, height]);
        context.strokeStyle = palette.surface;
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, y + 0.5, scale - 1, height - 1);
        drawn.calls++;
        if (scale < 18 || height < 11) continue;
        const isDark = tint === "paths" || lanes > width / 2;
        context.fillStyle = isDark ? palette.inks[tint === "paths" ? colour : 0] : palette.text;
        if (tint === "paths" && colour > 0) {
          // The hatch would cross the number.
          const ink = context.fillStyle;
          context.fillStyle = palette.paths[colour];
          context.fillRect(x + scale / 2 - 8, y + 1, 16, height - 2);
          context.fillStyle = ink;
        }
        context.fillText(String(lanes), x + scale / 2, y + height / 2 + 0.5);
      }
    }
  });
}

/** Draw the lanes of a warp: full where they issue, pale where their path waits. */
export function drawLanes(frame: Frame, session: Session, warp: number, height: number): void {
  const { recording } = session;
  const { context, palette } = frame;
  const { issue, state, width } = recording;
  const pixels = Math.max(1, Math.round(frame.width - frame.left));
  const scale = pixels / (frame.to - frame.from);
  const image = new ImageData(pixels, width);
  const colours = new Uint32Array(image.data.buffer);
  const surface = rgbOf(palette.surface);
  const full = palette.paths.map((c) => pixel(rgbOf(c), rgbOf(c), 0));
  const pale = palette.paths.map((c) => pixel(surface, rgbOf(c), 0.22));
  const at = (t: number) => Math.min(pixels, Math.max(0, Math.floor((t - frame.from) * scale)));
  const colouring = session.colouring(warp);
  const states = recording.rows(state, warp);
  let i = Math.max(0, lastAtMost(states, state.t, frame.from));
  let until = -1;
  for (; i < states.length && state.t[states[i]] < frame.to; i++) {
    // A state holds from the end of its time on.
    const start = Math.max(at(state.t[states[i]] + 1), until);
    const end = i + 1 < states.length ? at(state.t[states[i + 1]] + 1) : pixels;
    if (end <= start) continue;
    until = end;
    const { live } = session.states.at(state.row[states[i]]);
    const lanes = colouring.ofLanes(state.t[states[i]]);
    for (let lane = 0; lane < width; lane++)
      if ((live >> BigInt(lane)) & 1n && lanes[lane] !== 255)
        colours.fill(pale[lanes[lane]], lane * pixels + start, lane * pixels + end);
  }
  const [issues, first] = issuesFrom(frame, session, warp);
  for (let k = first; k < issues.length && issue.t[issues[k]] < frame.to; k++) {
    const row = issues[k];
    const start = at(issue.t[row]);
    const end = Math.max(start + 1, at(issue.t[row] + issue.n[row]));
    const colour = full[colouring.ofIssue(k)];
    for (let lane = 0; lane < width; lane++)
      if (hasLane(issue.lo[row], issue.hi[row], lane))
        colours.fill(colour, lane * pixels + start, lane * pixels + Math.min(pixels, end));
  }
  context.imageSmoothingEnabled = false;
  const strip = canvasOf(image);
  for (let lane = 0; lane < width; lane++) {
    context.drawImage(strip, 0, lane, pixels, 1, frame.left, lane * height, pixels, height - 1);
    drawn.calls++;
  }
  if (scale >= BOX && height >= 8) drawLaneBoxes(frame, session, warp, height, scale);
}

function drawLaneBoxes(
  frame: Frame,
  session: Session,
  warp: number,
  height: number,
  scale: number,
) {
  const { context, palette } = frame;
  const { issue, width } = session.recording;
  const [issues, first] = issuesFrom(frame, session, warp);
  for (let k = first; k < issues.length && issue.t[issues[k]] < frame.to; k++) {
    const row = issues[k];
    const colour = session.colouring(warp).ofIssue(k);
    for (let step = 0; step < issue.n[row]; step++) {
      const x = frame.left + (issue.t[row] + step - frame.from) * scale;
      for (let lane = 0; lane < width; lane++) {
        if (!hasLane(issue.lo[row], issue.hi[row], lane)) continue;
        hatch(context, colour, palette.inks[colour], [x, lane * height, scale, height - 1]);
        drawn.calls++;
      }
      context.fillStyle = palette.surface;
      context.fillRect(x, 0, 1, width * height);
    }
  }
}

/** Return the legend of causes that a recording has: title and colour, families once. */
export function causesIn(session: Session): string[] {
  const { wait, facts } = session.recording;
  const seen = new Set<number>(wait.cause);
  return facts.causes.filter((cause, i) => seen.has(i) && cause in CAUSE_COLOURS);
}

function canvasOf(image: ImageData): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
