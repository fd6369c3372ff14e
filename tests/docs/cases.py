"""What run.py must do with pages: `python tests/docs/cases.py`."""

import os
import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
import run  # noqa: E402

PAGE = """# A page

```sh
NAME=ada
cd /
```

=== "curl"

    ```sh
    test "$NAME" = ada
    test "$PWD" = /
    ```

```text
not run
```

```sh
cargo run -- dev
```

```rust
fn main() {}
```
"""


class Cases(unittest.TestCase):
    def failure(self, text, shell="bash", rust="/bin/true"):
        """What running a page says, or how many blocks ran."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(text, encoding="utf-8")
            tools = types.SimpleNamespace(rust=rust, node=pathlib.Path(os.environ.get("NODE", "/none")))
            try:
                return run.run_page(page, "page.md", shell, pathlib.Path(folder), dict(os.environ), tools, [("8484", "1234")])
            except run.Failed as error:
                return str(error).removeprefix(folder + "/")

    def test_variables_carry_over_and_the_rest_is_left_out(self):
        self.assertEqual(self.failure(PAGE), 3)
        self.assertEqual(self.failure(PAGE, "zsh"), 2)

    def test_a_failing_block_is_named_by_its_line(self):
        self.assertIn("page.md:10: this sh block fails in bash: exit 1", self.failure(PAGE.replace("$NAME\" = ada", "$NAME\" = bob")))
        self.assertIn("page.md:10: this sh block fails in zsh: exit 1", self.failure(PAGE.replace("$PWD\" = /", "$PWD\" = /x"), "zsh"))
        self.assertIn("page.md:23: this rust block fails in bash: exit 1", self.failure(PAGE, rust="/bin/false"))
        self.assertIn("page.md:1: this sh block fails in bash: exit 3\nsaid\n", self.failure("```sh\necho said\nexit 3\n```\n"))
        self.assertIn("page.md:1: this sh block fails", self.failure("```sh\nfalse | cat\n```\n"))
        python = self.failure("\n```python\nraise SystemExit('why')\n```\n")
        self.assertEqual(python, "page.md:2: this python block fails in bash: exit 1\nwhy\n")

    def test_a_missing_program_fails(self):
        self.assertIn("page.md:1: this typescript block fails", self.failure("```typescript\nawait 1;\n```\n").replace(os.environ.get("NODE", "-"), ""))

    def test_a_program_sees_what_the_shell_exports(self):
        self.assertEqual(self.failure("```sh\nexport A=b\n```\n```python\nimport os\nassert os.environ['A'] == 'b'\n```\n"), 2)

    def test_printed_addresses_are_replaced(self):
        self.assertEqual(self.failure("```sh\ntest 8484 -eq $((1233 + 1))\n```\n"), 1)


if __name__ == "__main__":
    unittest.main()
