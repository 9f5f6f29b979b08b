import type { ErrorCode } from '../errors.js';
import { uuid } from '../fields.js';
import { endsRights, type Endpoint } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { getIssued, reasonSchema, resumeCredential, revokeCredential, suspendCredential } from './credentials.js';
import { credentialExample } from './customer-examples.js';
import { targetsOf, targetsOfRepeat } from './customer-targets.js';
import { credentialSchema, type Credential } from './customers.js';

const tag = 'Customer credentials';
const path = '/o/{shortId}/api/credentials/issued/{id}';
const params = { id: uuid.describe('The credential: `credentialId` of an offer, or `id` of a credential') };

const transition = (
  verb: 'suspend' | 'resume' | 'revoke',
  contract: typeof suspendCredential,
  declared: {
    summary: string;
    description: string;
    without?: ErrorCode[];
    example: Credential;
  } & Pick<Endpoint, 'personOperation' | 'stepUp' | 'noStepUp'>,
) =>
  http(contract, {
    ...declared,
    id: `${verb}Credential`,
    method: 'POST',
    path: `${path}/${verb}`,
    tag,
    description: `${declared.description} The body may be left out.`,
    operation: 'issued:manage',
    action: `credential.${verb}`,
    params,
    body: reasonSchema,
    bodies: {
      plain: { summary: 'Without a reason', value: {} },
      because: { summary: 'With a reason', value: { reason: 'lost_device' } },
    },
    response: 'The credential as it is now',
    schema: credentialSchema,
    targets: ({ params: { id } }, outcome) => targetsOfRepeat('credential', id, outcome),
  });

export const credentialEndpoints = [
  http(getIssued, {
    id: 'getIssued',
    method: 'GET',
    path,
    tag,
    summary: 'Get a credential',
    description:
      'A credential of one of the customers that the calling app has made offers to; for a person, of any customer.',
    operation: 'issued:read',
    action: 'credential.read',
    params,
    response: 'The credential',
    example: credentialExample,
    targets: ({ params: { id } }, outcome) => (outcome ? targetsOf('credential', id, outcome.reply.holderId) : []),
  }),
  transition('suspend', suspendCredential, {
    personOperation: 'customers:support',
    noStepUp: endsRights,
    summary: 'Suspend a credential',
    description:
      'The customer cannot sign in until the credential is resumed. Their sessions are revoked, and an open offer of ' +
      'the credential is withdrawn.',
    example: { ...credentialExample, status: 'suspended' },
  }),
  transition('resume', resumeCredential, {
    personOperation: 'customers:support',
    stepUp: true,
    summary: 'Resume a credential',
    description: 'The customer can sign in again. Revoked sessions and withdrawn offers are not restored.',
    without: ['not_revocable'],
    example: credentialExample,
  }),
  transition('revoke', revokeCredential, {
    noStepUp: endsRights,
    summary: 'Revoke a credential',
    description:
      'Final: a further offer to the customer creates another credential. An unclaimed credential can always be ' +
      'revoked, and its offer is withdrawn with it.',
    example: {
      ...credentialExample,
      status: 'revoked',
      revokedAt: '2026-12-03T08:15:00.000Z',
      revokedReason: 'lost_device',
    },
  }),
];
