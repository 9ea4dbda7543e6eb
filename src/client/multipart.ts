import type { FormPart } from './request.ts';

/** An encoded form. Each iteration reads the files again. */
export interface Multipart {
  readonly contentType: string;
  /** Length in bytes. Some services reject a body of unknown length. */
  readonly length: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Encodes a form as `multipart/form-data` (RFC 7578). File contents are not changed.
 *
 * This code replaces undici's FormData. On Node 24 and 26, undici 7.30 never sends a FormData body, so `request` waits forever.
 */
export function multipart(parts: readonly FormPart[]): Multipart {
  const boundary = `cryptodata-${crypto.randomUUID()}`;
  const pieces = parts.flatMap((part): (Uint8Array | File)[] =>
    'file' in part
      ? [bytes(`--${boundary}\r\n${fileHead(part)}\r\n\r\n`), part.file, bytes('\r\n')]
      : [bytes(`--${boundary}\r\n${disposition(part.name)}\r\n\r\n${part.value}\r\n`)],
  );
  pieces.push(bytes(`--${boundary}--\r\n`));
  const length = pieces.reduce((sum, piece) => sum + (isFile(piece) ? piece.size : piece.length), 0);
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      if (isFile(piece)) yield* piece.stream();
      else yield piece;
    }
  }
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { contentType, length, body: { [Symbol.asyncIterator]: read } };
}

type File = Extract<FormPart, { readonly file: unknown }>['file'];

function isFile(piece: Uint8Array | File): piece is File {
  return 'stream' in piece;
}

function fileHead({ name, file }: Extract<FormPart, { readonly file: unknown }>): string {
  const type = file.type || 'application/octet-stream';
  return `${disposition(name)}; filename="${quoted(file.name)}"\r\nContent-Type: ${type}`;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

/** Escapes quotes and line breaks, as browsers do ("multipart/form-data encoding algorithm" in the HTML standard). */
function quoted(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
