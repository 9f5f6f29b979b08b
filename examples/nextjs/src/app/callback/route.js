import { UnavailableError } from '@holdfast/sdk';
import { SignInError } from '@holdfast/sdk/sign-in';
import { redirectTo, signIn } from '../../holdfast.js';
import { currentSession, endSession, startSession } from '../../sessions.js';

export async function GET(request) {
  const { pending, customer } = await currentSession();
  if (customer) return redirectTo('/');
  if (!pending) return redirectTo('/?problem=again');
  // For one attempt, whatever comes of it.
  await endSession();
  try {
    // Find the account under `issuer` and `subject`, or open one.
    await startSession({ customer: await signIn.finish(request.nextUrl.search, pending) });
    return redirectTo('/');
  } catch (error) {
    if (error instanceof UnavailableError) return redirectTo('/?problem=unavailable');
    if (!(error instanceof SignInError)) throw error;
    const problem = { access_denied: 'denied', login_required: 'left' }[error.code] ?? 'again';
    return redirectTo(`/?problem=${problem}`);
  }
}
