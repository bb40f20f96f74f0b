import { defineConfig } from "vite";

// One classic script and one style sheet with fixed names: simtlab/viewer/page.py puts both into
// the template. The build must give the same bytes wherever it runs, so nothing here depends on
// the machine.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "../viewer/assets",
    emptyOutDir: false,
    reportCompressedSize: false,
    copyPublicDir: false,
    lib: {
      entry: "src/main.tsx",
      formats: ["iife"],
      name: "simtlabView",
      fileName: () => "view.js",
      cssFileName: "view",
    },
  },
});
