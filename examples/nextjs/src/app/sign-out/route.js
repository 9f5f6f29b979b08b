import { config } from '../../config.js';
import { isOfThisSite, redirectTo, signIn } from '../../holdfast.js';
import { currentSession, endSession } from '../../sessions.js';

export async function POST(request) {
  if (!isOfThisSite(request)) return new Response('Open this app, and press the button there.', { status: 403 });
  const { customer } = await currentSession();
  await endSession();
  if (!customer) return redirectTo('/');
  return redirectTo((await signIn.signOutUrl(customer.idToken, `${config.origin}/`)).href);
}
