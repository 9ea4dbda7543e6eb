"""Reads exports with openpyxl or pandas, and prints their rows as JSON.

Usage: read.py PROGRAM MODE [FILE SEPARATOR]... In the mode `text`, every cell is read as text; in the mode `plain`, as the
program reads it without settings.
"""

import json
import sys

program, mode, *files = sys.argv[1:]


def shown(value):
    return "" if value is None or value != value else str(value)


def openpyxl_rows(file, separator):
    from openpyxl import load_workbook

    header, *rows = load_workbook(file, data_only=True).worksheets[0].values
    return [dict(zip(header, map(shown, row))) for row in rows]


def pandas_rows(file, separator):
    import pandas

    text = {"dtype": str, "keep_default_na": False} if mode == "text" else {}
    if file.endswith(".xlsx"):
        frame = pandas.read_excel(file, **text)
    elif file.endswith(".csv"):
        frame = pandas.read_csv(file, sep=separator, **text)
    else:
        objects = {"dtype": False, "convert_dates": False} if mode == "text" else {}
        frame = pandas.read_json(file, lines=file.endswith(".jsonl"), **objects)
    return [{name: shown(value) for name, value in row.items()} for row in frame.to_dict("records")]


read = openpyxl_rows if program == "openpyxl" else pandas_rows
json.dump([read(*pair) for pair in zip(files[::2], files[1::2])], sys.stdout)
