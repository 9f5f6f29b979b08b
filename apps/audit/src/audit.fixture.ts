import { randomBytes } from 'node:crypto';
import { migrate, type Database } from '@holdfast/data';
import { createTestDatabase, newTestFolder, testConfig, type TestBus, type TestDatabase } from '@holdfast/testing';
import type { AuditConfig } from './config.js';
import { Names } from './entries/names.js';
import { Opened } from './entries/opened.js';
import { migrations } from './migrations/index.js';

export function auditKeys(): Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'AUDIT_SIGNING_KEYS' | 'CHECKPOINT_DIR'> {
  return { KEY_ENCRYPTION_KEY: randomBytes(32), AUDIT_SIGNING_KEYS: [randomBytes(32)], CHECKPOINT_DIR: newTestFolder('checkpoints') };
}

export function auditConfig(nats: TestBus, tables: TestDatabase, keys = auditKeys()): AuditConfig {
  return { ...testConfig(nats, 'audit'), ...keys, DATABASE_URL: tables.url(), DATABASE_POOL: 4 };
}

export function auditDatabase(): Promise<TestDatabase> {
  return createTestDatabase('audit', (url) => migrate('audit', url, migrations));
}

export function openedBy(database: Database, keys = auditKeys()): Opened {
  return new Opened(database, new Names(database), keys);
}
