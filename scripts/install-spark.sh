#!/usr/bin/env bash
# Installs Spark and two readers of Delta tables for the tests, into a folder of their own. The tool itself needs none of them.
#
# Usage: scripts/install-spark.sh [FOLDER]   (default: $SPARK_FOLDER, or node_modules/.cache/spark)
#
# The packages come from PyPI, and the jars from Maven Central. Run the tests with SPARK_FOLDER=FOLDER.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${SPARK_FOLDER:-node_modules/.cache/spark}}
# These versions belong together: delta-spark 4.4.0 is built for Spark 4.2.
spark=4.2.0
delta=4.4.0
wanted="spark $spark, delta $delta, deltalake 1.6.6"

if [ "$(cat "$folder/installed" 2>/dev/null || true)" = "$wanted" ]; then exit 0; fi
rm -rf "$folder"
mkdir -p "$folder"
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "pyspark==$spark" deltalake==1.6.6 pyarrow==26.0.1
for artifact in "delta-spark_4.2_2.13" delta-storage; do
  mvn --quiet --batch-mode -Dstyle.color=never dependency:copy -Dmdep.stripVersion=true -DoutputDirectory="$(realpath "$folder")/jars" \
    -Dartifact="io.delta:$artifact:$delta"
done
# Other users, for example the user who runs the tests in CI, must be able to read every file. Spark's workers write to one folder.
chmod -R a+rX "$folder"
install --directory --mode=1777 "$("$folder/python/bin/python" -c 'import pyspark; print(*pyspark.__path__)')/work"
echo "$wanted" >"$folder/installed"
