import { built } from './built.ts';
import { page } from './markdown.ts';

export async function credentialStatesPage(): Promise<string> {
  const { diagram } = (await built('issuance', 'customer/transitions')) as { diagram: () => string };
  return page(
    'States of a credential',
    'apps/issuance/src/customer/transitions.ts',
    'The state transitions of a credential and their conditions. A transition without an arrow fails with ' +
      '`invalid_state`; one whose condition `revocable` is not met fails with `not_revocable`.',
    ['```mermaid', diagram(), '```'].join('\n'),
    [
      '- Expiration is no state, but follows from time: an expired credential stays `issued` but is not live, and an ' +
        'expired offer stays `offered` but cannot be claimed. `expire` is the moment at which the expiration is ' +
        'emitted as an event.',
      '- Organizations can suspend, revoke and offer again a credential that has expired. Only a renewal is too late.',
      '- `withdraw` closes an open offer. A credential that was never claimed ends with it; a claimed ' +
        'one stays as it is.',
      '- `rekey` is the claim of a further offer for a credential that was claimed before (recovery).',
      '- A suspension or revocation closes an open offer.',
      '- After a revocation, a further offer creates another credential.',
    ].join('\n'),
  );
}
