"""Recomputes the amounts on the first page of report.html from the CSV files of a filing pack, and compares them.

Usage: first-page.py FOLDER. Prints the number of amounts that agree, or each difference (exit code 1).
"""

import csv
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal, getcontext
from html.parser import HTMLParser
from pathlib import Path

getcontext().prec = 1000
folder = Path(sys.argv[1])
ZERO = Decimal(0)
UNKNOWN = None


def read(name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [{key: value.removeprefix("'") for key, value in row.items()} for row in rows]


class Tables(HTMLParser):
    """The rows of each table, by caption."""

    def __init__(self):
        super().__init__()
        self.tables, self.text, self.row = {}, None, []

    def handle_starttag(self, tag, attributes):
        if tag in ("caption", "th", "td"):
            self.text = ""
        if tag == "tr":
            self.row = []

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "caption":
            self.rows = self.tables.setdefault(self.text, [])
        if tag in ("th", "td"):
            self.row.append(self.text)
        if tag == "tr":
            self.rows.append(self.row)
        if tag in ("caption", "th", "td"):
            self.text = None


def table(start):
    return next(rows[1:] for caption, rows in page.tables.items() if caption.startswith(start))


page = Tables()
page.feed((folder / "report.html").read_text(encoding="utf-8"))
legs = sorted(read("ledgers.csv"), key=lambda leg: int(leg["timestamp"]))


def asset(row):
    return row["assetId"] or "symbol " + row["symbol"]


differences, equal = [], 0


def compare(what, shown, value, places):
    """`places` is the number of decimals that the page shows."""
    global equal
    text = shown.replace(",", "")
    expected = "unknown"
    if value is not UNKNOWN:
        expected = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        if expected == 0 and value != 0:
            expected = ("-" if value < 0 else "") + "<0." + "1".rjust(places, "0")
        elif text not in ("unknown",) and not text.lstrip("-").startswith("<"):
            text = Decimal(text)
    if text == expected:
        equal += 1
    else:
        differences.append(f"{what}: the page shows {shown}, the files lead to {expected}")


# Sums of values, by currency. Only the profit of disposals is realised profit. The pack lists the legs that are not incoming.
kinds = {disposal["ledgerId"]: disposal["kind"] for disposal in read("disposals.csv")}
KINDS = {
    "Disposals": "disposal",
    "Fiat": "fiat",
    "Transfers between own wallets": "transfer",
    "Legs of an unknown type": "unknown",
    "Incoming legs": "incoming",
}
sums, without = defaultdict(lambda: defaultdict(list)), defaultdict(lambda: defaultdict(int))
own = {balance["walletId"] for balance in read("balances.csv")}


def kind_of(leg):
    if leg["type"] == "incoming":
        return "incoming"
    if leg["type"] not in ("outgoing", "fee"):
        return "unknown"
    if leg["asset.type"] == "fiat":
        return "fiat"
    other = leg["toAccount.walletId"]
    is_own = leg["type"] == "outgoing" and other in own and other != leg["walletId"]
    return "transfer" if is_own else "disposal"


for leg in legs:
    currency, kind = leg["baseCurrency"], kind_of(leg)
    if kinds.get(leg["id"], kind) != kind:
        differences.append(f"{leg['id']} is of kind {kind}, but the pack lists {kinds[leg['id']]}")
    for name, value in ((leg["type"], leg["value"]), ("kind " + kind, leg["profit"])):
        if value == "":
            without[currency]["value" if name == leg["type"] else name] += 1
        else:
            sums[currency][name].append(Decimal(value))
    sums[currency]["types"].append(leg["type"])

for currency, *amounts, no_value, no_profit in table("Values that the service reports"):
    found = sums[currency]
    for name, shown in zip(("incoming", "outgoing", "fee", "kind disposal"), amounts):
        is_known = found[name] or name not in found["types"] and not without[currency][name]
        compare(f"{name} in {currency}", shown, sum(found[name], ZERO) if is_known else UNKNOWN, 2)
    compare(f"legs without a value in {currency}", no_value, Decimal(without[currency]["value"]), 0)
    compare(f"disposals without a profit in {currency}", no_profit, Decimal(without[currency]["kind disposal"]), 0)

# The profits of all kinds of legs lead from the profit of the disposals to that of all legs.
for caption, rows in page.tables.items():
    if not caption.startswith("Profit that the service reports, in "):
        continue
    currency = caption.removeprefix("Profit that the service reports, in ").split(":")[0]
    for column in (2, 3):
        counts = [int(row[column].replace(",", "")) for row in rows[1:]]
        if sum(counts[:-1]) != counts[-1]:
            differences.append(f"the kinds in {currency} have {sum(counts[:-1])} legs, but all legs are {counts[-1]}")
    for name, profit, known, unknown in rows[1:]:
        names = ["kind " + kind for title, kind in KINDS.items() if name in (title, "All legs")]
        found = [value for one in names for value in sums[currency][one]]
        missing = sum(without[currency][one] for one in names)
        is_known = found or not missing
        compare(f"profit of {name} in {currency}", profit, sum(found, ZERO) if is_known else UNKNOWN, 2)
        compare(f"legs with a profit of {name} in {currency}", known, Decimal(len(found)), 0)
        compare(f"legs without a profit of {name} in {currency}", unknown, Decimal(missing), 0)

# Quantities of assets: the closing balances, and the balance before the first leg of each wallet. A wallet without legs in
# the period has had its closing balance from the start.
opening, closing, names = defaultdict(list), defaultdict(list), {}
first = defaultdict(list)
for leg in legs:
    earliest = first[leg["walletId"], asset(leg)]
    if not earliest or earliest[0]["timestamp"] == leg["timestamp"]:
        earliest.append(leg)


def start(same_time):
    """The leg that no other leg of the same millisecond leads to."""
    ends = [leg["afterBalance"] for leg in same_time]
    return next((leg for leg in same_time if leg["beforeBalance"] not in ends), same_time[0])


for balance in read("balances.csv"):
    amount = Decimal(balance["balance"]) if balance["balance"] else UNKNOWN
    earliest = first.get((balance["walletId"], asset(balance)))
    text = start(earliest)["beforeBalance"] if earliest else balance["balance"]
    before = Decimal(text) if text else UNKNOWN
    closing[asset(balance)].append(amount)
    opening[asset(balance)].append(before)
    names.setdefault(balance["symbol"] or balance["assetId"], []).append(asset(balance))


def total(amounts):
    return UNKNOWN if UNKNOWN in amounts else sum(amounts, ZERO)


moved = defaultdict(Decimal)
currencies = [leg["baseCurrency"] for leg in legs]
main = max(sums, key=currencies.count)
for leg in legs:
    if leg["value"] and leg["baseCurrency"] == main:
        moved[asset(leg)] += Decimal(leg["value"])
most = sorted(moved, key=lambda one: -moved[one])[:5]
rows = table("Quantities at the start and at the end of the period")
for (name, *shown), expected in zip(rows, most, strict=True):
    if expected not in names[name]:
        differences.append(f"{name} is not one of the assets with the most value moved")
    for what, text, amounts in zip(("opening", "closing"), shown, (opening, closing)):
        value = total(amounts[expected])
        digits = 1 if value in (UNKNOWN, ZERO) else max(1, value.adjusted() + 1)
        compare(f"{what} of {name}", text, value, min(8, max(0, 9 - digits)))

print("\n".join(differences) or f"{equal} amounts agree")
sys.exit(1 if differences else 0)
