"""Every field of a report is in the tables of the page that documents them, and the other way round.

documented.py PAGE REPORT..."""
import json
import re
import sys

page = open(sys.argv[1]).read()
documented = set(re.findall(r"^\| `([a-z_]+)` \|", page, re.M))
used = set()


def walk(value, inside):
    if isinstance(value, dict):
        for name, part in value.items():
            # Counters are called what engines call them.
            if inside != "counters":
                used.add(name)
            walk(part, name)
    elif isinstance(value, list):
        for part in value:
            walk(part, inside)


for path in sys.argv[2:]:
    walk(json.load(open(path)), "")
if used - documented:
    sys.exit(f"not documented: {sorted(used - documented)}")
if "races" in used and documented - used - {"suppression", "object", "allocated"}:
    sys.exit(f"documented, but not there: {sorted(documented - used)}")
