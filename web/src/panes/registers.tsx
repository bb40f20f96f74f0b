// The registers of the chosen lane.

import { signal } from "@preact/signals";
import { type Form, format, formOf, sizeOf } from "../model/numbers";
import type { RegisterValue } from "../model/values";
import type { Store } from "../store";
import { Choice, Pane } from "./parts";

type Shown = "own" | Form;

const form = signal<Shown>("own");

const FORMS: readonly { value: Shown; title: string }[] = [
  { value: "own", title: "as written" },
  { value: "hex", title: "hexadecimal" },
  { value: "unsigned", title: "unsigned" },
  { value: "signed", title: "signed" },
  { value: "float", title: "float" },
];

export function RegistersPane({ store }: { readonly store: Store }) {
  const [warp, lane, t] = [store.warp.value, store.lane.value, store.t.value];
  const { values } = store.session;
  return (
    <Pane
      title={`Registers of lane ${lane}`}
      name="registers"
      hint="$s are 32 bits wide, $d 64, $c one. A register is shown as the type of the instruction that wrote it, unless you choose another form. Those written at this time are marked. What a load brings is shown from its issue on."
      tools={
        <Choice
          label="Form"
          hidesLabel
          value={form.value}
          options={FORMS}
          onChange={(chosen) => {
            form.value = chosen;
          }}
        />
      }
    >
      {typeof values === "string" ? (
        <p class="empty">{values}</p>
      ) : values.keeps(warp) ? (
        <Table store={store} registers={values.registersAt(warp, lane, t)} />
      ) : (
        <p class="empty">{keptText(store)}</p>
      )}
    </Pane>
  );
}

/** Return the sentence about warps whose values are not in the page. */
export function keptText(store: Store): string {
  const kept = store.session.recording.facts.kept ?? [];
  return `To stay small, this page has the values of ${kept.length} warps only: ${kept.join(", ")}.`;
}

function Table(props: { readonly store: Store; readonly registers: readonly RegisterValue[] }) {
  const { store, registers } = props;
  const kernel = store.kernel.value;
  if (!registers.length) return <p class="empty">This kernel uses no registers.</p>;
  return (
    <div class="scroll tall">
      <table class="registers">
        <thead>
          <tr>
            <th scope="col">register</th>
            <th scope="col">value</th>
            <th scope="col">bits</th>
            <th scope="col">written at</th>
          </tr>
        </thead>
        <tbody>
          {registers.map(({ name, bits, type, t, pc, isNew }) => {
            const size = name[1] === "d" ? 8 : name[1] === "c" ? 1 : 4;
            const own = name[1] === "c" ? "truth" : formOf(type);
            const shown = form.value === "own" || name[1] === "c" ? own : form.value;
            const line = kernel.instructions[pc]?.line;
            return (
              <tr key={name} class={isNew ? "new" : bits ? "" : "unset"}>
                <th scope="row">{name}</th>
                <td title={type ?? ""}>
                  {bits
                    ? format(bits, shown, type ? Math.min(size, widthOf(type, size)) : size)
                    : "–"}
                </td>
                <td class="bits">
                  {bits && name[1] !== "c" ? shortHex(format(bits, "hex", size)) : ""}
                </td>
                <td class="quiet">
                  {bits ? (
                    <button type="button" class="link" onClick={() => store.goto(t)}>
                      {`${line ? `line ${line}, ` : ""}${store.session.recording.facts.unit} ${t}`}
                    </button>
                  ) : (
                    "not written"
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const shortHex = (text: string) => text.replace(/^0x0+(?=.)/, "0x");

/** Types narrower than a register are extended to its width when they are loaded. */
const widthOf = (type: string, size: number) => Math.max(sizeOf(type), Math.min(size, 4));
