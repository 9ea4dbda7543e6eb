import type { NounVerbs } from '../../cli/define.ts';
import { install } from './install.ts';
import { printVerb } from './print.ts';

export const noun: NounVerbs = {
  about:
    'Completions offer commands, flags and values: formats, columns, periods, time zones, checks, profiles and files, and the wallets of the mirror in --mirror. For each Tab, the script runs "cryptodata __complete", which reads only local files and sends no request.',
  verbs: [install, printVerb('bash'), printVerb('zsh'), printVerb('fish'), printVerb('powershell')],
  lenient: true,
  anyProfile: true,
};
