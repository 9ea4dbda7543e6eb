import { messageOf, systemCode, UsageError } from '../../core/errors.ts';

/** The DuckDB module. The package is optional, because it takes up 70 MB. */
export type DuckDb = typeof import('@duckdb/node-api');

const PACKAGE = '@duckdb/node-api';

/** @throws usage error `NO_DUCKDB` if DuckDB is not installed or cannot be loaded */
export async function loadDuckDb(load = () => import('@duckdb/node-api')): Promise<DuckDb> {
  try {
    return await load();
  } catch (error) {
    const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemCode(error) ?? '');
    throw new UsageError(
      'NO_DUCKDB',
      isMissing
        ? `SQL needs the package ${PACKAGE}, which is not installed`
        : `The package ${PACKAGE} cannot be loaded: ${messageOf(error)}`,
      {
        hint: `To install the package, run \`npm install -g ${PACKAGE}\`. If cryptodata is installed in a project, omit -g.`,
        cause: error,
      },
    );
  }
}
