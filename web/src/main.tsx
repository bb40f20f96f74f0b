// Reads the recordings that the page embeds, and shows them, or the sentence that says why not.

import { render } from "preact";
import { App } from "./app";
import { decodeBase64 } from "./base64";
import { drawn } from "./draw/timeline";
import { followParent } from "./embedding";
import { Archive, DamagedRecording } from "./model/npz";
import { Recording } from "./model/recording";
import { Session } from "./model/session";
import { Store } from "./store";
import "./style/base.css";
import "./style/dialogs.css";
import "./style/panes.css";
import "./style/lanes.css";
import "./style/charts.css";
import "./style/paths.css";
import "./style/print.css";

declare global {
  interface Window {
    /** Set when the page has drawn itself: the template's own script says so if it never is. */
    simtlabStarted?: boolean;
    /** For tests and for the console: the stores of the recordings. */
    simtlab?: { stores: Store[]; startedIn: number; drawn: typeof drawn };
  }
}

function readStores(): Store[] {
  const found = document.querySelectorAll<HTMLScriptElement>('script[type$="simtlab-recording"]');
  if (!found.length) throw new DamagedRecording("there is none in the page");
  return Array.from(found, (element) => {
    const file = decodeBase64(element.textContent ?? "");
    element.textContent = ""; // its text is as large as the rest of the page
    const recording = new Recording(new Archive(file));
    return new Store(new Session(recording), element.dataset.name ?? "");
  });
}

function start() {
  const root = document.getElementById("page") as HTMLElement;
  const began = performance.now();
  let stores: Store[];
  try {
    stores = readStores();
  } catch (problem) {
    window.simtlabStarted = true;
    root.replaceChildren(message(problem));
    return;
  }
  root.replaceChildren();
  followParent(); // before the page has loaded, which is when its parent sends the first message
  render(<App stores={stores} />, root);
  window.simtlabStarted = true;
  window.simtlab = { stores, startedIn: performance.now() - began, drawn };
}

function message(problem: unknown): HTMLElement {
  const found = document.createElement("p");
  found.className = "failure";
  found.setAttribute("role", "alert");
  const reason =
    problem instanceof DamagedRecording ? problem.message : `reading it failed (${problem})`;
  found.textContent = `The recording in this page cannot be shown: ${reason}. Make the page again with \`simtlab view\`.`;
  return found;
}

start();
