"""Copies the docstrings of the installed module into `sinew.pyi`, in which editors look for them.

    python stub_docs.py           writes the stub
    python stub_docs.py --check   fails if the stub has other docstrings
"""

import ast
import sys
import textwrap
from pathlib import Path

import sinew

STUB = Path(__file__).with_name("sinew.pyi")


def docstring(owner, name):
    """Returns the docstring of an item of the module, if it has one of its own."""
    item = owner.__dict__.get(name)
    if isinstance(item, staticmethod):
        item = item.__func__
    text = getattr(item, "__doc__", None)
    return text.strip() if text and not name.startswith("__") else None


def is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def literal(text, indent):
    """Returns the lines of a docstring."""
    if not text:
        return []
    end = "\n" if "\n" in text else ""
    return textwrap.indent(f'"""{text}{end}"""', indent).splitlines()


def documented(lines, node, text):
    """Returns the lines of a class or a function with another docstring."""
    first = node.body[0]
    doc = literal(text, " " * (node.col_offset + 4))
    if isinstance(node, ast.ClassDef):
        return [lines[node.lineno - 1], *doc]
    # The body of a function is an ellipsis in the last line of its header, or a docstring below it.
    if is_docstring(first):
        header = lines[node.lineno - 1 : first.lineno - 1]
    else:
        header = lines[node.lineno - 1 : first.lineno]
        header[-1] = header[-1][: first.col_offset].rstrip()
    return header + doc if doc else [*header[:-1], header[-1] + " ..."]


def with_docstrings(stub):
    """Returns the text of the stub with the docstrings of the module."""
    tree, lines = ast.parse(stub), stub.splitlines()
    edits = []
    for node in tree.body:
        # A wheel without the feature `render` has no `Renderer`.
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and hasattr(sinew, node.name):
            edits.append((node, docstring(sinew, node.name)))
        for member in node.body if isinstance(node, ast.ClassDef) and hasattr(sinew, node.name) else ():
            is_setter = any(isinstance(d, ast.Attribute) for d in getattr(member, "decorator_list", ()))
            if isinstance(member, ast.FunctionDef) and not is_setter:
                edits.append((member, docstring(getattr(sinew, node.name), member.name)))
    # Later lines come first, so that the numbers of earlier lines stay valid. Members come before their class.
    for node, text in sorted(edits, key=lambda edit: edit[0].lineno, reverse=True):
        end = node.body[0].end_lineno if isinstance(node, ast.ClassDef) and is_docstring(node.body[0]) else node.lineno
        end = node.end_lineno if isinstance(node, ast.FunctionDef) else end
        lines[node.lineno - 1 : end] = documented(lines, node, text)
    return "\n".join(lines) + "\n"


def main():
    current = STUB.read_text(encoding="utf-8")
    wanted = with_docstrings(current)
    if "--check" not in sys.argv:
        STUB.write_text(wanted, encoding="utf-8")
    elif current != wanted:
        sys.exit("the docstrings of sinew.pyi are not those of the module; write them with python stub_docs.py")


if __name__ == "__main__":
    main()
