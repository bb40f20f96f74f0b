// The two timelines: warps by time, and the lanes of the chosen warp by time.

import { causesIn, drawLanes, drawWarps } from "../draw/timeline";
import { causeTitle } from "../model/words";
import type { Store } from "../store";
import { Chart } from "./chart";
import { Choice, Pane, type PaneOf } from "./parts";

export function TimelinePane({ store, side }: PaneOf) {
  const { recording } = store.session;
  const { facts } = recording;
  const used = store.session.usedWarps;
  const warps = used.length;
  const hasWaits = recording.wait.count > 0;
  const rowHeight = warps > 64 ? 6 : warps > 24 ? 12 : hasWaits ? (warps > 8 ? 22 : 28) : 18;
  const causes = causesIn(store.session);
  const unit = facts.unit;
  return (
    <Pane
      title={side ? `Timeline of ${side}` : "Timeline"}
      name="timeline"
      hint={`A row for each warp, ${unit} by ${unit}: above what it issues, below what it waits for, and at the bottom misses in service. Drag the ruler to move through time, drag the rows to pan, turn the wheel to zoom, and drag with Shift to zoom into a range.`}
      tools={
        <>
          <Legend store={store} causes={causes} />
          <Choice
            label="Colour"
            hidesLabel
            value={store.tint.value}
            options={[
              { value: "paths", title: "colour: path" },
              { value: "density", title: "colour: lanes that issue" },
            ]}
            onChange={(tint) => {
              store.tint.value = tint;
            }}
          />
          <ZoomButtons store={store} />
        </>
      }
    >
      <Chart
        store={store}
        label={`Warps by ${unit}`}
        height={warps * rowHeight}
        most={260}
        rows={warps}
        nameOf={(row) => (rowHeight >= 10 || row % 8 === 0 ? `warp ${used[row]}` : "")}
        chosen={() => used.indexOf(store.warp.value)}
        onChoose={(row) => store.chooseWarp(used[row] ?? 0)}
        draw={(frame) =>
          drawWarps(frame, store.session, { top: 0, height: rowHeight, hasWaits }, store.tint.value)
        }
      />
      <Overview store={store} />
    </Pane>
  );
}

/** The lanes of the chosen warp by time. */
export function LaneTimelinePane({ store, side }: PaneOf) {
  const { width, facts } = store.session.recording;
  const laneHeight = width > 32 ? 6 : width > 16 ? 8 : 14;
  const unit = facts.unit;
  return (
    <Pane
      title={`${side ? `${side}: lanes` : "Lanes"} of warp ${store.warp.value} over time`}
      name="lane-timeline"
      hint={`A row for each lane of the chosen warp, ${unit} by ${unit}: strong where the lane issues, pale where its path waits, empty where it has returned. Colour and hatch are those of its path.`}
      tools={<ZoomButtons store={store} />}
    >
      <Chart
        store={store}
        label={`Lanes of warp ${store.warp.value} by ${unit}`}
        height={width * laneHeight}
        most={400}
        rows={width}
        nameOf={(row) => (laneHeight >= 10 || row % 4 === 0 ? `lane ${row}` : "")}
        chosen={() => store.lane.value}
        onChoose={(row) => store.chooseLane(row)}
        draw={(frame) => drawLanes(frame, store.session, store.warp.value, laneHeight)}
      />
    </Pane>
  );
}

function ZoomButtons({ store }: { readonly store: Store }) {
  const zoom = (factor: number) => {
    const span = (store.to.value - store.from.value) * factor;
    const t = store.t.value + 0.5;
    const share = Math.min(
      1,
      Math.max(0, (t - store.from.value) / (store.to.value - store.from.value)),
    );
    store.zoom(t - span * share, t + span * (1 - share));
  };
  return (
    <span class="buttons">
      <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in" title="Zoom in (+)">
        +
      </button>
      <button type="button" onClick={() => zoom(2)} aria-label="Zoom out" title="Zoom out (-)">
        −
      </button>
      <button
        type="button"
        onClick={() => store.zoom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)}
        title="Show all (0)"
      >
        all
      </button>
    </span>
  );
}

function Legend({ store, causes }: { readonly store: Store; readonly causes: readonly string[] }) {
  const { facts, access } = store.session.recording;
  if (facts.kind !== "timing") return null;
  return (
    <span class="legend">
      <span class="quiet">waits for</span>
      {causes.map((cause) => (
        <span key={cause}>
          <i class={`key cause-${cause}`} /> {causeTitle(cause)}
        </span>
      ))}
      {access.count > 0 && (
        <span>
          <i class="key miss" /> miss in service
        </span>
      )}
    </span>
  );
}

/** The whole recording as a bar, on which the shown part can be moved. */
function Overview({ store }: { readonly store: Store }) {
  const { begin, last } = store.session;
  const span = last + 1 - begin;
  const share = (t: number) => `${(100 * (t - begin)) / span}%`;
  const isWhole = store.to.value - store.from.value >= span - 0.5;
  const move = (event: PointerEvent & { currentTarget: HTMLDivElement }) => {
    if (event.buttons !== 1) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const middle = begin + ((event.clientX - left) / width) * span;
    const half = (store.to.value - store.from.value) / 2;
    store.zoom(middle - half, middle + half);
  };
  if (isWhole) return null;
  return (
    <div
      class="overview"
      title="The whole recording; drag to move the shown part"
      onPointerDown={move}
      onPointerMove={move}
    >
      <div
        class="shown"
        style={{
          left: share(store.from.value),
          width: `${(100 * (store.to.value - store.from.value)) / span}%`,
        }}
      />
      <div class="at" style={{ left: share(store.t.value) }} />
    </div>
  );
}
