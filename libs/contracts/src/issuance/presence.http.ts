import { http } from '../http/forwarded.js';
import { getPresencePolicy, setPresencePolicy, type PresencePolicy } from './presence.js';

const tag = 'Admin API: organization';
const path = '/o/{shortId}/api/admin/presence';
const operation = 'organization:manage';
const example: PresencePolicy = { policy: 'required', turnstile: false };

export const presencePolicyEndpoints = [
  http(getPresencePolicy, {
    id: 'getPresencePolicy',
    method: 'GET',
    path,
    tag,
    summary: 'Get the policy of proof of presence',
    description: 'Whether offers of apps need a proof that a person was present on the sign-up form.',
    operation,
    action: 'presence.read',
    response: 'The policy',
    example,
    targets: () => [],
  }),
  http(setPresencePolicy, {
    id: 'setPresencePolicy',
    method: 'PATCH',
    path,
    tag,
    summary: 'Change the policy of proof of presence',
    description: 'The secret of Turnstile is stored encrypted, and no response has it.',
    operation,
    stepUp: true,
    repeatIsSafe: 'the same values are set again',
    action: 'presence.configure',
    body: setPresencePolicy.request.meta({ id: 'PresencePolicyPatch' }),
    bodies: { required: { summary: 'Require a proof', value: { policy: 'required' } } },
    response: 'The policy as it is now',
    example,
    targets: () => [],
  }),
];
