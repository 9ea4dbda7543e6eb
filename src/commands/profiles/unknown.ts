import { CryptodataError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';

export function unknownProfile(name: string, known: readonly string[]): CryptodataError {
  const near = nearest(name, known);
  const all =
    known.length === 0 ? 'There is none yet: cryptodata login makes one.' : `There are: ${known.join(', ')}.`;
  return new CryptodataError('notFound', 'UNKNOWN_PROFILE', `There is no profile ${name}`, {
    hint: near ? `Did you mean ${near}? ${all}` : all,
  });
}
