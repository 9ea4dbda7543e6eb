"""Answers SQL questions about Delta tables with delta-rs, and rewrites their files. Each line of stdin is a question, and each line of stdout an answer."""

import json
import sys

from deltalake import DeltaTable, QueryBuilder, write_deltalake

for line in sys.stdin:
    try:
        question = json.loads(line)
        if "write" in question:
            import pyarrow
            from decimal import Decimal

            rows = [{**row, "quantity": Decimal(row["quantity"])} for row in question["write"]]
            schema = pyarrow.schema(
                [("workspace_id", pyarrow.string()), ("id", pyarrow.string()), ("quantity", pyarrow.decimal128(38, 18))]
            )
            table = pyarrow.Table.from_pylist(rows, schema)
            write_deltalake(question["path"], table, partition_by=["workspace_id"], mode=question.get("mode", "append"))
            answer = {"rows": []}
        elif "optimize" in question:
            DeltaTable(question["optimize"]).optimize.z_order(["timestamp"])
            answer = {"rows": []}
        else:
            builder = QueryBuilder()
            for name, table in question["tables"].items():
                builder.register(name, DeltaTable(table["path"], version=table.get("version")))
            found = builder.execute(question["sql"])
            rows = []
            for batch in found:
                names = [field.name for field in batch.schema]
                columns = [column.to_pylist() if hasattr(column, "to_pylist") else list(column) for column in batch.columns]
                rows += [dict(zip(names, values)) for values in zip(*columns)]
            answer = {
                "rows": [{k: format(v, "f") if hasattr(v, "as_tuple") else v for k, v in row.items()} for row in rows]
            }
    except Exception as error:  # noqa: BLE001
        answer = {"error": f"{type(error).__name__}: {error}"[:2000]}
    sys.stdout.write(json.dumps(answer, default=str) + "\n")
    sys.stdout.flush()
