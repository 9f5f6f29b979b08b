import type { Schemas } from '@holdfast/api-client';
import { api, change, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { customerQuery, reloadCustomer, type Credential } from './customer-queries.ts';

/** Suspends, resumes or revokes. The screen shows the new state at once, and the customer is read again. */
export async function changeCredential(
  subject: string,
  id: string,
  verb: 'suspend' | 'resume' | 'revoke',
  body: Schemas['Reason'] = {},
): Promise<Credential> {
  const changed = await change({ [verb]: id, ...body }, (header) =>
    api.POST(`/o/{shortId}/api/credentials/issued/{id}/${verb}`, { params: { path: { ...path, id }, header }, body }),
  );
  queryClient.setQueryData(
    customerQuery(subject).queryKey,
    (known) => known && { ...known, credentials: known.credentials.map((c) => (c.id === id ? changed : c)) },
  );
  await reloadCustomer(subject);
  return changed;
}
