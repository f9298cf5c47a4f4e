"""Prints the results of the clients as a table, and each failure; fails where there is one."""

import json
import sys

rows, failures = {}, []
for line in sys.stdin:
    row = json.loads(line)
    rows.setdefault(row["client"], {})[row["scenario"]] = row
    failures += [f"{row['client']}, {row['scenario']}, {failure}" for failure in row["failures"]]
scenarios = list(dict.fromkeys(scenario for row in rows.values() for scenario in row))
print("| client | " + " | ".join(scenarios) + " |")
print("|---" * (len(scenarios) + 1) + "|")
for client, row in rows.items():
    cells = [f"{row[s]['n'] - len(row[s]['failures'])} of {row[s]['n']}" if s in row and row[s]["n"] else "" for s in scenarios]
    print(f"| {client} | " + " | ".join(cells) + " |")
for failure in failures[:40]:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures or not rows else 0)
