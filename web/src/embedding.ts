// The page inside another one, such as a site or a notebook.

import { page, type Theme } from "./store";

const THEMES: readonly unknown[] = ["auto", "light", "dark"];

/** Take the colours that the page around this one asks for: `{ simtlabTheme: "dark" }` as a message. */
export function followParent() {
  addEventListener("message", (event) => {
    const theme: unknown = event.data?.simtlabTheme;
    const isParent = event.source === window.parent && window.parent !== window;
    if (isParent && THEMES.includes(theme)) page.theme.value = theme as Theme;
  });
}

/** Whether the page has an address that can hold a place. The document of an attribute has none. */
export const hasAddress = () => location.protocol !== "about:";
