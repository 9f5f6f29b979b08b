import { z } from 'zod';
import { namedLimits } from '@holdfast/platform';

interface LimitPolicy {
  /**
   * Which requests are counted together. An address is an IPv4 address or an IPv6 /64; app and person are those of a
   * verified token or session.
   */
  per: 'address' | 'app' | 'person';
  /** Requests a minute, at all replicas together. */
  perMinute: number;
  /** Longest accepted query, in characters. */
  maxQuery: number;
}

const maxQuery = 8192;

/**
 * Every route belongs to one class. The quotas keep one caller from taking the capacity that all others need. They are
 * far above what an organization of a million customers sends, an import of all of them included: many customers share
 * an address behind a carrier's NAT, and one backend exchanges the codes of all of them from its address.
 */
export const limitClasses = {
  read: { per: 'app', perMinute: 120_000, maxQuery },
  write: { per: 'app', perMinute: 60_000, maxQuery },
  /** Reads and writes of a person, who is one browser or a few. */
  person: { per: 'person', perMinute: 6000, maxQuery },
  token: { per: 'address', perMinute: 60_000, maxQuery },
  // Each request may store a sign-in. Browsers and proxies cut off links with a longer query.
  authorize: { per: 'address', perMinute: 600, maxQuery: 4096 },
  sign_in: { per: 'address', perMinute: 1200, maxQuery },
  claim: { per: 'address', perMinute: 600, maxQuery },
  presence: { per: 'address', perMinute: 600, maxQuery },
  metadata: { per: 'address', perMinute: 6000, maxQuery },
  page: { per: 'address', perMinute: 6000, maxQuery },
  probe: { per: 'address', perMinute: 6000, maxQuery },
  /** Requests that match no route. */
  unmatched: { per: 'address', perMinute: 600, maxQuery },
  /**
   * Requests of one address that are denied with 401. They are counted apart, so that they never limit requests with a
   * valid token from the same address.
   */
  denied: { per: 'address', perMinute: 600, maxQuery },
} as const satisfies Record<string, LimitPolicy>;

export type LimitClass = keyof typeof limitClasses;

export const limitClassNames = Object.keys(limitClasses) as LimitClass[];

/** The classes that a public endpoint can declare. */
export type PublicLimitClass = Exclude<LimitClass, 'read' | 'write' | 'person' | 'unmatched' | 'denied'>;

/** The class that a public endpoint declares, or `read` or `write`, by its method, for one that needs a token. */
export function limitClassOf({
  operation,
  method,
  limit,
}: {
  operation?: string;
  method: string;
  limit?: PublicLimitClass;
}): LimitClass | undefined {
  if (operation === undefined) return limit;
  return method === 'GET' ? 'read' : 'write';
}

/** `claim=1200,read=60000`: requests a minute; `all=…` stands for every class that is not named. */
export const rateLimitsSchema = z
  .string()
  .default('')
  .pipe(namedLimits([...limitClassNames, 'all'], 'requests a minute'))
  .transform(
    (given) =>
      Object.fromEntries(
        limitClassNames.map((name) => [name, given[name] ?? given.all ?? limitClasses[name].perMinute]),
      ) as Record<LimitClass, number>,
  );
