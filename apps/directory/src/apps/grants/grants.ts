import type { Operation } from '@holdfast/contracts';
import { AppGrantEntity, type AppEntity } from '../app.entity.js';

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

export function removeGrants(app: AppEntity, operations: readonly string[]): void {
  app.grants = app.grants.filter(({ operation }) => !operations.includes(operation));
}
