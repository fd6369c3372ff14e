// Lints the Markdown files of a folder: `NODE_PATH=… node lint.cjs FOLDER`. Prints a line of JSON for each finding.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { TextlintKernel } = require("@textlint/kernel");
const markdown = require("@textlint/textlint-plugin-markdown").default;
const rules = require("./rules.cjs");

async function main(folder) {
  const kernel = new TextlintKernel();
  const options = {
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown }],
    rules: Object.entries(rules).map(([ruleId, rule]) => ({ ruleId, rule })),
  };
  for (const name of fs.readdirSync(folder, { recursive: true }).sort()) {
    if (!name.endsWith(".md")) continue;
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    const { messages } = await kernel.lintText(text, { ...options, filePath: name });
    for (const { line, ruleId, message } of messages) console.log(JSON.stringify({ file: name, line, rule: ruleId, message }));
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
