import type { IssuerKey } from '@holdfast/contracts';

export interface KeyTimes {
  kid: string;
  alg: string;
  signsFrom: Date;
}

/**
 * How long a key is published after its successor has begun to sign. ID tokens live ten minutes, but serve as hints for
 * a sign-out as long as a session lives.
 */
const verifyingMs = 24 * 60 * 60_000;

export interface KeyPlan<Key> {
  /** The signing key of each algorithm first, then the keys that only verify. */
  keys: { key: Key; state: IssuerKey['state'] }[];
  /** When the plan changes by itself, in ms since 1970. */
  changesAt: number;
}

/**
 * Plans the use of each key at this moment. A new key is published before it signs, so that every verifier has cached
 * it by then (OpenID Connect Core §10.1.1), and stays published when its successor signs.
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
    const until = (current?.signsFrom.getTime() ?? 0) + verifyingMs;
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
