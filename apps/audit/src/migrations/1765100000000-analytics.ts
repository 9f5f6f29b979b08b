import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropPartitions, dropPartitionsUncounted } from './partition-functions.js';

const replacing = (definition: string): string => definition.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');

/** Roll-ups of the log (docs/adr/0062-analytics.md). They name customers by pseudonyms only, as the log does. */
export class Analytics1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...tables, replacing(dropPartitions)]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(replacing(dropPartitionsUncounted));
    for (const table of ['cursor', 'count', 'sketch', 'credential'])
      await runner.query(`DROP TABLE analytics_${table}`);
  }
}

const tables = [
  // Up to which entry a log has been counted. Locked while a batch is counted. latest: of the counted entries.
  `CREATE TABLE analytics_cursor (
     org text PRIMARY KEY,
     seq bigint NOT NULL DEFAULT 0,
     latest timestamptz(3))`,
  // Per quarter of an hour, hour and day of UTC. part: reason of a denial, state of a credential, or class of a
  // duration.
  `CREATE TABLE analytics_count (
     org text NOT NULL,
     metric text NOT NULL,
     minutes smallint NOT NULL,
     at timestamptz(0) NOT NULL,
     app text NOT NULL,
     credential_type text NOT NULL,
     part text NOT NULL,
     count bigint NOT NULL,
     PRIMARY KEY (org, metric, minutes, at, app, credential_type, part))`,
  `CREATE TABLE analytics_sketch (
     org text NOT NULL,
     minutes smallint NOT NULL,
     at timestamptz(0) NOT NULL,
     sketch bytea NOT NULL,
     PRIMARY KEY (org, minutes, at))`,
  // What counting needs to know of earlier entries. Rows of a customer are deleted when their erasure is counted.
  `CREATE TABLE analytics_credential (
     org text NOT NULL,
     credential text NOT NULL,
     customer text NOT NULL,
     app text NOT NULL,
     credential_type text NOT NULL,
     status text NOT NULL,
     expired boolean NOT NULL,
     offer text,
     offered_at timestamptz(3),
     PRIMARY KEY (org, credential))`,
  'CREATE INDEX analytics_credential_customer ON analytics_credential (org, customer)',
];
