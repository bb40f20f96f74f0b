// A canvas of rows by time, with a ruler and a playhead, that pans, zooms and scrubs.

import { useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { paletteOf } from "../draw/palette";
import { drawn, type Frame } from "../draw/timeline";
import { page, type Store } from "../store";

/** Room for the names of rows. */
const LEFT = 58;
const AXIS = 20;

interface ChartProps {
  readonly store: Store;
  readonly label: string;
  readonly height: number;
  /** Largest height before the chart scrolls. */
  readonly most: number;
  readonly rows: number;
  readonly nameOf: (row: number) => string;
  readonly chosen: () => number;
  readonly onChoose: (row: number) => void;
  readonly draw: (frame: Frame) => void;
}

/** A canvas with a ruler, names of rows and a playhead, that pans, zooms and scrubs. */
export function Chart(props: ChartProps) {
  const { store, label, height, most, rows, nameOf, chosen, onChoose, draw } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const ruler = useRef<HTMLCanvasElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const latest = useRef(draw);
  latest.current = draw;
  const repaint = useRef(0);
  useSignalEffect(() => {
    page.repaint.value;
    const [from, to] = [store.from.value, store.to.value];
    store.warp.value;
    store.tint.value;
    cancelAnimationFrame(repaint.current);
    repaint.current = requestAnimationFrame(() => {
      const element = canvas.current;
      if (!element || !ruler.current) return;
      const palette = paletteOf(element);
      const width = element.clientWidth;
      paint(element, width, height, (context) => {
        latest.current({ context, width, left: LEFT, from, to, palette });
      });
      paint(ruler.current, width, AXIS, (context) =>
        drawRuler({ context, width, left: LEFT, from, to, palette }),
      );
      drawn.frames++;
    });
  });
  useSignalEffect(() => {
    page.repaint.value;
    const element = canvas.current;
    if (!head.current || !element) return;
    const scale = (element.clientWidth - LEFT) / (store.to.value - store.from.value);
    const x = LEFT + (store.t.value - store.from.value) * scale;
    head.current.style.transform = `translateX(${x}px)`;
    head.current.style.width = `${Math.max(1.5, scale)}px`;
    head.current.hidden = x < LEFT - scale || x > element.clientWidth;
  });
  useGestures(store, box, canvas, (y) => onChoose(Math.floor((y / height) * rows)));
  return (
    <div class="chart" ref={box}>
      <canvas class="ruler" ref={ruler} style={{ height: `${AXIS}px` }} />
      <div class="rows" style={{ maxHeight: `${most}px` }}>
        <div class="names" aria-hidden="true">
          {Array.from({ length: rows }, (_, row) => (
            <i
              key={row}
              style={{ height: `${height / rows}px` }}
              class={row === chosen() ? "chosen" : ""}
            >
              {nameOf(row)}
            </i>
          ))}
        </div>
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          role="img"
          aria-label={`${label}. The step's text says what happens at the chosen time.`}
        />
      </div>
      <div class="playhead" ref={head} />
    </div>
  );
}

/** Size a canvas for the screen's pixels and draw on it. */
function paint(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext("2d");
  if (!context || !w || !h) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  draw(context);
}

function drawRuler({ context, width, left, from, to, palette }: Frame) {
  const scale = (width - left) / (to - from);
  const least = 70 / scale;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) ?? 1);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.fillStyle = palette.quiet;
  context.strokeStyle = palette.line;
  context.beginPath();
  for (let t = Math.ceil(from / step) * step; t < to; t += step) {
    const x = Math.round(left + (t - from) * scale) + 0.5;
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, AXIS);
    const text = t.toLocaleString("en");
    const isLast = x + 4 + context.measureText(text).width > width;
    context.textAlign = isLast ? "right" : "left";
    context.fillText(text, isLast ? x - 4 : x + 4, AXIS / 2 - 1);
  }
  context.moveTo(left, AXIS - 0.5);
  context.lineTo(width, AXIS - 0.5);
  context.stroke();
}

/** Scrub on the ruler, pan on the rows, zoom by wheel, pinch and Shift with drag, choose by click. */
function useGestures(
  store: Store,
  box: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  onRow: (y: number) => void,
) {
  const choose = useRef(onRow);
  choose.current = onRow;
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const area = () => (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const timeAt = (x: number) => {
      const { left, width } = area();
      const share = (x - left - LEFT) / (width - LEFT);
      return store.from.value + share * (store.to.value - store.from.value);
    };
    const pointers = new Map<number, number>();
    let drag: { kind: "scrub" | "pan" | "range"; x: number; from: number; to: number } | null =
      null;
    let moved = 0;
    let wanted: number | null = null;
    const scrub = (t: number) => {
      // Pointers report more often than the screen shows.
      if (wanted === null)
        requestAnimationFrame(() => {
          store.goto(Math.floor(wanted ?? 0));
          wanted = null;
        });
      wanted = t;
    };
    const down = (event: PointerEvent) => {
      if (event.button) return;
      pointers.set(event.pointerId, event.clientX);
      const isRuler = (event.target as Element).classList.contains("ruler");
      const kind = isRuler ? "scrub" : event.shiftKey ? "range" : "pan";
      drag = { kind, x: event.clientX, from: store.from.value, to: store.to.value };
      moved = 0;
      if (isRuler) {
        element.setPointerCapture(event.pointerId);
        scrub(timeAt(event.clientX));
      }
    };
    const move = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined || !drag) return;
      pointers.set(event.pointerId, event.clientX);
      moved += Math.abs(event.clientX - before);
      if (moved > 3 && !element.hasPointerCapture(event.pointerId))
        element.setPointerCapture(event.pointerId);
      if (drag.kind === "scrub") scrub(timeAt(event.clientX));
      const scale = (drag.to - drag.from) / Math.max(1, area().width - LEFT);
      if (drag.kind === "pan" && pointers.size === 1 && moved > 3) {
        const shift = (drag.x - event.clientX) * scale;
        store.zoom(drag.from + shift, drag.to + shift);
      }
      if (pointers.size === 2) pinch(before, event);
    };
    const pinch = (before: number, event: PointerEvent) => {
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1] ?? 0;
      const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
      if (was < 8 || is < 8) return;
      zoomAround(timeAt((event.clientX + other) / 2), was / is);
      if (drag) drag = { ...drag, x: event.clientX, from: store.from.value, to: store.to.value };
    };
    const up = (event: PointerEvent) => {
      const wasDown = pointers.delete(event.pointerId);
      if (!drag || !wasDown) return;
      if (event.type === "pointerup" && moved <= 3 && drag.kind !== "scrub") {
        choose.current(event.clientY - area().top);
        if (event.clientX - area().left > LEFT) store.goto(Math.floor(timeAt(event.clientX)));
      }
      if (drag.kind === "range" && moved > 3) {
        const [a, b] = [timeAt(drag.x), timeAt(event.clientX)];
        store.zoom(Math.min(a, b), Math.max(a, b));
      }
      if (!pointers.size) drag = null;
    };
    const zoomAround = (t: number, factor: number) => {
      const [from, to] = [store.from.value, store.to.value];
      store.zoom(t - (t - from) * factor, t + (to - t) * factor);
    };
    const wheel = (event: WheelEvent) => {
      // Without Ctrl a tall list of warps must still scroll by the wheel.
      const rows = element.querySelector(".rows") as HTMLElement;
      const scrolls = rows.scrollHeight > rows.clientHeight + 1;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const shift = (event.deltaX / area().width) * (store.to.value - store.from.value);
        store.zoom(store.from.value + shift, store.to.value + shift);
      } else if (!scrolls || event.ctrlKey || event.altKey)
        zoomAround(timeAt(event.clientX), 1.0015 ** event.deltaY);
      else return;
      event.preventDefault();
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("wheel", wheel, { passive: false });
    const observer = new ResizeObserver(() => {
      page.repaint.value++;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("wheel", wheel);
    };
  }, [store, box, canvas]);
}
