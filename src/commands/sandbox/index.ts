import type { NounVerbs } from '../../cli/define.ts';
import { coverage } from './coverage.ts';
import { data } from './data.ts';
import { errors } from './errors.ts';
import { exec } from './exec.ts';
import { scenario } from './scenario.ts';
import { snapshot } from './snapshot.ts';
import { startSandboxVerb } from './start.ts';

export const noun: NounVerbs = {
  anyProfile: true,
  about: 'Serves generated data, on 127.0.0.1 only. The same seed always produces exactly the same data.',
  verbs: [startSandboxVerb, exec, data, snapshot, scenario, errors, coverage],
  alone: 'start',
};
