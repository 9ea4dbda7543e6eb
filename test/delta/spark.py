"""Answers SQL questions about Delta tables with Spark, and rewrites their files. Each line of stdin is a question, and each line of stdout an answer."""

import json
import os
import sys

from pyspark.sql import SparkSession

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

spark = (
    SparkSession.builder.master(os.environ.get("SPARK_TEST_MASTER", "local-cluster[2,1,1024]"))
    .config("spark.jars", os.environ["SPARK_TEST_JARS"])
    .config("spark.executor.extraJavaOptions", os.environ["SPARK_TEST_JAVA"])
    .config("spark.ui.enabled", "false")
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.sql.decimalOperations.allowPrecisionLoss", "false")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .getOrCreate()
)

for line in sys.stdin:
    try:
        question = json.loads(line)
        if "optimize" in question:
            table = spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, question["optimize"])
            columns = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 1)
            columns[0] = "timestamp"
            table.optimize().executeZOrderBy(columns)
            question = {"tables": {}, "sql": "SELECT 1"}
        for name, table in question["tables"].items():
            reader = spark.read.format("delta")
            if "version" in table:
                reader = reader.option("versionAsOf", table["version"])
            reader.load(table["path"]).createOrReplaceTempView(name)
        for statement in question.get("views", []):
            spark.sql(statement)
        rows = [row.asDict(recursive=True) for row in spark.sql(question["sql"]).collect()]
        answer = {"rows": [{k: format(v, "f") if hasattr(v, "as_tuple") else v for k, v in row.items()} for row in rows]}
    except Exception as error:  # noqa: BLE001
        answer = {"error": str(error)[:2000]}
    answers.write(json.dumps(answer, default=str) + "\n")
    answers.flush()
spark.stop()
