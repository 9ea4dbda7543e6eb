declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream';
  import type { Submittable } from 'pg';

  /** Creates a stream for the rows of a `COPY … FROM STDIN` statement. */
  export function from(sql: string): Writable & Submittable;
}
