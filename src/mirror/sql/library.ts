import { messageOf, systemCode, UsageError } from '../../core/errors.ts';

/** The DuckDB module. The package is optional, because its library takes 70 MB. */
export type DuckDb = typeof import('@duckdb/node-api');

const PACKAGE = '@duckdb/node-api';

/**
 * Loads DuckDB, if it is installed.
 *
 * @throws usage error `NO_DUCKDB`
 */
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
        hint: `Install the package next to cryptodata: npm install -g ${PACKAGE} (without -g if cryptodata is installed in a project)`,
        cause: error,
      },
    );
  }
}
