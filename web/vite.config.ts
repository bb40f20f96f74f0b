import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The packages whose code is in the bundle; their licences travel with every page. */
const BUNDLED = [
  "preact",
  "@preact/signals",
  "@preact/signals-core",
  "@dagrejs/dagre",
  "@dagrejs/graphlib",
  "fflate",
];

const licences: Plugin = {
  name: "licences",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      const used = chunk.moduleIds.map((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
      const missing = used.filter((name) => name && !BUNDLED.includes(name));
      if (missing.length) this.error(`add to BUNDLED: ${[...new Set(missing)].join(", ")}`);
    }
    const texts = BUNDLED.map((name) => {
      const text = readFileSync(`node_modules/${name}/LICENSE`, "utf-8").replaceAll("\r", "");
      return `${name}\n\n${text.trim()}\n`;
    });
    this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join("\n\n") });
  },
};

// One classic script and one style sheet with fixed names: simtlab/viewer/page.py puts both into
// the template. The build must give the same bytes wherever it runs, so nothing here depends on
// the machine.
export default defineConfig({
  plugins: [licences],
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
