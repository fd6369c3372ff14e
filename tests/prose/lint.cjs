// Lints the Markdown files of a folder: `NODE_PATH=… node lint.cjs FOLDER`. Prints a line of JSON for each finding. Before that,
// each rule must find the sentences that planted.md has for it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { TextlintKernel } = require("@textlint/kernel");
const markdown = require("@textlint/textlint-plugin-markdown").default;
const rules = require("./rules.cjs");

const options = {
  ext: ".md",
  plugins: [{ pluginId: "markdown", plugin: markdown }],
  rules: Object.entries(rules).map(([ruleId, rule]) => ({ ruleId, rule })),
};

async function lint(folder, name) {
  const text = fs.readFileSync(path.join(folder, name), "utf8");
  const { messages } = await new TextlintKernel().lintText(text, { ...options, filePath: name });
  return { text, messages };
}

/** A heading of planted.md names the rule that must find each line below it, or says `none`. */
async function planted() {
  const { text, messages } = await lint(__dirname, "planted.md");
  const unseen = new Set(Object.keys(rules));
  let rule;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("## ")) rule = line.slice(3);
    if (!line || line.startsWith("#") || !rule) continue;
    const found = messages.filter((message) => message.line === index + 1).map(({ ruleId }) => ruleId);
    if (`${found}` !== (rule === "none" ? "" : rule)) {
      throw new Error(`tests/prose/planted.md:${index + 1}: expected ${rule}, found ${found}`);
    }
    unseen.delete(rule);
  }
  if (unseen.size) throw new Error(`tests/prose/planted.md has no sentence for ${[...unseen]}`);
}

async function main(folder) {
  await planted();
  for (const name of fs.readdirSync(folder, { recursive: true }).sort()) {
    if (!name.endsWith(".md")) continue;
    const { messages } = await lint(folder, name);
    for (const { line, ruleId, message } of messages) console.log(JSON.stringify({ file: name, line, rule: ruleId, message }));
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
