import type { AppKind } from '@holdfast/contracts';
import { Client } from './client.ts';
import { stackUnderTest } from './config.ts';
import { Stack } from './stack.ts';

export const stack = new Stack(stackUnderTest());

export const customerScopes = ['offers:write', 'issued:read', 'issued:manage'];

/** A client of the demo. Others use it too: nothing may be disabled, and nothing counted. */
export function demoClient(org: string, name: string, scopes?: string[]): Client {
  return new Client(stack, stack.app(org, name), scopes);
}

export interface Wanted {
  grants?: string[];
  kind?: AppKind;
  redirectUris?: string[];
}

/** An organization with these apps and nobody else's. */
export async function newClients<Name extends string>(wanted: Record<Name, Wanted>): Promise<Record<Name, Client>> {
  const org = await stack.newOrganization();
  const made = Object.entries<Wanted>(wanted).map(
    async ([name, { grants = customerScopes, kind = 'web', redirectUris = [] }]) => {
      const app = await stack.newApp(org, name, grants, kind, redirectUris);
      return [name, new Client(stack, app, grants)] as const;
    },
  );
  return Object.fromEntries(await Promise.all(made)) as Record<Name, Client>;
}
