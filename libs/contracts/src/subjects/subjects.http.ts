import { z } from 'zod';
import { clientIdParameter } from '../directory/apps-admin.js';
import { uuid } from '../fields.js';
import { http } from '../http/forwarded.js';
import { signInDiagnosisExample, subjectExample, subjectSummaryExample } from '../issuance/customer-examples.js';
import { eraseSubject } from '../issuance/offers.js';
import { diagnoseSignIn } from './sign-in-diagnosis.js';
import { getSubject, listSubjects } from './subjects.js';

const tag = 'Customer credentials';
const path = '/o/{shortId}/api/credentials/subjects';
const params = { subject: uuid.describe('The customer: `subject` of the offer') };

export const subjectEndpoints = [
  http(listSubjects, {
    id: 'listSubjects',
    method: 'GET',
    path,
    tag,
    summary: 'List subjects',
    description:
      'The customers that the calling app has made offers to, newest first. A person lists those of every app, or ' +
      'with `app` those of one.',
    operation: 'issued:read',
    action: 'subject.list',
    query: {
      claimed: z
        .enum(['true', 'false'])
        .optional()
        .describe('Only customers who have (true) or have not (false) claimed a credential'),
      app: clientIdParameter.optional().describe('Only customers of this app; an app lists its own in any case'),
    },
    request: ({ query: { claimed, app } }) => ({
      ...(claimed !== undefined && { claimed: claimed === 'true' }),
      ...(app !== undefined && { app }),
    }),
    response: 'A page of customers',
    page: 'SubjectPage',
    example: subjectSummaryExample,
    targets: () => [],
  }),
  http(getSubject, {
    id: 'getSubject',
    method: 'GET',
    path: `${path}/{subject}`,
    tag,
    summary: 'Get a subject',
    description: 'A customer with every credential issued to them. A person reads a customer of any app.',
    operation: 'issued:read',
    action: 'subject.read',
    params,
    response: 'The customer',
    example: subjectExample,
    targets: ({ params: { subject: id } }, outcome) => (outcome ? [{ type: 'customer', id, dataSubject: id }] : []),
  }),
  http(diagnoseSignIn, {
    id: 'diagnoseSignIn',
    method: 'GET',
    path: `${path}/{subject}/sign-in-diagnosis`,
    tag,
    summary: 'Find out why a subject cannot sign in',
    description:
      'Whether the customer can sign in and what to do if not: from the credentials, and from the last attempts in ' +
      'the audit log with their reasons. For people alone, since the attempts name other apps.',
    operation: 'customers:history',
    action: 'subject.diagnose',
    params,
    response: 'The state of the sign-in of the customer',
    example: signInDiagnosisExample,
    targets: ({ params: { subject: id } }, outcome) => (outcome ? [{ type: 'customer', id, dataSubject: id }] : []),
  }),
  http(eraseSubject, {
    id: 'eraseSubject',
    method: 'DELETE',
    path: `${path}/{subject}`,
    tag,
    summary: 'Erase a subject',
    description:
      'Erases the customer and everything issued to them. After the response, no read returns them any more. A ' +
      'repeat gets 404, or 204 again with the same Idempotency-Key.',
    operation: 'issued:manage',
    // Nothing brings the customer back.
    stepUp: true,
    action: 'subject.erase',
    params,
    status: 204,
    response: 'The customer is erased',
    targets: () => [],
  }),
];
