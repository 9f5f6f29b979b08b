import type { IssuerKey } from '@holdfast/contracts';

export interface KeyTimes {
  kid: string;
  alg: string;
  signsFrom: Date;
}

/**
 * How long a key is published after its successor signs, in ms: ID tokens live ten minutes, as hints for a sign-out as
 * long as a session.
 */
const verifiesFor = 24 * 60 * 60_000;

export interface KeyPlan<Key> {
  /** In the order in which they are to be used: of each algorithm the one that signs, then those that only verify. */
  keys: { key: Key; state: IssuerKey['state'] }[];
  /** When this will look different without anybody's doing. */
  changesAt: number;
}

/**
 * What each key is for at this moment. A new key is published before it signs, so that every verifier has met it by
 * then (OpenID Connect Core §10.1.1), and published still when its successor signs.
 */
export function planKeys<Key extends KeyTimes>(all: readonly Key[], now: Date): KeyPlan<Key> {
  const signing: KeyPlan<Key>['keys'] = [];
  const others: KeyPlan<Key>['keys'] = [];
  let changesAt = Infinity;
  for (const alg of new Set(all.map((k) => k.alg))) {
    const keys = all
      .filter((k) => k.alg === alg)
      .sort((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime() || (a.kid < b.kid ? -1 : 1));
    const current = keys.find((k) => k.signsFrom <= now);
    const until = (current?.signsFrom.getTime() ?? 0) + verifiesFor;
    for (const key of keys) {
      if (key === current) signing.push({ key, state: 'signing' });
      else if (key.signsFrom > now) {
        others.push({ key, state: 'next' });
        changesAt = Math.min(changesAt, key.signsFrom.getTime());
      } else if (until > now.getTime()) {
        others.push({ key, state: 'verifying' });
        changesAt = Math.min(changesAt, until);
      }
    }
  }
  return { keys: [...signing, ...others], changesAt };
}
