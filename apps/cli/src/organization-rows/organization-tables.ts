import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';

/** A table with rows of the organization `$1`. */
export interface OrganizationTable {
  /** With its schema. */
  name: string;
  /** Which rows `t` are the organization's. */
  where: string;
  /** Whether it has the column `org`, by which a fence recognizes the organization. */
  hasOrg: boolean;
}

/** A table whose rows name no organization, such as hashes of erased customers: the target gets those of all. */
export interface MergedTable {
  name: string;
  where: string;
  /** Its primary key. */
  key: string[];
  onConflict: string;
}

export interface OrganizationTables {
  /** Those that others refer to come first. */
  moved: OrganizationTable[];
  merged: MergedTable[];
}

type MergeRule = Pick<MergedTable, 'where' | 'onConflict'>;

const newerVersion = `DO UPDATE SET version = greatest(t.version, excluded.version),
  erased_at = coalesce(t.erased_at, excluded.erased_at)`;

/**
 * Tables without a column of the organization and without a foreign key that leads to one. Every other table is found
 * in the catalogue. A new table that is neither is an error, and fails organization-tables.int.spec.ts.
 */
const merged: Partial<Record<ServiceName, Record<string, MergeRule>>> = {
  // Hashes of erased customers and people, so that late events and records restore nothing.
  issuance: { erased: { where: 'true', onConflict: 'DO NOTHING' } },
  subjects: { subject: { where: 't.org IS NULL', onConflict: 'DO NOTHING' } },
  audit: { erased: { where: 'true', onConflict: 'DO NOTHING' } },
  // Versions by the hash of a customer, app or person.
  signals: { aggregate: { where: 'true', onConflict: newerVersion } },
  directory: { erased: { where: 'true', onConflict: 'DO NOTHING' } },
  // Revocations by the hash of a customer or credential. They outlive the sessions that they end.
  auth: { session_revocation: { where: 'true', onConflict: 'DO NOTHING' } },
};

/** Tables whose rows name the organization in another column. */
const named: Partial<Record<ServiceName, Record<string, string>>> = {
  directory: { organization: 't.short_id = $1' },
  auth: { signing_key: "t.issuer = 'o/' || $1" },
};

/** Tables that belong to the shard or the deployment, and why a copy of an organization does not need them. */
const staying: Readonly<Record<string, string>> = {
  migrations: 'each shard has its own',
  organization_fence: 'it says who is refused here',
  named_lock: 'locks of jobs',
  key_use: 'which keys the replicas of the shard use',
  encryption_key: 'which keys the replicas of the shard were started with',
  publisher_lease: 'which replica of the shard publishes',
  outbox: 'it is drained before',
  quarantined_event: 'of events in the outbox',
  access_change: 'what every process has read within seconds; deleted by age',
};

interface CatalogTable {
  name: string;
  columns: string[];
  nullableOrg: boolean;
  key: string[];
  references: { column: string; table: string; parentColumn: string }[];
}

const catalog = `
  SELECT c.relname AS name,
    (SELECT array_agg(attname::text || ' ' || format_type(atttypid, atttypmod) ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'org' AND NOT attnotnull) AS "nullableOrg",
    coalesce((SELECT array_agg(a.attname::text) FROM pg_constraint k
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
     WHERE k.conrelid = c.oid AND k.contype = 'p'), '{}') AS key,
    coalesce((SELECT json_agg(json_build_object('column', a.attname, 'table', p.relname, 'parentColumn', pa.attname))
      FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
      JOIN pg_attribute pa ON pa.attrelid = p.oid AND pa.attnum = k.confkey[1]
     WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0), '[]') AS references
  FROM pg_class c
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname`;

/** Finds the tables of a service that have rows of an organization. @throws CommandError when a table is unknown */
export async function organizationTables(client: pg.ClientBase, service: ServiceName): Promise<OrganizationTables> {
  const { rows } = await client.query<CatalogTable>(catalog, [service]);
  const byName = new Map(rows.map((table) => [table.name, table]));
  const moved = new Map<string, OrganizationTable>();
  const rules = merged[service] ?? {};
  const add = (table: CatalogTable): OrganizationTable | undefined => {
    const found = moved.get(table.name);
    if (found) return found;
    const name = `${service}.${table.name}`;
    const hasOrg = table.columns.some((column) => column.startsWith('org '));
    const { references } = table;
    const parents = references
      .filter((reference) => reference.table !== table.name)
      .map((reference) => ({ ...reference, parent: add(byName.get(reference.table)!) }));
    const owner = parents.find(({ parent }) => parent);
    const where = hasOrg
      ? 't.org = $1'
      : (named[service]?.[table.name] ??
        (owner &&
          `t.${owner.column} IN
           (SELECT t.${owner.parentColumn} FROM ${owner.parent!.name} t WHERE ${owner.parent!.where})`));
    if (where === undefined) return undefined;
    const result = { name, where, hasOrg };
    moved.set(table.name, result);
    return result;
  };
  for (const table of rows) {
    if (table.name in staying || add(table) || table.name in rules) continue;
    throw new CommandError(
      `The table ${service}.${table.name} has no column "org" and no foreign key to a table with one, so it is ` +
        'unknown whether an organization that moves needs its rows. Use the command line of the version that has ' +
        'migrated the database.',
    );
  }
  return {
    moved: [...moved.values()],
    merged: Object.entries(rules).map(([name, rule]) => ({
      name: `${service}.${name}`,
      key: byName.get(name)!.key,
      ...rule,
    })),
  };
}

/** Rows of no organization in a table whose rows should have one, such as those of a version without the column. */
export async function requireOwned(client: pg.ClientBase, service: ServiceName): Promise<void> {
  const { rows } = await client.query<CatalogTable>(catalog, [service]);
  for (const { name, nullableOrg } of rows) {
    if (!nullableOrg || name in (merged[service] ?? {}) || name in staying) continue;
    const { rows: found } = await client.query(`SELECT FROM ${service}.${name} WHERE org IS NULL LIMIT 1`);
    if (found.length > 0)
      throw new CommandError(
        `${service}.${name} has rows without an organization, which a version before this one has stored. They are ` +
          'deleted within a day after the last service of that version has stopped. Try again then. Nothing was ' +
          'changed.',
      );
  }
}

/** The columns of every table, to compare two databases. */
export async function columnsOf(client: pg.ClientBase, service: ServiceName): Promise<Record<string, string[]>> {
  const { rows } = await client.query<CatalogTable>(catalog, [service]);
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
}
