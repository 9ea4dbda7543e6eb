import { confirmed } from '../../app/writes.ts';
import { checkKnown } from '../../auth/profiles.ts';
import { lockPath } from '../../auth/session-file.ts';
import { yesFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SILENT } from '../../cli/outcome.ts';
import { changeConfig } from '../../config/change.ts';
import { checkProfileName, readConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import { withLock } from '../../core/lock.ts';

export const remove = verb({
  name: 'delete',
  summary: 'Delete a profile and all its secrets',
  about: 'The command does not revoke the session in the service. To revoke the session, log out first.',
  operands: [{ written: '<profile>', describe: 'name of the profile' }],
  flags: { yes: yesFlag },
  examples: {
    'Log out and delete a profile in a script':
      'cryptodata logout -p acme && cryptodata profiles delete acme --yes',
  },
  prints: 'Nothing on stdout.',
  exits: [0, 2, 130],
  async run(context, { yes }, [given = '']) {
    const name = checkProfileName(given);
    const path = configFile(context.directory);
    await checkKnown(context.directory, await readConfig(path), name);
    if (!(await confirmed(context, `Delete profile ${name} and its secrets?`, yes))) return SILENT;
    const { deleteProfile } = await import('../../auth/secrets.ts');
    const host = await context.auth(name);
    await withLock(lockPath(host.directory, name), host, () => deleteProfile(host));
    await changeConfig(path, (config) => {
      const { [name]: _, ...profiles } = config.profiles;
      const { profile, ...others } = { ...config, profiles };
      return profile === undefined || profile === name ? others : { ...others, profile };
    });
    context.note(`Profile ${name} is deleted.`);
    return SILENT;
  },
});
