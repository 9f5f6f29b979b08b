import type { AppKind } from '@holdfast/contracts';
import { stackUnderTest } from '../stack/config.ts';
import { Stack } from '../stack/stack.ts';
import { Client } from './client.ts';

export const stack = new Stack(stackUnderTest());

export const customerScopes = ['offers:write', 'issued:read', 'issued:manage'];

/** A client of the demo. Other tests use it too, so a test must not disable it or count its customers. */
export function demoClient(org: string, name: string, scopes?: string[]): Client {
  return new Client(stack, stack.app(org, name), scopes);
}

export interface AppOptions {
  grants?: string[];
  kind?: AppKind;
  redirectUris?: string[];
}

/** Creates an organization with these apps. */
export async function newClients<Name extends string>(apps: Record<Name, AppOptions>): Promise<Record<Name, Client>> {
  const org = await stack.newOrganization();
  const clients = Object.entries<AppOptions>(apps).map(
    async ([name, { grants = customerScopes, kind = 'web', redirectUris = [] }]) => {
      const app = await stack.newApp(org, name, grants, kind, redirectUris);
      return [name, new Client(stack, app, grants)] as const;
    },
  );
  return Object.fromEntries(await Promise.all(clients)) as Record<Name, Client>;
}
