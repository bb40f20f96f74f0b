// Embedded pages of recordings take the colours that the reader has chosen for the site.

document.addEventListener("DOMContentLoaded", () => {
  const frames = document.querySelectorAll("figure.view iframe");
  const send = (frame) => {
    const theme = document.body.dataset.theme || "auto";
    frame.contentWindow.postMessage({ simtlabTheme: theme }, "*");
  };
  for (const frame of frames) frame.addEventListener("load", () => send(frame));
  new MutationObserver(() => frames.forEach(send)).observe(document.body, {
    attributeFilter: ["data-theme"],
  });
  frames.forEach(send);
});
