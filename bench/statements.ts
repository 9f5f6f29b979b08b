import { createHash, randomBytes, randomUUID } from 'node:crypto';

export interface BareStatement {
  text: string;
  /** New values for each run. */
  values: (args: never) => unknown[];
}

/** The schema of the baseline: copies of issuance's tables, from which no relay publishes. */
export const copySchema = 'bench';

export interface OfferArgs {
  /** Payload of a real event, so that the row is as large. */
  payload: string;
}

export interface ListArgs {
  org: string;
  app: string;
  limit: number;
  after?: { createdAt: string; subject: string };
}

export interface GetArgs {
  org: string;
  app: string;
  subjects: string[];
}

const newest = (condition: string): string =>
  `SELECT state FROM subjects.subject WHERE subject IS NOT NULL AND org = $1 AND app = $2 ${condition}
   ORDER BY created_at DESC, subject DESC LIMIT $3`;

/** The statements of the baselines. */
export const statements: Record<string, BareStatement> = {
  offer: {
    text: `WITH
      s AS (INSERT INTO ${copySchema}.subject (id, org, app, version, created_at)
        VALUES ($1, 'acme', $2, 1, $3)),
      c AS (INSERT INTO ${copySchema}.credential (id, subject, org, type, status, revocable, created_at)
        VALUES ($4, $1, 'acme', 'customer', 'offered', true, $3)),
      o AS (INSERT INTO ${copySchema}.offer
          (id, credential, subject, org, app, token_hash, status, expires_at, created_at)
        VALUES ($5, $4, $1, 'acme', $2, $6, 'open', $7, $3))
      INSERT INTO ${copySchema}.outbox (id, aggregate, subject, payload)
        VALUES ($8, $9, 'evt.issuance.offer.created', $10)`,
    values: ({ payload }: OfferArgs) => {
      const [subject, now] = [randomUUID(), new Date()];
      return [
        subject,
        'app_0123456789012345678901',
        now,
        randomUUID(),
        randomUUID(),
        randomBytes(32),
        new Date(now.getTime() + 3e8),
        randomUUID(),
        subject,
        payload,
      ];
    },
  },
  list: { text: newest(''), values: ({ org, app, limit }: ListArgs) => [org, app, limit] },
  'deep-list': {
    text: newest('AND (created_at, subject) < ($4, $5)'),
    values: ({ org, app, limit, after }: ListArgs) => [org, app, limit, after?.createdAt, after?.subject],
  },
  get: {
    text: 'SELECT state FROM subjects.subject WHERE key = $2 AND org = $1 AND app = $3',
    values: ({ org, app, subjects }: GetArgs) => {
      const subject = subjects[Math.floor(Math.random() * subjects.length)]!;
      return [org, createHash('sha256').update(`${org}/${subject}`).digest(), app];
    },
  },
};
