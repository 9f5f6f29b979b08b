import { z } from 'zod';
import { query } from '../contract.js';
import { clientId, instant, pageLimit, uuid } from '../fields.js';
import { subjectSchema, subjectSummarySchema } from '../issuance/customers.js';

/** The sort key of a page's last row. The gateway encrypts it as the opaque page token. */
const subjectCursorSchema = z.strictObject({ createdAt: instant, subject: uuid });
export type SubjectCursor = z.infer<typeof subjectCursorSchema>;

export const listSubjects = query({
  service: 'subjects',
  name: 'list-subjects',
  callers: ['gateway'],
  request: z.strictObject({
    claimed: z.boolean().optional(),
    app: clientId.optional().describe('Of a person: only customers of this app'),
    limit: pageLimit,
    after: subjectCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(subjectSummarySchema), next: subjectCursorSchema.optional() }),
});

export const getSubject = query({
  service: 'subjects',
  name: 'get-subject',
  callers: ['gateway'],
  request: z.strictObject({ subject: uuid }),
  reply: subjectSchema,
  errors: ['unknown_subject'],
});
