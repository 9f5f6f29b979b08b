import type { AuditTarget } from '../audit/audit-record.js';
import { http } from '../http/forwarded.js';
import { adminChangeRpId, adminEndRpIdMove, adminGetRpId } from './rp-id-admin.js';

const path = '/o/{shortId}/api/admin/rp-id';
const tag = 'Admin API: organization';
const operation = 'organization:manage';

const targets = ({ params: { shortId } }: { params: { shortId: string } }): AuditTarget[] => [
  { type: 'organization', id: shortId },
];

const during = { rpId: 'acme.example', ofDeployment: false, earlier: 'id.example' };
const after = { rpId: 'acme.example', ofDeployment: false };

export const rpIdEndpoints = [
  http(adminGetRpId, {
    id: 'getRpId',
    method: 'GET',
    path,
    tag,
    summary: 'Get the RP ID',
    description: 'The domain of the passkeys, and how many passkeys a change of it affects.',
    operation,
    action: 'passkey.count',
    response: 'The RP ID',
    example: {
      ...during,
      passkeys: [
        { rpId: 'acme.example', customers: 120, people: 2 },
        { rpId: 'id.example', customers: 4711, people: 3 },
      ],
    },
    targets,
  }),
  http(adminChangeRpId, {
    id: 'changeRpId',
    method: 'PATCH',
    path,
    tag,
    summary: 'Begin to move to another RP ID',
    description:
      'New passkeys are created for it within a second, and passkeys of the earlier one sign in until the move is ' +
      'ended. A domain that does not contain the host of the pages must list their origin (WebAuthn Level 3 §5.11); ' +
      'Holdfast checks that, and refuses any other.',
    operation,
    stepUp: true,
    action: 'organization.update',
    body: adminChangeRpId.request.pick({ rpId: true }).meta({ id: 'RpIdPatch' }),
    bodies: { own: { summary: 'A domain of their own', value: { rpId: 'acme.example' } } },
    response: 'The RP ID after the change',
    member: 'rpId',
    example: during,
    targets,
  }),
  http(adminEndRpIdMove, {
    id: 'endRpIdMove',
    method: 'DELETE',
    path: `${path}/earlier`,
    tag,
    summary: 'End the move from the earlier RP ID',
    description:
      'From then on passkeys of the earlier RP ID are unknown: customers who have no other need a recovery offer, ' +
      'people a new link. Refused while no active owner has a passkey of the new RP ID.',
    operation,
    stepUp: true,
    action: 'organization.update',
    response: 'The RP ID after the move',
    member: 'rpId',
    example: after,
    targets,
  }),
];
