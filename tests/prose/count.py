"""Counts what makes prose hard to read: `cargo xtask prose --count`.

Reads README.md and the pages of docs. Code, tables, headings and generated pages are left out; a code span is one word.
"""

import pathlib
import re
import sys

WORDS = ("where", "if", "you")


def sentences(text):
    """The sentences of a page, each as a list of words."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)
    blocks, block = [], []
    for line in text.splitlines() + [""]:
        line = line.strip()
        outside = not line or re.match(r"(#|\||!!!|=== |<|\[[^]]+\]: )", line)
        if outside or re.match(r"([-*>]|\d+\.) ", line):
            blocks.append(" ".join(block))
            block = []
        if not outside:
            block.append(re.sub(r"^([-*>]|\d+\.) ", "", line))
    for block in blocks:
        block = re.sub(r"``.+?``|`[^`]*`", "`code`", block)
        block = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", block)
        for sentence in re.split(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`]*[A-Z`])", block):
            words = re.findall(r"`code`|[\w'’/.-]*\w[\w'’/.-]*", sentence)
            if words:
                yield words


def main():
    files = [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").rglob("*.md"))]
    folders = {}
    for file in files:
        text = file.read_text(encoding="utf-8")
        head = "\n".join(text.splitlines()[:5])
        if "`cargo xtask codegen`" in head:
            continue
        folder = "/".join(file.parts[:2]) + ("/" if len(file.parts) > 2 else "")
        folders.setdefault(folder, []).extend(sentences(text))
    folders["all"] = sum(folders.values(), [])
    print(f"{'':24}{'words':>8}{'sentences':>11}" + "".join(f"{word:>8}" for word in WORDS) + "  over 30 words")
    for folder, found in folders.items():
        words = [word.lower() for sentence in found for word in sentence]
        rates = (sum(w == word or w.startswith(word + "'") for w in words) for word in WORDS)
        rates = "".join(f"{1000 * rate / max(len(words), 1):8.1f}" for rate in rates)
        long = sum(len(sentence) > 30 for sentence in found) / max(len(found), 1)
        print(f"{folder:24}{len(words):8}{len(found):11}{rates}{100 * long:14.1f} %")
    print("\n" + ", ".join(WORDS) + ": in 1,000 words")


if __name__ == "__main__":
    sys.exit(main())
