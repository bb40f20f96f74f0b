// Small parts that several panes share.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { includes, type Mask } from "../model/masks";
import type { Store } from "../store";

/** What a pane of a recording takes; `side` is its letter where two are compared. */
export interface PaneOf {
  readonly store: Store;
  readonly side?: string;
}

interface PaneProps {
  readonly title: string;
  /** What the pane shows, for those who see it for the first time. */
  readonly hint: string;
  readonly name: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A titled part of the page. */
export function Pane({ title, hint, name, tools, children }: PaneProps) {
  const id = useId();
  return (
    <section class={`pane pane-${name}`} id={`pane-${name}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <Hint text={hint} />
        <div class="tools">{tools}</div>
      </header>
      {children}
    </section>
  );
}

/** A question mark that explains on hover, focus and touch. */
export function Hint({ text }: { readonly text: string }) {
  return (
    <button type="button" class="hint" aria-label={text} data-tip={text}>
      ?
    </button>
  );
}

/** The swatch of a path: colour, hatch and letter say the same. */
export function Swatch({ colour, title }: { readonly colour: number; readonly title?: string }) {
  return (
    <span class={`swatch path-${colour}`} title={title} aria-hidden="true">
      {letterOf(colour)}
    </span>
  );
}

/** Letters that name neither a block of a paper's figure nor one of two recordings. */
export const letterOf = (colour: number) => "PQRSTUVW"[colour] ?? "";

interface MaskProps {
  readonly mask: Mask;
  readonly width: number;
  /** Colour of each lane (255: none); absent: one colour for all. */
  readonly colours?: ArrayLike<number>;
  /** The chosen lane, which is underlined. */
  readonly chosen?: number;
}

/** A mask as the papers write it: a digit per lane, lane 0 on the left. */
export function MaskDigits({ mask, width, colours, chosen }: MaskProps) {
  const lanes = Array.from({ length: width }, (_, lane) => lane);
  return (
    <span class={width > 16 ? "mask wide" : "mask"}>
      {lanes.map((lane) => {
        const isOn = includes(mask, lane);
        const colour = isOn && colours && colours[lane] !== 255 ? ` ink-${colours[lane]}` : "";
        const name = `${isOn ? "on" : "off"}${colour}${lane === chosen ? " chosen" : ""}`;
        return (
          <i key={lane} class={lane === 32 ? `${name} second` : name}>
            {isOn ? "1" : "0"}
          </i>
        );
      })}
    </span>
  );
}

interface ChoiceProps<T extends string | number> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly title: string }[];
  readonly onChange: (value: T) => void;
  readonly hidesLabel?: boolean;
}

/** A labelled list of choices. */
export function Choice<T extends string | number>(props: ChoiceProps<T>) {
  const { label, value, options, onChange, hidesLabel } = props;
  return (
    <label class="choice">
      <span class={hidesLabel ? "unseen" : ""}>{label}</span>
      <select
        aria-label={label}
        value={String(value)}
        onChange={(event) => {
          const chosen = options.find((o) => String(o.value) === event.currentTarget.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((o) => (
          <option key={o.value} value={String(o.value)}>
            {o.title}
          </option>
        ))}
      </select>
    </label>
  );
}
