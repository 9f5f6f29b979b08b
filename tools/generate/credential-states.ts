import { built } from './built.ts';
import { page } from './markdown.ts';

export async function credentialStatesPage(): Promise<string> {
  const { diagram } = (await built('issuance', 'customer/transitions')) as { diagram: () => string };
  return page(
    'States of a credential',
    'apps/issuance/src/customer/transitions.ts',
    'What may happen to a credential, and under which condition. What has no arrow is refused with `invalid_state`, except for what is guarded by `revocable`: that is `not_revocable`.',
    ['```mermaid', diagram(), '```'].join('\n'),
    [
      '- The end of a credential or offer is derived from time and is no state: a credential past its end stays `issued` but is not live, an offer that ran out stays `offered` but cannot be claimed. `expire` says when everybody is told.',
      '- What the organization may do does not depend on the end: what has ended can be suspended, revoked and offered again. Only a renewal comes too late.',
      '- `withdraw` takes an offer back. With it ends a credential that nobody holds yet; one that is held stays as it is.',
      '- `rekey` is the claim of a further offer for a credential that is held already (recovery).',
      '- A suspension or revocation takes an open offer with it.',
      '- After a revocation, a further offer makes another credential.',
    ].join('\n'),
  );
}
