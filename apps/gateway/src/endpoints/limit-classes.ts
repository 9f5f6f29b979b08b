import { z } from 'zod';

interface LimitPolicy {
  /**
   * Whose requests are counted together. An address is an IPv4 address or an IPv6 /64; an app is one that a token
   * proves.
   */
  per: 'address' | 'app';
  /** Requests a minute, in each replica. */
  perMinute: number;
  /** Longest query that is taken, in characters. */
  maxQuery: number;
}

const maxQuery = 8192;

/**
 * Every route belongs to one class. The quotas keep one caller from taking what all others need, and are far above what
 * an organization of a million customers sends, an import of all of them included: many customers share an address
 * behind a carrier's NAT, and one backend's address exchanges the codes of all of them.
 */
export const limitClasses = {
  read: { per: 'app', perMinute: 120_000, maxQuery },
  write: { per: 'app', perMinute: 60_000, maxQuery },
  token: { per: 'address', perMinute: 60_000, maxQuery },
  // Each may lead to a stored sign-in. What is longer than this makes links that browsers and proxies cut off.
  authorize: { per: 'address', perMinute: 600, maxQuery: 4096 },
  sign_in: { per: 'address', perMinute: 1200, maxQuery },
  claim: { per: 'address', perMinute: 600, maxQuery },
  presence: { per: 'address', perMinute: 600, maxQuery },
  metadata: { per: 'address', perMinute: 6000, maxQuery },
  page: { per: 'address', perMinute: 6000, maxQuery },
  probe: { per: 'address', perMinute: 6000, maxQuery },
  /** No route at all. */
  unmatched: { per: 'address', perMinute: 600, maxQuery },
  /**
   * Answers of 401 to one address: counted apart, so that whoever has a good token is never kept out by those who have
   * none.
   */
  denied: { per: 'address', perMinute: 600, maxQuery },
} as const satisfies Record<string, LimitPolicy>;

export type LimitClass = keyof typeof limitClasses;

export const limitClassNames = Object.keys(limitClasses) as LimitClass[];

/** What a public endpoint must declare. */
export type PublicLimitClass = Exclude<LimitClass, 'read' | 'write' | 'unmatched' | 'denied'>;

/** The class of an endpoint: what a public one declares; of one that needs a token, by its method. */
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

const quota = z.coerce.number().int().min(1).max(1_000_000_000);

/** `claim=1200,read=60000`: requests a minute; `all=…` stands for every class that is not named. */
export const rateLimitsSchema = z
  .string()
  .default('')
  .transform((text, context) => {
    const given = Object.fromEntries(
      text
        .split(',')
        .filter((part) => part.trim() !== '')
        .map((part) => part.split('=').map((side) => side.trim())) as [string, string][],
    );
    for (const [name, value] of Object.entries(given)) {
      if (name !== 'all' && !(name in limitClasses))
        context.addIssue({
          code: 'custom',
          message: `knows no class ${JSON.stringify(name)}; there are ${limitClassNames.join(', ')} and all`,
        });
      else if (!quota.safeParse(value).success)
        context.addIssue({ code: 'custom', message: `${name} must be a whole number of requests a minute, 1 or more` });
    }
    return Object.fromEntries(
      limitClassNames.map((name) => [name, Number(given[name] ?? given.all ?? limitClasses[name].perMinute)]),
    ) as Record<LimitClass, number>;
  });
