import { usageError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { showText, someOf } from '../../core/text.ts';
import { ACCOUNTS, type AccountRole, type JournalAccount } from './entry.ts';
import type { LegFacts } from './facts.ts';

/** The placeholders that are allowed in account names. */
const PLACEHOLDERS = [
  'wallet',
  'walletId',
  'symbol',
  'assetId',
  'type',
  'label',
  'currency',
  'code',
] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

/** Empty values for all placeholders. Used for an account whose name does not depend on a leg. */
export const NO_VALUES: PlaceholderValues = {
  ...{ wallet: '', walletId: '', symbol: '', assetId: '', type: '', label: '', currency: '', code: '' },
};

const SETTINGS = { codes: ['served', 'ignore'], tax: undefined } as const;
const ROLES = Object.keys(ACCOUNTS) as readonly AccountRole[];
/** Accounts in whose names `{currency}` is the only allowed placeholder. */
const FIXED: readonly string[] = ['rounding', 'clearing'];
/** Accounts that contain only quantities. */
const QUANTITIES: readonly string[] = ['holdings', 'contra', 'opening'];
const LINE = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/;
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** A parsed account template. */
export interface Template {
  readonly accounts: ReadonlyMap<string, string>;
  readonly tax: string | undefined;
  readonly ignoresCodes: boolean;
}

export const NO_TEMPLATE: Template = { accounts: new Map(), tax: undefined, ignoresCodes: false };

/**
 * Parses a template. Each line is `account = name:with:{placeholders}`, or a comment that begins with `#`.
 *
 * @param file name of the file, for error messages
 * @throws usage error `BAD_ACCOUNTS`
 */
export function parseTemplate(text: string, file: string): Template {
  const accounts = new Map<string, string>();
  const settings = new Map<string, string>();
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const where = `${file}, line ${index + 1}`;
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, key = '', value = ''] = LINE.exec(line) ?? [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a text file has no such characters, and no account name may have one
    if (key === '' || value === '' || /[\u0000-\u0008\u000e-\u001f]/.test(line)) {
      throw badTemplate(
        `Cannot read ${where}`,
        'Each line is account = name, as in fee = expenses:fees; # begins a comment.',
      );
    }
    const target = Object.hasOwn(SETTINGS, key) ? settings : accounts;
    if (target.has(key)) throw badTemplate(`Duplicate account ${JSON.stringify(key)} in ${where}`);
    if (target === settings) checkSetting(key, value, where);
    else checkAccount(key, value, where);
    target.set(key, value);
  }
  const named = (role: AccountRole) => accounts.get(role) ?? ACCOUNTS[role];
  if (named('holdings') === named('book')) {
    throw badTemplate(
      `In ${file}, "holdings" and "book" have the same account name`,
      '"holdings" is the account for quantities, and "book" is the account for values. Use two different names.',
    );
  }
  return { accounts, tax: settings.get('tax'), ignoresCodes: settings.get('codes') === 'ignore' };
}

function checkSetting(key: string, value: string, where: string): void {
  const choices: readonly string[] | undefined = key === 'codes' ? SETTINGS.codes : undefined;
  if (choices === undefined || choices.includes(value)) return;
  throw badTemplate(`Invalid ${key} in ${where}: ${JSON.stringify(value)}`, `Use ${choices.join(' or ')}.`);
}

function checkAccount(key: string, value: string, where: string): void {
  const isRole = ROLES.some((role) => role === key);
  if (!isRole && !/^(label|code)\../.test(key)) {
    const near = nearest(key, [...ROLES, ...Object.keys(SETTINGS)]);
    throw badTemplate(
      `Unknown account ${JSON.stringify(key)} in ${where}`,
      `${near === undefined ? '' : `Did you mean ${near}? `}The accounts are ${ROLES.join(', ')}, label.NAME and code.NUMBER.`,
    );
  }
  const allowed: readonly string[] = FIXED.includes(key)
    ? ['currency']
    : PLACEHOLDERS.filter((name) => name !== 'code' || /^code/.test(key));
  for (const [written, name = ''] of value.matchAll(PLACEHOLDER)) {
    if (allowed.includes(name)) continue;
    const near = nearest(name, allowed);
    throw badTemplate(
      `Unknown placeholder ${written} in ${where}`,
      `${near === undefined ? '' : `Did you mean {${near}}? `}${key} can have ${allowed.map((one) => `{${one}}`).join(', ')}.`,
    );
  }
  if (/[{}]/.test(value.replace(PLACEHOLDER, ''))) {
    throw badTemplate(
      `Unclosed placeholder in ${where}`,
      'Write placeholders in braces, for example {wallet}.',
    );
  }
  if (value.split(':').some((segment) => segment.trim() === '')) {
    throw badTemplate(
      `Empty part of an account name in ${where}`,
      'Separate the parts with single colons, as in a:b.',
    );
  }
}

/**
 * Checks that every account name in a template begins with one of `roots`, as beancount requires.
 *
 * @throws usage error `BAD_ACCOUNTS`
 */
export function checkRoots({ accounts }: Template, roots: readonly string[], file: string): void {
  for (const [key, name] of accounts) {
    const root = name.split(':')[0]?.trim().toLowerCase();
    if (name.includes(':') && roots.some((known) => known.toLowerCase() === root)) continue;
    throw badTemplate(
      `The account name for "${key}" in ${file} cannot be used with beancount: ${JSON.stringify(name)}`,
      `Start the account name with one of ${roots.join(', ')}; for example ${roots[0]}:Crypto.`,
    );
  }
}

interface CodeRule {
  readonly imports: string;
  readonly longestCode: number;
}

/**
 * Checks that every account for values is a code that the importer accepts. Values of placeholders are checked when they are
 * known.
 *
 * @param code account for a general-ledger code from the service
 * @throws usage error `BAD_ACCOUNTS`
 */
export function checkCodes({ accounts }: Template, code: string, rule: CodeRule): void {
  const names = new Map<string, string>(
    Object.entries({ ...ACCOUNTS, code, ...Object.fromEntries(accounts) }),
  );
  const wrong = [...names].filter(
    ([key, name]) =>
      !QUANTITIES.includes(key) &&
      (name.includes(':') || name.replace(PLACEHOLDER, '').length > rule.longestCode),
  );
  if (wrong.length === 0) return;
  const first = wrong.map(([key, name]) => `${key} = ${name}`);
  throw notACode(someOf(first, { most: MOST_NAMED }), rule);
}

/** Maximum number of accounts to list in an error. */
const MOST_NAMED = 3;

export function notACode(names: string, { imports, longestCode }: CodeRule): Error {
  return badTemplate(
    `${imports} accepts only account codes of at most ${longestCode} characters, but the journal has ${showText(names)}`,
    'Give a file of accounts with a code for each account, for example book = 1200. docs/journals.md has a template.',
  );
}

function badTemplate(message: string, hint?: string): Error {
  return usageError(message, hint, 'BAD_ACCOUNTS');
}

/**
 * Why an entry of the template has no effect.
 *
 * - `unmatched`: no leg has the label or code
 * - `ignored`: the template ignores account codes
 * - `replaced`: the legs for the account have account codes from the service
 * - `bypassed`: no leg with the label or code is posted to an account for labels or codes
 */
export type NoEffect = 'unmatched' | 'ignored' | 'replaced' | 'bypassed';

/**
 * The entries of the chart that affect a journal. `named`: the entries that provide the account name of a line. `replaced`: the
 * entries that would provide the name if the service had not sent an account code.
 */
export interface JournalNames {
  readonly named: ReadonlySet<string>;
  readonly replaced: ReadonlySet<string>;
}

/** Determines the account names of a journal. */
export class Chart {
  readonly #template: Template;
  readonly #defaults: Readonly<Record<AccountRole, string>>;
  /** The account names in the template. */
  readonly #names: ReadonlySet<string>;
  /** The keys under which a template can name accounts for the labels and codes of the legs. */
  readonly #found = new Set<string>();

  constructor(template: Template, defaults: Partial<Record<AccountRole, string>> = {}) {
    this.#template = template;
    this.#names = new Set(template.accounts.values());
    this.#defaults = { ...ACCOUNTS, ...defaults };
  }

  get usesCodes(): boolean {
    return !this.#template.ignoresCodes;
  }

  /** Returns the entries of the template that have no effect for the given reason. */
  without(effect: NoEffect, names: JournalNames): readonly string[] {
    return [...this.#template.accounts.keys()].filter((key) => this.#noEffect(key, names) === effect);
  }

  #noEffect(key: string, { named, replaced }: JournalNames): NoEffect | undefined {
    if (named.has(key)) return undefined;
    if (!this.usesCodes && /^code(\.|$)/.test(key)) return 'ignored';
    if (replaced.has(key)) return 'replaced';
    if (!/^(label|code)\./.test(key)) return undefined;
    return this.#found.has(key) ? 'bypassed' : 'unmatched';
  }

  /**
   * The default name of accounts with a code from the service, such as `coa:{code}`; undefined if no line uses this default.
   */
  defaultCodeIn({ named }: JournalNames): string | undefined {
    return named.has('code') && !this.#template.accounts.has('code') ? this.#defaults.code : undefined;
  }

  /**
   * Returns the account for a role. If the template assigns an account to the label of an income or expense leg, returns that
   * account.
   */
  account(role: AccountRole, values: PlaceholderValues): JournalAccount {
    return this.#named(this.#keyOf(role, values), role, values);
  }

  /** Records the label and the codes of a leg. */
  find({ label, debitCode, creditCode }: Pick<LegFacts, 'label' | 'debitCode' | 'creditCode'>): void {
    for (const key of [`label.${label}`, `code.${debitCode}`, `code.${creditCode}`]) this.#found.add(key);
  }

  /**
   * Returns the account for a general-ledger code. If the code is empty, returns the account `suspense`.
   *
   * @param role the role of the account that the code replaces
   */
  coded(code: string, role: AccountRole, values: PlaceholderValues): JournalAccount {
    const own = `code.${code}`;
    const kind = code === '' ? 'suspense' : 'code';
    const key = kind === 'code' && this.#template.accounts.has(own) ? own : kind;
    const account = this.#named(key, kind, { ...values, code });
    const replaced = [this.#keyOf(role, values)];
    if (kind !== 'code' || account.origin !== 'default') return { ...account, replaced };
    const isKnown = this.#names.has(account.segments.join(':'));
    return { ...account, origin: 'service', ...(isKnown ? {} : { unmapped: code }), replaced };
  }

  /**
   * The key of the template entry for a role. For an income or expense whose label has its own entry, the key of that entry.
   */
  #keyOf(role: AccountRole, { label }: PlaceholderValues): string {
    const own = `label.${label}`;
    return /^(incoming|outgoing)$/.test(role) && this.#template.accounts.has(own) ? own : role;
  }

  #named(key: string, role: AccountRole, values: PlaceholderValues): JournalAccount {
    const given = this.#template.accounts.get(key);
    const pattern = given ?? this.#defaults[role];
    const of: Readonly<Record<string, string>> = values;
    // Split the pattern before inserting values, because a colon in a name from the service must not add a level.
    const segments = pattern
      .split(':')
      .map((segment) => segment.trim().replace(PLACEHOLDER, (_, name: string) => of[name] || 'none'));
    const origin = given === undefined ? 'default' : 'template';
    return { role, segments, origin, entries: [key], replaced: [] };
  }
}
