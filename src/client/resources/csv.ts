import type { File } from 'node:buffer';
import type { JsonRecord } from '../../core/json.ts';
import type { ServiceRequest } from '../request.ts';
import type { Service } from '../service.ts';
import { current } from './open.ts';

export interface CsvUpload {
  /** Name of the form field that holds the files: not specified. */
  readonly field: string;
  /** `.csv`, `.xls` or `.xlsx`; sent byte for byte. */
  readonly files: readonly File[];
  /** Further fields of the form: none is specified. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** Import of files. */
export class Csv {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * `POST /v1/csv/upload`. It is sent once.
   *
   * @returns `data` of the answer; `failures` in it lists what failed, which is no error
   */
  async upload(upload: CsvUpload, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.write({ ...uploadRequest(upload), signal });
  }
}

/** The call that {@link Csv.upload} makes. */
export function uploadRequest({ field, files, fields = [] }: CsvUpload): ServiceRequest {
  // Fields first: who reads a form as it comes knows them before the files.
  const form = [...fields, ...files.map((file) => ({ name: field, file }))];
  return { ...current(['v1', 'csv', 'upload']), method: 'POST', form };
}
