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

/** A page of the large organization. */
export interface PeoplePageArgs {
  org: string;
  limit: number;
  group?: string;
  /** In hexadecimal. */
  token?: string;
}

export interface AccessCheckArgs {
  org: string;
  person: string;
  clientId: string;
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

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
  people: {
    text: `SELECT id, status, roles, personal_data, personal_data_key, created_at FROM directory.person
      WHERE org = $1 AND (created_at, id) < ('infinity', '${lastId}') ORDER BY created_at DESC, id DESC LIMIT $2`,
    values: ({ org, limit }: PeoplePageArgs) => [org, limit],
  },
  'people-search': {
    text: `SELECT p.id, p.status, p.roles, p.personal_data, p.personal_data_key, p.created_at
      FROM (SELECT person_id, created_at FROM directory.person_search_token
          WHERE org = $1 AND token = $3 ORDER BY created_at DESC, person_id DESC LIMIT $2) t,
        LATERAL (SELECT * FROM directory.person WHERE id = t.person_id OFFSET 0) p
      ORDER BY t.created_at DESC, t.person_id DESC`,
    values: ({ org, limit, token = '' }: PeoplePageArgs) => [org, limit, Buffer.from(token, 'hex')],
  },
  members: {
    text: `SELECT person_id, added_at FROM directory.group_member
      WHERE org = $1 AND group_id = $3 AND (added_at, person_id) < ('infinity', '${lastId}')
      ORDER BY added_at DESC, person_id DESC LIMIT $2`,
    values: ({ org, limit, group }: PeoplePageArgs) => [org, limit, group],
  },
  entitlements: {
    text: `SELECT a.id, a.client_id, a.created_at, e.person_id FROM directory.assignment a, LATERAL (
        (SELECT a.person_id WHERE a.person_id IS NOT NULL)
        UNION ALL
        (SELECT person_id FROM directory.group_member m WHERE m.org = $1 AND m.group_id = a.group_id
         ORDER BY person_id DESC LIMIT $2)) e
      WHERE a.org = $1 AND (a.created_at, a.id) < ('infinity', '${lastId}')
      ORDER BY a.created_at DESC, a.id DESC LIMIT $2`,
    values: ({ org, limit }: PeoplePageArgs) => [org, limit],
  },
  'person-check': {
    text: `SELECT p.personal_data, p.personal_data_key, p.status, p.roles, p.version,
        ARRAY(SELECT g.name FROM (SELECT group_id FROM directory.group_member
            WHERE org = $1 AND person_id = $2 OFFSET 0) m,
          LATERAL (SELECT name FROM directory.person_group WHERE org = $1 AND id = m.group_id OFFSET 0) g) AS groups,
        EXISTS (SELECT FROM (SELECT group_id FROM directory.group_member
            WHERE org = $1 AND person_id = $2 OFFSET 0) m,
          LATERAL (SELECT FROM directory.assignment
            WHERE org = $1 AND group_id = m.group_id AND client_id = $3 OFFSET 0) a) AS assigned
      FROM directory.person p WHERE org = $1 AND id = $2`,
    values: ({ org, person, clientId }: AccessCheckArgs) => [org, person, clientId],
  },
};
