import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';

// The actions of a Delta log (PROTOCOL.md of delta-io/delta, "Actions"), as far as reader version 1 and writer version 2 need them.
interface Protocol {
  readonly minReaderVersion: number;
  readonly minWriterVersion: number;
}

interface MetaData {
  readonly id: string;
  readonly name?: string | null;
  readonly format: { readonly provider: string; readonly options: Texts };
  readonly schemaString: string;
  readonly partitionColumns: readonly string[];
  readonly configuration: Texts;
  readonly createdTime?: number | null;
}

type Texts = Readonly<Record<string, string | null>>;

/** A data file of the table. The path is relative to the folder of the table, and URL-encoded. */
export interface AddFile {
  readonly path: string;
  readonly partitionValues: Texts;
  readonly size: number;
  readonly modificationTime: number;
  readonly dataChange: boolean;
  readonly stats?: string | null;
  readonly tags?: Texts | null;
}

/** A data file that is no longer part of the table. Readers of earlier versions still need the file. */
interface RemoveFile {
  readonly path: string;
  readonly deletionTimestamp?: number | null;
  readonly dataChange: boolean;
  readonly extendedFileMetadata?: boolean | null;
  readonly partitionValues?: Texts | null;
  readonly size?: number | null;
}

/** The progress of an application that writes to the table. */
interface AppTransaction {
  readonly appId: string;
  readonly version: number;
  readonly lastUpdated?: number | null;
}

export interface Action {
  readonly protocol?: Protocol;
  readonly metaData?: MetaData;
  readonly add?: AddFile;
  readonly remove?: RemoveFile;
  readonly txn?: AppTransaction;
  readonly commitInfo?: JsonRecord;
}

/** The state of a table at one version. */
export interface TableState {
  readonly version: number;
  /** The time of the commit, in Unix milliseconds; 0 if the commit contains no time. */
  readonly timestamp: number;
  readonly protocol: Protocol;
  readonly metaData: MetaData;
  /** The data files by path, decoded. */
  readonly files: ReadonlyMap<string, AddFile>;
  /** The removed files by path, decoded. */
  readonly removed: ReadonlyMap<string, RemoveFile>;
  /** For each application id, the latest version that the application has recorded. */
  readonly transactions: ReadonlyMap<string, number>;
}

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value);
const isTextOrNull = (value: unknown) => isText(value ?? '');
const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every(isTextOrNull);
const isTextsOrNull = (value: unknown) => isTexts(value ?? {});

/** The fields that an action must have. Actions with other names are not needed to read a table of reader version 1. */
const SHAPES: Readonly<Record<keyof Action, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  protocol: { minReaderVersion: isCount, minWriterVersion: isCount },
  metaData: { id: isText, schemaString: isText, partitionColumns: Array.isArray, configuration: isTexts },
  add: { path: isText, partitionValues: isTexts, size: isCount, stats: isTextOrNull, tags: isTextsOrNull },
  remove: { path: isText, partitionValues: isTextsOrNull },
  txn: { appId: isText, version: isCount },
  commitInfo: {},
};

/** Whether a value is a valid action. */
export function isAction(value: unknown): value is Action {
  if (!isRecord(value)) return false;
  return Object.entries(SHAPES).every(([name, shape]) => {
    const content = value[name];
    if (content === undefined || content === null) return true;
    return isRecord(content) && Object.entries(shape).every(([field, is]) => is(content[field]));
  });
}

/** Reads a commit, which has one action in each line. Returns undefined if a line is not an action. */
export function actionsIn(text: string): readonly Action[] | undefined {
  const actions: Action[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const action = parseJson(line);
      if (!isAction(action)) return undefined;
      actions.push(action);
    } catch {
      return undefined;
    }
  }
  return actions.length === 0 ? undefined : actions;
}
