// Colours of the page, read from its style, so that canvases follow light and dark.

export interface Palette {
  /** By colour of a path. */
  readonly paths: readonly string[];
  readonly inks: readonly string[];
  readonly causes: Readonly<Record<string, string>>;
  readonly density: readonly [string, string];
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly sunken: string;
}

/** Return the colours of an element as its style has them now. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const causes: Record<string, string> = {};
  for (const [cause, name] of Object.entries(CAUSE_COLOURS)) causes[cause] = get(`--cause-${name}`);
  return {
    paths: Array.from({ length: 8 }, (_, i) => get(`--path-${i}`)),
    inks: Array.from({ length: 8 }, (_, i) => get(`--path-ink-${i}`)),
    causes,
    density: [get("--density-low"), get("--density-high")],
    text: get("--text"),
    quiet: get("--quiet"),
    line: get("--line"),
    surface: get("--surface"),
    sunken: get("--sunken"),
  };
}

/** Causes of waits in families that the eye can tell apart. */
export const CAUSE_COLOURS: Readonly<Record<string, string>> = {
  memory: "memory",
  l2: "l2",
  hit: "cache",
  bank: "cache",
  mshr: "cache",
  barrier: "sync",
  reconverge: "sync",
  ready: "free",
  slot: "free",
  held: "free",
  pipeline: "pipe",
  unit: "pipe",
  fetch: "fetch",
  idle: "none",
};

/** Return red, green, blue of `#rgb`, `#rrggbb`. */
export function rgbOf(colour: string): [number, number, number] {
  const hex = colour.replace("#", "");
  const full = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
  return [0, 2, 4].map((i) => Number.parseInt(full.slice(i, i + 2), 16) || 0) as [
    number,
    number,
    number,
  ];
}

/** Return a colour between two, as one little-endian pixel of an image. */
export function pixel(a: readonly number[], b: readonly number[], share: number): number {
  const mix = (i: number) => Math.round(a[i] + (b[i] - a[i]) * share);
  return ((255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0)) >>> 0;
}

/** Draw the hatch of a path over a rectangle: the shape that says the same as the colour. */
export function hatch(
  context: CanvasRenderingContext2D,
  colour: number,
  ink: string,
  [x, y, width, height]: readonly [number, number, number, number],
) {
  if (colour === 0) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = ink;
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.beginPath();
  const rising = colour === 1 || colour === 5 || colour === 7;
  const falling = colour === 2 || colour === 5;
  const level = colour === 3 || colour === 6 || colour === 7;
  const upright = colour === 4 || colour === 6;
  const gap = 5;
  for (let k = -height; k < width + height; k += gap) {
    if (rising) line(context, x + k, y + height, x + k + height, y);
    if (falling) line(context, x + k, y, x + k + height, y + height);
    if (upright && k >= 0) line(context, x + k + 2, y, x + k + 2, y + height);
  }
  for (let k = 2; level && k < height; k += gap) line(context, x, y + k, x + width, y + k);
  context.stroke();
  context.restore();
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number) {
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
}
