import { redirectTo, signIn } from '../../holdfast.js';
import { currentSession, startSession } from '../../sessions.js';

export async function GET() {
  if ((await currentSession()).customer) return redirectTo('/');
  const { url, pending } = await signIn.begin();
  await startSession({ pending });
  return redirectTo(url.href);
}
