import { hubPath } from './organization.ts';
import { queryClient } from './query-client.ts';

/** Ends the session of this browser, with the drafts of forms, and leads to the sign-in. */
export async function signOut(): Promise<void> {
  await fetch(`${hubPath}/sign-out`, { method: 'POST' }).catch(() => undefined);
  queryClient.clear();
  sessionStorage.clear();
  location.assign(hubPath);
}
