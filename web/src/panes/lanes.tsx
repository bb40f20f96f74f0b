// The lanes of the chosen warp, coloured by path, and the paths in words.

import { popcount } from "../model/masks";
import type { Path } from "../model/state";
import { count, placeText } from "../model/words";
import type { Store } from "../store";
import { MaskDigits, Pane, type PaneOf, Swatch } from "./parts";
import { statusText } from "./status";

export function LanesPane({ store, side }: PaneOf) {
  const { session } = store;
  const lanes = store.lanes.value;
  const colours = store.colours.value;
  const state = store.state.value;
  const issuing = lanes.filter((l) => l.issues).length;
  const item = session.itemOf(store.warp.value, store.lane.value, store.t.value);
  return (
    <Pane
      title={`${side ? `${side}: lanes` : "Lanes"} of warp ${store.warp.value}`}
      name="lanes"
      hint="A box for each lane. Boxes of one colour, hatch and letter are one path: lanes at the same place of the code. Filled boxes issue now; pale ones wait for their turn or for data; empty ones have returned."
      tools={<span class="quiet">{`${issuing} of ${lanes.length} issue`}</span>}
    >
      <div class={lanes.length > 16 ? "lanes many" : "lanes"} role="listbox" aria-label="Lanes">
        {lanes.map(({ lane, path, issues, isLive }) => {
          const colour = path < 0 ? null : colours[path];
          const look = issues ? "issues" : isLive ? "waits" : "gone";
          const isChosen = lane === store.lane.value;
          const what =
            path < 0 ? "no work-item" : statusText(state.paths[path], session, store.t.value);
          return (
            <button
              type="button"
              role="option"
              key={lane}
              aria-selected={isChosen}
              aria-label={`Lane ${lane}: ${issues ? "issues" : what}`}
              title={`Lane ${lane}: ${issues ? "issues now; then " : ""}${what}`}
              class={`lane ${look} ${colour === null ? "" : `path-${colour}`}`}
              onClick={() => store.chooseLane(lane)}
            >
              {lane}
            </button>
          );
        })}
      </div>
      <PathList store={store} paths={state.paths} />
      <p class="quiet chosen-lane">
        {item
          ? `Lane ${store.lane.value} ${lanes[store.lane.value].isLive ? "holds" : "held"} work-item (${item.global.join(", ")}): local id (${item.local.join(", ")}) of workgroup (${item.group.join(", ")})${lanes[store.lane.value].isLive ? "" : ", which has returned"}.`
          : `Lane ${store.lane.value} holds no work-item.`}
      </p>
    </Pane>
  );
}

/** The paths: where each is, how many lanes it has, what it does. */
function PathList({ store, paths }: { readonly store: Store; readonly paths: readonly Path[] }) {
  const { session } = store;
  const width = session.recording.width;
  if (!paths.length) return <p class="empty">No lane of this warp runs at this time.</p>;
  return (
    <ul class="paths">
      {paths.map((path, i) => {
        const colour = store.colours.value[i];
        return (
          <li key={i} data-path={colour}>
            <Swatch colour={colour} />
            <div>
              <b>{placeText(store.kernel.value, path.pc)}</b>{" "}
              <span class="quiet">{`${statusText(path, session, store.t.value)}, ${count(popcount(path.mask), "lane")}`}</span>
              <br />
              <MaskDigits
                mask={path.mask}
                width={width}
                colours={new Array(width).fill(colour)}
                chosen={store.lane.value}
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
