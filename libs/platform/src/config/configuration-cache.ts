import { LRUCache } from 'lru-cache';

/** Below a second, so that a change of configuration takes effect everywhere within one (product §4). */
const ttlMs = 900;
const maxEntries = 10_000;

/**
 * A cache of configuration that another service or the database owns: organizations, apps, credential types, policies.
 * Cache only what exists, so that random ids cannot flood it.
 */
export class ConfigurationCache<Value extends object> extends LRUCache<string, Value> {
  constructor() {
    super({ max: maxEntries, ttl: ttlMs });
  }
}
