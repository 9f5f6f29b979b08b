import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';
import { makerSchema } from '../maker.js';
import { allOrganizations } from '../signals/audit-destinations.js';

/**
 * The JetStream stream with the entries of the logs that somebody reads there (docs/audit-readers.md). Audit declares
 * no consumer of it: each reader has one of its own.
 */
export const entryStream = { name: 'AUDIT', subjects: ['audit.entry.>'] } as const;

/** What the stream holds at most; it then discards the oldest entries. `holdfast bus declare` changes it. */
export const entryStreamDefaults = { maxDays: 7, maxBytes: 536_870_912 } as const;

export function entrySubject(org: string, action: string): string {
  return `audit.entry.${org}.${action}`;
}

/** The subjects of an organization's entries, or of those of all. */
export function entrySubjects(org: string): string {
  return org === allOrganizations ? 'audit.entry.>' : `audit.entry.${org}.>`;
}

/** Header of each message: the `seq` of its entry. */
export const entrySeqHeader = 'Holdfast-Seq';

/** The NATS user of a reader, and its durable consumer. Never used again, so a deleted reader has no rights. */
export const readerIdSchema = z.string().regex(/^reader-[0-9a-f]{16}$/, 'must be the id of a reader');
/** A public NKey of a user. */
export const readerKeySchema = z.string().regex(/^U[A-Z2-7]{55}$/, 'must be the public NKey of a user');

/** Each reader has its own inbox, so that it cannot read what JetStream sends to others. */
export function readerInboxPrefix(id: string): string {
  return `_INBOX_${id}`;
}

/**
 * The JetStream domain by which readers reach the API of their consumers. Each is in an account of its own, which
 * imports no more than that; under the usual names JetStream would say that the account has no streams.
 */
export const readerDomain = 'audit';

/** Readers that one organization may have; as many may read all organizations of a shard. */
export const maxAuditReaders = 20;

const auditReaderSchema = z.strictObject({
  id: z.string(),
  publicKey: z.string(),
  createdAt: instant,
  /** Who created it; absent for readers of before makers were stored, which the operator created. */
  maker: makerSchema.optional(),
  /** Entries in the stream that it has not acknowledged; absent while JetStream does not know its consumer. */
  pending: z.int().optional(),
  /** When it last acknowledged an entry. */
  lastReadAt: instant.optional(),
});
export type AuditReader = z.infer<typeof auditReaderSchema>;

const callers = ['operator'] as const;
const id = readerIdSchema;
const after = z.int().min(0);
const reply = z.strictObject({ reader: auditReaderSchema });

/** Of the context's organization, or of all of this shard. Without `after` it reads what is appended from now on. */
export const createAuditReader = command({
  service: 'audit',
  name: 'create-audit-reader',
  callers,
  request: z.strictObject({ id, publicKey: readerKeySchema, after: after.optional() }),
  reply,
  errors: ['unknown_organization', 'limit_reached', 'invalid_state'],
});

export const listAuditReaders = query({
  service: 'audit',
  name: 'list-audit-readers',
  callers,
  request: z.strictObject({}),
  reply: z.strictObject({ items: z.array(auditReaderSchema) }),
  errors: ['unknown_organization'],
});

/** Its next entry is the first one after this `seq`. A reader of all organizations can only begin again, with 0. */
export const rewindAuditReader = command({
  service: 'audit',
  name: 'rewind-audit-reader',
  callers,
  request: z.strictObject({ id, after }),
  reply,
  errors: ['unknown_reader', 'unknown_organization', 'invalid_state'],
});

export const deleteAuditReader = command({
  service: 'audit',
  name: 'delete-audit-reader',
  callers,
  request: z.strictObject({ id }),
  reply: z.strictObject({}),
  errors: ['unknown_reader', 'unknown_organization'],
});
