import { VerificationError } from '@holdfast/sdk';
import { tokens } from '../../holdfast.js';
import { endSessions } from '../../sessions.js';

/** Holdfast reports ended sessions here: 200 when they have ended, 400 for a wrong token. After others it repeats. */
export async function POST(request) {
  try {
    const token = new URLSearchParams(await request.text()).get('logout_token') ?? '';
    endSessions(await tokens.logoutToken(token));
    return new Response(null, { status: 200 });
  } catch (error) {
    return new Response(null, { status: error instanceof VerificationError ? 400 : 503 });
  }
}
