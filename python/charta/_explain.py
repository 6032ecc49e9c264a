"""What methods do, what they optimize, what they cost: the explanations of the command line."""

import textwrap

from ._classes import CLASSES, method


class Explanation(str):
    """An explanation as text, printed by the interpreter as it reads. `sections` has its sections by title."""

    def __new__(cls, text, sections):
        made = super().__new__(cls, text)
        made.sections = sections
        return made

    def __repr__(self):
        return str(self)


def class_of(name):
    """The class of a method: by its name or that of the method in the command line, or itself."""
    if isinstance(name, type) and hasattr(name, "_entry"):
        return name
    if hasattr(type(name), "_entry") and not isinstance(name, str):
        return type(name)
    if name in CLASSES:
        return CLASSES[name]
    plain = str(name).strip().lower().replace("-", "_").replace(" ", "_")
    known = {other.lower(): other for other in CLASSES}
    if plain.replace("_", "") in known:
        return CLASSES[known[plain.replace("_", "")]]
    from . import _charta

    if plain in _charta.methods():
        return CLASSES.of_method(plain)[0]
    import difflib

    near = difflib.get_close_matches(plain, [*known, *_charta.methods()], 1)
    hint = f"; did you mean {known.get(near[0], near[0])!r}?" if near else ""
    raise ValueError(f"there is no method {name!r}{hint}")


def _section(entry, wanted):
    sections = {section["title"]: section["text"] for section in entry["explanation"]["sections"]}
    found = next((text for title, text in sections.items() if title.lower().startswith(wanted.lower())), None)
    if found is None:
        raise ValueError(f"there is no section {wanted!r}; the sections are {', '.join(sections)}")
    return found


def _wrapped(text, indent=0):
    blank = " " * indent
    return "\n".join(line for paragraph in text.splitlines() for line in textwrap.wrap(paragraph, 100, initial_indent=blank, subsequent_indent=blank))


def explain(name, section=None):
    """What a method does: idea, steps, objective, cost, parameters, new points, references; or one section of these.

    `name` is a class, an estimator, or the name of a class or of a method of the command line.

    >>> import charta
    >>> "geodesic" in charta.explain("isomap")
    True
    >>> charta.explain(charta.PCA, section="objective") == charta.explain("pca").sections["Objective"]
    True
    """
    made = class_of(name)
    entry = made._entry
    if section is not None:
        text = _section(entry, section)
        return Explanation(text, {section: text})
    explanation = entry["explanation"]
    parts = [f"{entry['title']} (charta.{made.__name__})", _wrapped(explanation["summary"])]
    parts += [f"{found['title']}\n{_wrapped(found['text'], 2)}" for found in explanation["sections"]]
    parts.append(f"help(charta.{made.__name__}) lists the parameters.")
    return Explanation("\n\n".join(parts), {found["title"]: found["text"] for found in explanation["sections"]})


class ExplanationTable(dict):
    """One section of the explanation of every method, by the name of its class; printed under the titles of the families."""

    def __init__(self, section, rows):
        super().__init__({made.__name__: text for _, made, text in rows})
        self._section, self._rows = section, rows

    def __repr__(self):
        lines, family = [], None
        for title, made, text in self._rows:
            if title != family:
                family = title
                lines.append(f"{title}: {self._section}")
            lines.append(f"  {made._entry['title']} (charta.{made.__name__})\n{_wrapped(text, 4)}\n")
        return "\n".join(lines)


def explain_table(section="Objective"):
    """One section of the explanation of every method, side by side: a dictionary by class that prints as a table.

    >>> import charta
    >>> len(charta.explain_table()) >= 30
    True
    """
    from . import _charta

    rows = []
    for name in _charta.methods():
        entry = method(name)
        rows.append((entry["family_title"], CLASSES.of_method(name)[0], _section(entry, section)))
    return ExplanationTable(section.capitalize(), rows)
