// The rules of prose. Each is a rule of textlint that reads paragraphs, headings and cells sentence by sentence.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

/** A sentence may have 30 words, and should have 25. */
const MOST_WORDS = 30;
const MANY_WORDS = 25;

/** Nouns after which "where" asks for a place; they may be plural. */
const PLACES =
  "address|area|box|browser|cell|cluster|column|computer|console|container|context|country|dashboard|database|directory|disk|document" +
  "|environment|example|field|file|folder|form|guide|host|laptop|line|list|location|machine|menu|network|page|paragraph|path|place|point" +
  "|port|position|region|row|screen|section|server|setting|sheet|site|spot|step|store|tab|table|terminal|text|url|volume|window|zone";
/** Words after which "where" begins a question: "see where", "that's where", "from where". */
const ASKS =
  "ask|asks|choose|chooses|decide|decides|exactly|find|finds|find out|from|is|knows?|learn|matter|of|or|and|on|past|remember|remembers|said|say|says|see|sees" +
  "|show|shows|tell|tells|that's|to|you|know|knew|anywhere|track|notes?";
const AFTER_PLACE = new RegExp(`(?:^|[\\s"(])(?:${PLACES})(?:e?s)?["»)]?,?$`, "i");
const AFTER_ASK = new RegExp(`(?:^|\\s)(?:${ASKS})$`, "i");

/** The text of a node: its characters, each with its place in the source. A code span is one word that no rule knows. */
function read(node, text = [], places = []) {
  if (node.type === "Str") {
    for (let at = 0; at < node.raw.length; at++) {
      text.push(node.raw[at] === "\n" ? " " : node.raw[at]);
      places.push(node.range[0] + at);
    }
  } else if (node.type === "Code" || node.type === "Break") {
    text.push(node.type === "Code" ? "\u25a0" : " ");
    places.push(node.range[0]);
  } else if (node.type !== "Html" && node.type !== "Image") {
    for (const child of node.children ?? []) read(child, text, places);
  }
  return { text: text.join(""), places };
}

/** The sentences of a node, each with the place of its first character. */
function* sentences(node) {
  const { text, places } = read(node);
  const end = /[.!?]["')\]\u2019]*\s+(?=["'([\u201c]*[\p{Lu}\u25a0])/gu;
  let start = 0;
  for (const next of [...[...text.matchAll(end)].map((found) => found.index + found[0].length), text.length]) {
    const lead = text.slice(start, next).search(/\S/);
    const sentence = text.slice(start, next).trim();
    if (sentence) yield { sentence, at: places[start + lead] };
    start = next;
  }
}

/** A rule of textlint out of a function that gives the faults of a sentence. */
function rule(faults, types = ["Paragraph", "TableCell", "Header"]) {
  return ({ Syntax, RuleError, report }) => {
    const visit = (node) => {
      // A quotation is what someone else said.
      for (let parent = node.parent; parent; parent = parent.parent) {
        if (parent.type === Syntax.BlockQuote) return;
      }
      for (const { sentence, at } of sentences(node)) {
        for (const fault of faults(sentence)) {
          const index = at - node.range[0];
          report(node, new RuleError(`${fault}: ${sentence.replaceAll("\u25a0", "`…`")}`, { index }));
        }
      }
    };
    return Object.fromEntries(types.map((type) => [Syntax[type], visit]));
  };
}

const words = (sentence) => sentence.match(/[\p{L}\p{N}_\u25a0][\p{L}\p{N}_'\u2019/.\u25a0-]*/gu) ?? [];

function* length(sentence, from, to) {
  const number = words(sentence).length;
  if (number > from && number <= to) yield `${number} words`;
}

/** "What you get" as a subject. A question may begin so, and so may a label, which ends with a colon or without a full stop. */
function* opening(sentence) {
  const found = sentence.match(/^["'(\u201c]*(What|Whatever|Who|Whoever|Whose)\b/);
  const [label] = sentence.split(/:(?=\s|$)/);
  const isLabel = words(label).length < 6 && !/[.:;!]["')\u201d]*$/.test(label);
  if (found && !isLabel && !/\?["')\u201d]*$/.test(sentence)) yield `begins with ${found[1]}`;
}

/**
 * "Where" for "if": every "where" but one that follows a noun of place ("the folder where"), begins an indirect question
 * ("see where") or a description without a second clause ("Where events are sent."). It can't see that "a page where nothing
 * fits" is a condition, or that "fails, or where" is one, and finds fault with a place that isn't in the list.
 */
function* where(sentence) {
  if (/\?["')\u201d]*$/.test(sentence)) return;
  for (const found of sentence.matchAll(/\bwhere\b(?!-)/gi)) {
    const before = sentence.slice(0, found.index).trimEnd();
    if (!before && !sentence.includes(",")) continue;
    if (!AFTER_PLACE.test(before) && !AFTER_ASK.test(before)) yield "where, for if or when";
  }
}

/** The patterns of a section of the glossary. The scheme of a URL isn't a word. */
function glossary(section, flags) {
  const file = fs.readFileSync(path.join(__dirname, "glossary.txt"), "utf8");
  const lines = file.split(`[${section}]\n`)[1].split("\n[")[0].split("\n");
  const entries = lines.filter((line) => line && !line.startsWith("#")).map((line) => line.split(/: (.*)/));
  return entries.flatMap(([write, not]) =>
    not.split(/, (?![^[({]*[\])}])/).map((one) => [write, new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${one})(?![\\p{L}\\p{N}_-]|://)`, flags)]),
  );
}

function of(section, flags) {
  const patterns = glossary(section, flags);
  return function* (sentence) {
    for (const [write, pattern] of patterns) {
      const found = sentence.match(pattern);
      if (found) yield `"${found[0]}"; write ${write}`;
    }
  };
}

module.exports = {
  "sentence-30": rule((sentence) => length(sentence, MOST_WORDS, Infinity)),
  "sentence-25": rule((sentence) => length(sentence, MANY_WORDS, MOST_WORDS)),
  opening: rule(opening, ["Paragraph", "TableCell"]),
  where: rule(where),
  word: rule(of("word", "iu")),
  term: rule(of("term", "iu")),
  name: rule(of("name", "u")),
};
