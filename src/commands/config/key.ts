import type { Operand } from '../../cli/define.ts';
import { SETTINGS } from '../../config/definitions.ts';

export const keyOperand: Operand = {
  written: '<key>',
  describe: 'name of the setting, as printed by "config list"',
  suggests: () => SETTINGS.map(({ key }) => key),
};
