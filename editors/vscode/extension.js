// Starts the language server (`simtlab lsp`) and the debug adapter (`simtlab debug --dap`).

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Return the command line of simtlab with these arguments. */
function command(...args) {
  const [program, ...first] = vscode.workspace.getConfiguration("simtlab").get("command", ["simtlab"]);
  return { command: program, args: [...first, ...args] };
}

async function start() {
  const run = command("lsp"); // without `transport`, which would add --stdio to the command line
  client = new LanguageClient(
    "simtlab",
    "simtlab",
    { run, debug: run },
    { documentSelector: [{ language: "sasm" }] },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `simtlab: the language server does not start (${error.message}). ` +
        "Install it with: pip install 'simtlab[lsp]', or set simtlab.command.",
    );
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("simtlab.restartServer", async () => {
      await client?.stop();
      await start();
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory("simtlab", {
      createDebugAdapterDescriptor() {
        const { command: program, args } = command("debug", "--dap");
        return new vscode.DebugAdapterExecutable(program, args);
      },
    }),
  );
  await start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
