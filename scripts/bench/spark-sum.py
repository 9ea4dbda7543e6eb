"""Sums a lake by workspace and asset in Spark. Prints the sums, and what the Java process used, as JSON."""

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

folder, lake = sys.argv[1:]
began = time.monotonic()
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars", ",".join(str(jar) for jar in Path(folder, "jars").glob("*.jar")))
builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
builder = builder.config(
    "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
)
spark = builder.getOrCreate()
spark.read.format("delta").load(f"{lake}/ledgers").createOrReplaceTempView("ledgers")
rows = spark.sql(
    "SELECT workspace_id, coalesce(asset_symbol, '') AS asset, sum(quantity) AS total"
    " FROM ledgers GROUP BY ALL"
).collect()
wall = 1000 * (time.monotonic() - began)
java = spark._jvm.java.lang.ProcessHandle.current()
status = Path(f"/proc/{java.pid()}/status").read_text()
peak = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
used = {
    "cpu": java.info().totalCpuDuration().get().toMillis(),
    "wall": wall,
    "memory": int(peak) / 1024,
    "sums": [[row.workspace_id, row.asset, str(row.total)] for row in rows],
}
print(json.dumps(used))
