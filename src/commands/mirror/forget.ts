import { text } from '../../api/records.ts';
import { confirmed } from '../../app/writes.ts';
import { yesFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { made, oneOf } from '../../cli/output.ts';
import { usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import { openColumns } from '../../formats/open.ts';
import { forgetWorkspace } from '../../mirror/forget.ts';
import { FOLDER } from './folder.ts';

export const forget = verb({
  name: 'forget',
  summary: 'Remove a workspace from all versions of a mirror',
  about: `The command deletes the files of the workspace, and removes its entries from the logs of all tables. Other workspaces keep all their versions. The files cannot be restored. Copies of the folder, and databases that were loaded from it, are not changed.

Programs that read the folder during the command may fail. The command sends no request, and does not change the service.`,
  operands: [FOLDER],
  flags: { yes: yesFlag },
  examples: {
    'Remove a former client': 'cryptodata mirror forget lake --workspace ws_acme --yes',
  },
  prints: 'A record { folder, workspace }.',
  output: [oneOf(made({ folder: text, workspace: text }))],
  exits: [0, 2, 13, 130],
  async run(context, { yes }, [folder = '']) {
    const found = (await context.settings()).resolve('workspace');
    // Accept the workspace only from --workspace, because the workspace of a profile could be removed by mistake.
    if (found?.origin.from !== 'flag') {
      throw usageError(
        'The workspace is missing',
        'Name the workspace to remove: --workspace ID',
        'NO_WORKSPACE',
      );
    }
    const { value: workspace } = found;
    const what = `Remove ${showText(workspace)} from all versions of ${showText(folder)}?`;
    if (!(await confirmed(context, what, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was deleted.' }] };
    }
    await forgetWorkspace(folder, workspace, context);
    return { kind: 'record', record: { folder, workspace }, columns: openColumns };
  },
});
