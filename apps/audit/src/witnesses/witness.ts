import { z } from 'zod';
import { FormatError, parseWitnessKey, type VerifierKey } from '@holdfast/tlog';

/** A server that cosigns checkpoints of logs that only grow: c2sp.org/tlog-witness. */
export interface Witness {
  key: VerifierKey;
  /** The prefix of its addresses, without a slash at the end. */
  url: string;
}

const maxWitnesses = 10;

export const witnessesFromEnv = z
  .string()
  .default('')
  .transform((text, context): Witness[] => {
    try {
      return parseWitnesses(text);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

function parseWitnesses(text: string): Witness[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length > maxWitnesses) throw new FormatError(`has more than ${maxWitnesses} witnesses`);
  const witnesses = entries.map((entry) => {
    const [key = '', url = '', ...others] = entry.split(/\s+/);
    if (others.length > 0 || !URL.canParse(url))
      throw new FormatError('must be verifier keys, each followed by a space and a URL, comma separated');
    return { key: parseWitnessKey(key), url: url.replace(/\/+$/, '') };
  });
  // Two entries of one witness would count as two in a quorum.
  if (new Set(witnesses.map(({ key }) => key.keyId)).size < witnesses.length)
    throw new FormatError('names a witness twice');
  return witnesses;
}
