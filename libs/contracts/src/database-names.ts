import { serviceNames, services, type ServiceName } from './services.js';

/**
 * The schema of read-your-writes watermarks, the only one that two services share: see
 * docs/adr/0004-read-your-writes.md.
 */
export const watermarksSchema = 'watermarks';

/**
 * An empty table that is locked while a service's tables are migrated. No service's role has a right to it, so none can
 * hold it.
 */
export function migrationLock(service: ServiceName): string {
  return `${watermarksSchema}.migration_lock_${service}`;
}

/** Services with a database: each one's schema has its name. */
export const databaseServices = serviceNames.filter((s) => services[s].database);

/** The role with which a service connects. It owns nothing and sees only its own schema. */
export function databaseRole(service: ServiceName): string {
  return `holdfast_${service}`;
}
