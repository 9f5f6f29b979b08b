import type { Schemas } from '@holdfast/api-client';
import { grantable, isProgram } from '@holdfast/contracts';
import { api, change, path } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { draftOf } from '../parts/draft.ts';
import { newSecretKey } from './app-queries.ts';

export const newAppKinds = ['web', 'spa', 'native', 'service'] as const;

/** The form, as it was typed. */
export interface NewAppValues {
  kind: (typeof newAppKinds)[number];
  name: string;
  displayName: string;
  /** One a line. */
  redirectUris: string;
  postLogoutRedirectUris: string;
  /** Of a native app. */
  deviceAuthorization: boolean;
  operations: string[];
}

const emptyValues: NewAppValues = {
  kind: 'web',
  name: '',
  displayName: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  deviceAuthorization: false,
  operations: [],
};

export const newAppDraft = () => draftOf(sessionStorage, 'new-app', emptyValues);

/** The body of the request that creates the app. */
export function bodyOf(values: NewAppValues): Schemas['NewApp'] {
  const { kind, name, displayName } = values;
  if (isProgram(kind)) return { kind, name: name.trim() };
  return {
    kind,
    name: name.trim(),
    ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
    redirectUris: linesOf(values.redirectUris),
    postLogoutRedirectUris: linesOf(values.postLogoutRedirectUris),
    ...(kind === 'native' && values.deviceAuthorization && { deviceAuthorization: true }),
  };
}

/** The chosen operations, without those that an app of the chosen kind cannot hold. */
export function operationsOf({ kind, operations }: NewAppValues): string[] {
  const possible = grantable(kind);
  return operations.filter((operation) => possible.some((other) => other === operation));
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

interface Created {
  clientId: string;
  /** Why it has no operations although some were chosen. */
  notGranted?: Problem;
}

/** Creates the app, then grants the operations: two requests of the API, each with its entry in the audit log. */
export async function createApp(values: NewAppValues): Promise<Created> {
  const body = bodyOf(values);
  const { clientId, secret } = await change({ create: body }, (header) =>
    api.POST('/o/{shortId}/api/admin/apps', { params: { path, header }, body }),
  );
  if (secret) queryClient.setQueryData(newSecretKey(clientId), secret.clientSecret);
  const operations = operationsOf(values);
  if (operations.length === 0) return { clientId };
  try {
    await change({ grant: operations, clientId }, (header) =>
      api.POST('/o/{shortId}/api/admin/apps/{clientId}/grants', {
        params: { path: { ...path, clientId }, header },
        body: { operations },
      }),
    );
    return { clientId };
  } catch (error) {
    // The app exists, and its secret is shown only now: the way leads to the app, not back to the form.
    return { clientId, notGranted: error instanceof Problem ? error : new Problem('unexpected', String(error)) };
  }
}
