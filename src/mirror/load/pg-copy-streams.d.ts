declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream';
  import type { Submittable } from 'pg';

  /** A stream that writes the rows of `COPY … FROM STDIN`. */
  export function from(sql: string): Writable & Submittable;
}
