// Reads query parameters, and rejects every value whose format differs from the specification.

import type { FastifyReply } from 'fastify';
import { nestedError, wrappedError } from './errors.ts';

/** An error that describes the first invalid parameter of a query. */
export class InvalidParameter extends Error {
  readonly parameter: string;
  readonly expected: string;
  readonly received: string;

  constructor(parameter: string, expected: string, received: string) {
    super(`${parameter} must be ${expected}, but is ${received}`);
    this.parameter = parameter;
    this.expected = expected;
    this.received = received;
  }
}

export type RawQuery = Readonly<Record<string, unknown>>;

export interface Parameters {
  text(name: string): string | undefined;
  /** Comma-separated. */
  list(name: string): string[] | undefined;
  flag(name: string): boolean | undefined;
  /** Unix milliseconds. */
  time(name: string): number | undefined;
  whole(name: string, fallback: number, least: number, most: number): number;
  choice<T extends string>(name: string, fallback: T, allowed: readonly T[]): T;
}

export function parametersOf(raw: RawQuery): Parameters {
  function text(name: string): string | undefined {
    const value = raw[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new InvalidParameter(name, 'one value', 'given more than once');
  }
  function list(name: string): string[] | undefined {
    const items = text(name)?.split(',');
    if (items?.includes(''))
      throw new InvalidParameter(name, 'a list without empty entries', quote(text(name)));
    return items;
  }
  function flag(name: string): boolean | undefined {
    const value = text(name);
    return value === undefined ? undefined : oneOf(name, value, ['true', 'false']) === 'true';
  }
  function time(name: string): number | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw new InvalidParameter(name, 'Unix milliseconds', quote(value));
    return Number(value);
  }
  function whole(name: string, fallback: number, least: number, most: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidParameter(name, `a whole number from ${least} to ${most}`, quote(value));
  }
  const choice = <T extends string>(name: string, fallback: T, allowed: readonly T[]): T => {
    const value = text(name);
    return value === undefined ? fallback : oneOf(name, value, allowed);
  };
  return { text, list, flag, time, whole, choice };
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value);
  if (found === undefined) throw new InvalidParameter(name, `one of ${allowed.join(', ')}`, quote(value));
  return found;
}

function quote(value: string | undefined): string {
  return `'${value}'`;
}

/** Returns the result of `read`. If `read` throws an {@link InvalidParameter}, returns that error. */
export function attempt<T>(read: () => T): T | InvalidParameter {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidParameter) return error;
    throw error;
  }
}

/** Sends a wrapped error (Shape 2) for an invalid parameter. `details.issues` describes the invalid parameter. */
export function refuseWrapped(
  reply: FastifyReply,
  { parameter, expected, received, message }: InvalidParameter,
): FastifyReply {
  const issues = [{ code: 'invalid_type', expected, received, path: [parameter], message }];
  return wrappedError(reply, 400, 'VALIDATION_ERROR', 'Invalid query parameters', { issues });
}

/** Sends a nested error (Shape 3) for an invalid parameter. */
export function refuseNested(reply: FastifyReply, { message }: InvalidParameter): FastifyReply {
  return nestedError(reply, 400, 'BAD_REQUEST', message);
}
