"""Creates the views of the books over a lake of `cryptodata mirror`, and prints or writes one of them.

    spark-submit --packages io.delta:delta-spark_4.2_2.13:4.4.0 books.py LAKE balances --to 2025-10-01

In a notebook, call create_views(spark, "LAKE", "2025-07-01", "2025-10-01") with a session that has SETTINGS.
"""

import argparse
import os
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import lit

# Each view is a file in the folder `views`. The view `legs` comes first, because the others read it.
VIEWS = ["legs", "sums", "balances", "rollforward", "negative", "disposals"]
FOLDER = Path(__file__).resolve().parent / "views"

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Otherwise, Spark would round decimals in differences.
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    # A sum that does not fit 38 digits is an error, not null.
    "spark.sql.ansi.enabled": "true",
}


def create_views(spark, lake, start, end, versions=None):
    """Creates the views for the period from `start` to `end`, without `end`. Times are in the time zone of the session.

    `versions` selects versions of tables, such as {"ledgers": 12} (default: the latest).
    """
    for table in ["ledgers", "integrations"]:
        path = os.path.join(lake, table)
        reader = spark.read.format("delta")
        if table in (versions or {}):
            reader = reader.option("versionAsOf", versions[table])
        if table == "integrations" and not has_table(spark, path):
            # A mirror may contain only ledgers.
            rows = spark.createDataFrame([], "workspace_id STRING, wallet_id STRING")
        else:
            rows = reader.load(path)
        rows.createOrReplaceTempView(table)
    period = [lit(start).cast("timestamp").alias("starts"), lit(end).cast("timestamp").alias("ends")]
    spark.range(1).select(period).createOrReplaceTempView("period")
    for name in VIEWS:
        spark.sql((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))


def has_table(spark, path):
    log = spark._jvm.org.apache.hadoop.fs.Path(path, "_delta_log")
    return log.getFileSystem(spark._jsc.hadoopConfiguration()).exists(log)


def main():
    parser = argparse.ArgumentParser(description="The books of all workspaces of a lake, in Spark SQL")
    parser.add_argument("lake", help="the folder of the mirror")
    parser.add_argument("views", nargs="+", choices=VIEWS, help="the views to print or write")
    parser.add_argument("--from", dest="start", default="0001-01-01", help="the start of the period (default: the first leg)")
    parser.add_argument("--to", dest="end", default="9999-12-31", help="the end of the period, exclusive (default: the last leg)")
    parser.add_argument("--tz", default="UTC", help="the time zone of the period and of months (default: UTC)")
    parser.add_argument("--versions", default="", help="versions of tables, for example ledgers=12,integrations=3")
    parser.add_argument("--out", help="a folder for the results, with a folder for each view (default: print the first rows)")
    parser.add_argument("--format", default="parquet", choices=["parquet", "json", "delta"], help="the format of --out")
    options = parser.parse_args()
    builder = SparkSession.builder.appName("books").config("spark.sql.session.timeZone", options.tz)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    versions = dict(pair.split("=", 1) for pair in options.versions.split(",") if pair)
    create_views(spark, options.lake, options.start, options.end, versions)
    for name in options.views:
        rows = spark.table(name)
        if options.out:
            rows.write.format(options.format).save(os.path.join(options.out, name))
        else:
            print(name)
            rows.show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
