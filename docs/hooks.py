"""What `cargo xtask book` adds to MkDocs: links to files of the repository, and the book as text for models."""

import logging
import os
import pathlib
import re

REPOSITORY = "https://github.com/stead-connect/stead/blob/main/"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)#\s]+)(#[^)\s]*)?(?=\))")
# What a browser loads without being asked; a link that a person follows may lead anywhere.
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=[\"']?(https?://[^\"'\s>]+)")

log = logging.getLogger("mkdocs.hooks")
pages = []


def on_page_markdown(markdown, page, config, **_):
    """A link out of docs leads to the repository, where the file must exist."""
    folder = pathlib.Path(config.docs_dir, page.file.src_uri).parent
    top = pathlib.Path(config.config_file_path).parent

    def link(match):
        file = pathlib.Path(os.path.normpath(folder / match[1]))
        if file.is_relative_to(config.docs_dir) or not file.is_relative_to(top):
            return match[0]
        if not file.exists():
            log.warning("%s links to %s, which doesn't exist", page.file.src_uri, match[1])
        return REPOSITORY + file.relative_to(top).as_posix() + (match[2] or "")

    return LINK.sub(link, markdown)


def on_post_page(output, **_):
    """Names the dialog of the search, and makes no landmark of each part of the navigation: a screen reader lists them."""
    output = output.replace('role="dialog"', 'role="dialog" aria-label="Search"')
    parts = r'(<nav class="md-nav" data-md-level="[1-9]") aria-labelledby="[^"]*" aria-expanded="[^"]*"'
    return re.sub(parts, r'\1 role="presentation"', output)


def on_nav(nav, **_):
    pages[:] = nav.pages


def on_post_build(config, **_):
    """Writes the pages as Markdown, `llms.txt` that lists them, and `llms-full.txt` that has them all."""
    site = pathlib.Path(config.site_dir)
    listed = f"# {config.site_name}\n\n> {config.site_description}\n"
    full, section = listed, None
    for page in pages:
        title = page.ancestors[0].title if page.ancestors else config.site_name
        if title != section:
            section = title
            listed += f"\n## {section}\n\n"
        text = page.markdown.strip()
        (site / page.file.src_uri).write_text(text + "\n", encoding="utf-8")
        listed += f"- [{page.title}]({page.file.src_uri}): {first_paragraph(text)}\n"
        full += f"\n<!-- {page.file.src_uri} -->\n\n{text}\n"
    skill = pathlib.Path(config.docs_dir, "skill", "SKILL.md")
    (site / "SKILL.md").write_bytes(skill.read_bytes())
    listed += "\n## Optional\n\n- [Skill](SKILL.md): how to use Stead from an application, for coding agents.\n"
    (site / "llms.txt").write_text(listed, encoding="utf-8")
    (site / "llms-full.txt").write_text(full, encoding="utf-8")
    top = pathlib.Path(config.config_file_path).parent
    for file, _ in LINK.findall((top / "README.md").read_text(encoding="utf-8")):
        if not (top / file).exists():
            log.warning("README.md links to %s, which doesn't exist", file)
    for file in site.rglob("*.html"):
        for address in LOADED.findall(file.read_text(encoding="utf-8")):
            log.warning("%s loads %s", file.relative_to(site), address)


def first_paragraph(text):
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    for block in re.split(r"\n\s*\n|(?<=\n)(?=#)", re.sub(r"^#.*$", "", text, flags=re.M)):
        block = " ".join(block.split())
        if block and block[0] not in "!<|`=-":
            return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", block)
    log.warning("a page has no first paragraph: %s", text[:60])
    return ""
