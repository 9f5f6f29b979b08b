import type { Operation } from '@holdfast/contracts';
import { AppGrantEntity, scopesOf, type AppEntity } from '../app.entity.js';
import type { AppChange } from '../apps.js';
import { requireGrantable } from './require-grantable.js';

/** Adds operations to an app; those that it holds already stay as they are. */
export function addGrants(app: AppEntity, operations: readonly Operation[]): void {
  const held = new Set(app.grants.map(({ operation }) => operation));
  const added = operations.filter((operation) => !held.has(operation));
  app.grants = [
    ...app.grants,
    ...added.map((operation) =>
      Object.assign(new AppGrantEntity(), { clientId: app.clientId, kind: app.kind, operation }),
    ),
  ];
}

/** @throws not_grantable */
export function grantTo(app: AppEntity, operations: readonly string[]): AppChange {
  const from = scopesOf(app);
  addGrants(app, requireGrantable(app.kind, operations));
  return { action: 'app.grant', changes: { scopes: { from, to: scopesOf(app) } }, takesOver: true };
}

/** Revokes every access token of the app, since each may hold the operation that was removed. */
export function ungrantFrom(app: AppEntity, operations: readonly string[]): AppChange {
  const from = scopesOf(app);
  app.grants = app.grants.filter(({ operation }) => !operations.includes(operation));
  return { action: 'app.ungrant', changes: { scopes: { from, to: scopesOf(app) } }, revokesTokens: true };
}
