// Webhook deliveries: receive, check, store, forward.

export { type Checked, checkDelivery } from './check.ts';
export {
  ATTEMPTS,
  type Delivered,
  type DeliverOptions,
  deliver,
  forwardedHeaders,
  parseTarget,
  shownTarget,
} from './deliver.ts';
export { type Entry, entryRecord } from './entry.ts';
export { isWanted } from './forwarder.ts';
export { CATEGORIES, categoryOf, EVENT_KINDS, type EventKind, KIND_NAMES } from './kinds.ts';
export { type Listener, type ListenOptions, listen, type Outcome, type Told } from './listener.ts';
export { countPending, Pending } from './pending.ts';
export { readStore, type StoreLine } from './read-store.ts';
export { ENCODINGS, isSigned, type Signature, type SignatureEncoding } from './signature.ts';
export { openStore, type Store } from './store.ts';
