import { config } from '../../config.js';
import { holdfast, isOfThisSite, redirectTo } from '../../holdfast.js';

/**
 * A real form asks for an e-mail address, stores `subject` with the account, and sends the link there: who has it can
 * claim the credential.
 */
export async function POST(request) {
  if (!isOfThisSite(request)) return new Response('Open this app, and press the button there.', { status: 403 });
  const { claimUrl } = await holdfast.createOffer({ body: { returnUrl: `${config.origin}/` } });
  return redirectTo(claimUrl);
}
