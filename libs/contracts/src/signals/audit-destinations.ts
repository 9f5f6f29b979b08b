import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { instant, uuid } from '../fields.js';
import { makerSchema } from '../maker.js';
import { readableText } from '../readable-text.js';
import { destinationKindNames, destinationKinds, type DestinationKindName } from './destination-kinds.js';

/** Destinations that one organization may have; the operator may have as many over all organizations. */
export const maxAuditDestinations = 10;

/** The organization of a destination of the operator that gets the logs of all organizations of a shard. */
export const allOrganizations = '*';

const format = z
  .enum(['native', 'ocsf'])
  .describe('`native`: as in the stream of the log; `ocsf`: Open Cybersecurity Schema Framework 1.3');
const description = readableText(200).describe('What it is for');
/** What a destination gets, where that is not the whole log. */
const destinationFilterSchema = z
  .strictObject({
    actions: z
      .array(
        z.string().regex(/^[a-z_]+(?:\.[a-z_]+)*(?:\.\*)?$/, 'must be an action, or the beginning of some with `.*`'),
      )
      .min(1)
      .max(50)
      .optional()
      .describe('Only these actions; `app.*` stands for all that begin with `app.`'),
    outcomes: z
      .array(z.enum(['success', 'denied', 'failure']))
      .min(1)
      .max(3)
      .optional()
      .describe('Only entries with these outcomes'),
  })
  .refine((filter) => Object.keys(filter).length > 0, 'must have at least one member')
  .meta({ id: 'AuditDestinationFilter' });
export type DestinationFilter = z.output<typeof destinationFilterSchema>;
const after = z
  .int()
  .min(0)
  .describe('`seq` after which to begin; 0 is the beginning of the log. Left out: what is appended from now on');

const newDestinationOf = <K extends DestinationKindName>(kind: K) => {
  const { settings, credentials } = destinationKinds[kind];
  return z
    .strictObject({
      kind: z.literal(kind).describe('Kind of receiver'),
      description: description.optional(),
      format: format.default('native'),
      filter: destinationFilterSchema.optional().describe('Only matching entries; the whole log when left out'),
      after: after.optional(),
      settings: settings.describe('Where and how it receives'),
      ...(credentials && { credentials: credentials.describe('Never returned') }),
    })
    .meta({ id: `New${pascal(kind)}Destination` });
};

/** `splunk_hec` → `SplunkHec`. */
function pascal(kind: string): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export const newDestinationSchema = z
  .discriminatedUnion(
    'kind',
    destinationKindNames.map(newDestinationOf) as unknown as [ReturnType<typeof newDestinationOf>],
  )
  .meta({ id: 'NewAuditDestination' });
export type NewDestination = z.output<typeof newDestinationSchema>;

/** Settings and credentials are checked by the schemas of the kind, which the service knows. */
const destinationChangesSchema = z
  .strictObject({
    description: description.nullable().optional().describe('Null removes it'),
    format: format.optional(),
    filter: destinationFilterSchema.nullable().optional().describe('Null removes it: the whole log'),
    settings: z
      .record(z.string().max(50), z.json())
      .optional()
      .describe(
        'Replaces all settings; of the form of those at the creation. Another host or port needs `credentials` as well',
      ),
    credentials: z
      .record(z.string().max(50), z.json())
      .optional()
      .describe('Replaces all credentials; of the form of those at the creation'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one member')
  .meta({ id: 'AuditDestinationChanges' });
export type DestinationChanges = z.output<typeof destinationChangesSchema>;

const destinationStates = ['active', 'paused', 'suspended'] as const;

const destinationSchema = z
  .strictObject({
    id: uuid.describe('The destination'),
    kind: z.enum(destinationKindNames).describe('Kind of receiver'),
    description: z.string().optional().describe('What it is for'),
    format,
    filter: destinationFilterSchema.optional().describe('Only matching entries are sent; the whole log when absent'),
    maker: makerSchema
      .optional()
      .describe(
        'Who is responsible for it: who created it, changed what it sends or where, or resumed it last. It is paused ' +
          'when they may not export the log any more. Absent where it was created before makers were stored',
      ),
    settings: z.record(z.string(), z.json()).describe('Where and how it receives; never its credentials'),
    state: z
      .enum(destinationStates)
      .describe('`paused` by somebody; `suspended`: nothing is sent while the organization is suspended'),
    pausedBecause: z
      .enum(['request', 'maker'])
      .optional()
      .describe(
        'Of a paused one: `request`: somebody paused it; `maker`: its maker may not export the log any more, and ' +
          'somebody who may can resume it',
      ),
    createdAt: instant.describe('When it was created'),
    after: z.int().optional().describe('The receiver has confirmed the log up to this `seq`'),
    lag: z
      .strictObject({
        entries: z.int().describe('Entries that the receiver has not confirmed yet'),
        seconds: z.number().describe('Age of the oldest of them, at most; 0 when there is none'),
      })
      .describe('How far it is behind the log'),
    sent: z.int().describe('Entries that the receiver has confirmed since the creation'),
    rejected: z.int().describe('Entries that the receiver has refused for good since the creation'),
    lastSuccessAt: instant.optional().describe('When the receiver last confirmed entries'),
    lastError: z
      .strictObject({
        at: instant.describe('When it happened'),
        detail: z.string().describe('What failed and what it means'),
        attempts: z.int().describe('Failed attempts since the last success'),
        retryAt: instant.optional().describe('When the next attempt is due'),
      })
      .optional()
      .describe('Why the last attempt failed; absent while the last one succeeded'),
    lastRejection: z.string().optional().describe('Why the last refused entry was refused'),
  })
  .meta({ id: 'AuditDestination' });
export type AuditDestination = z.output<typeof destinationSchema>;

const signingSecret = z
  .string()
  .describe('Secret that signs what is sent (Standard Webhooks). Only this response shows it');
const createdDestinationSchema = destinationSchema
  .extend({ secret: signingSecret.optional().describe('Of the kind `https`: signs what is sent. Shown only here') })
  .meta({ id: 'CreatedAuditDestination' });
export type CreatedAuditDestination = z.output<typeof createdDestinationSchema>;

export const rotatedSecretSchema = z
  .strictObject({
    secret: signingSecret,
    previousUntil: instant.describe('Until then what is sent is signed with the earlier secret as well'),
  })
  .meta({ id: 'RotatedDestinationSecret' });

export const testResultSchema = z
  .strictObject({
    delivered: z.boolean().describe('Whether the receiver has confirmed the test entry'),
    detail: z.string().optional().describe('Why not'),
  })
  .meta({ id: 'AuditDestinationTest' });

export const rewindSchema = z
  .strictObject({ after: after.describe('Entries after this `seq` are sent (again); 0 is the beginning') })
  .meta({ id: 'AuditDestinationRewind' });

const callers = ['gateway', 'operator'] as const;
const errors = ['unknown_destination'] as const;
const id = uuid.describe('The destination');

export const createAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'create-audit-destination',
  callers,
  request: z.strictObject({
    destination: newDestinationSchema,
    shared: z
      .strictObject({
        id,
        secret: z.string().regex(/^whsec_[A-Za-z0-9+/=]{32,100}$/, 'must be a secret of Standard Webhooks'),
      })
      .optional()
      .describe('Of a destination of all organizations: the same on each shard'),
  }),
  reply: z.strictObject({ destination: createdDestinationSchema }),
  errors: ['limit_reached', 'invalid_request', 'unknown_organization'],
});
export const listAuditDestinations = query({
  service: 'signals',
  name: 'list-audit-destinations',
  callers,
  request: z.strictObject({}),
  reply: z
    .strictObject({ items: z.array(destinationSchema).describe('Newest first') })
    .meta({ id: 'AuditDestinations' }),
});
export const getAuditDestination = query({
  service: 'signals',
  name: 'get-audit-destination',
  callers,
  request: z.strictObject({ id }),
  reply: destinationSchema,
  errors,
});
export const updateAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'update-audit-destination',
  callers,
  request: z.strictObject({ id, changes: destinationChangesSchema }),
  reply: z.strictObject({ destination: destinationSchema, changed: z.boolean() }),
  errors: [...errors, 'invalid_request'],
});
export const rotateDestinationSecret = idempotentCommand({
  service: 'signals',
  name: 'rotate-destination-secret',
  callers,
  request: z.strictObject({ id }),
  reply: rotatedSecretSchema,
  errors: [...errors, 'invalid_state'],
});
export const pauseAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'pause-audit-destination',
  callers,
  request: z.strictObject({ id, paused: z.boolean() }),
  reply: z.strictObject({ destination: destinationSchema, changed: z.boolean() }),
  errors,
});
export const rewindAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'rewind-audit-destination',
  callers,
  request: z.strictObject({ id, after }),
  reply: z.strictObject({ destination: destinationSchema }),
  errors: [...errors, 'invalid_request'],
});
export const testAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'test-audit-destination',
  callers,
  request: z.strictObject({ id }),
  reply: testResultSchema,
  errors,
});
export const deleteAuditDestination = idempotentCommand({
  service: 'signals',
  name: 'delete-audit-destination',
  callers,
  request: z.strictObject({ id }),
  reply: z.strictObject({}),
  errors,
});
