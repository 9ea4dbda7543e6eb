// Spec: Integration (webhook data object). It is what the Integrations API serves, without the two fields that the
// change list adds there.

import { type EventKind, type RunCategory, type RunObject, runObject } from '../events/kinds.ts';
import type { Integration, Status } from './entities.ts';

export type IntegrationObject = Omit<Integration, 'providerId' | 'isCustomWallet'>;

export function webhookObject({
  providerId: _,
  isCustomWallet: __,
  ...object
}: Integration): IntegrationObject {
  return object;
}

const STATUS: Readonly<Record<string, Status>> = {
  'integration.created': 'QUEUED',
  'integration.updated': 'COMPLETED',
  'integration.deleted': 'DELETED',
  'integration.failed': 'FAILED',
};

/** What an event carries when it is only tried out: an account of the workspace, or a run that never was. */
export function exampleData(event: EventKind, accounts: readonly Integration[], now: number): object {
  const status = STATUS[event];
  const [account] = accounts;
  if (status === undefined || account === undefined) return exampleRun(event, now);
  const { errorMessage: _, ...object } = webhookObject(account);
  return status === 'FAILED'
    ? { ...object, status, errorMessage: 'The exchange rejected the API key' }
    : { ...object, status };
}

function exampleRun(event: EventKind, now: number): RunObject {
  const [category = '', status = ''] = event.split('.');
  return runObject(
    category as RunCategory,
    status as RunObject['status'],
    now,
    status === 'failed' ? 'The calculation ended with an error' : null,
  );
}
