import { serviceNames, services, type ServiceName } from './services.js';

/**
 * The schema of read-your-writes watermarks, in the database of the read model. It is the only one that services share
 * (docs/adr/0004-read-your-writes.md).
 */
export const watermarksSchema = 'watermarks';

/**
 * An empty table that is locked during migrations of a service. No service's role has rights to it, so none can block a
 * migration.
 */
export function migrationLock(service: ServiceName): string {
  return `${watermarksSchema}.migration_lock_${service}`;
}

/** Services with a database. Each has a schema of its name. */
export const databaseServices = serviceNames.filter((s) => services[s].database);

/** The role of a service. It owns nothing and can access its own schema only. */
export function databaseRole(service: ServiceName): string {
  return `holdfast_${service}`;
}
