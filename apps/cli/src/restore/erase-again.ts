import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { CommandError } from '../command-error.js';
import type { OwnerConnection } from '../config.js';
import { asOwner } from '../database-owner.js';
import { connectedServices } from './connected-services.js';
import { erasingServices, importLedger, ledgerOf, type Erased } from './erasure-ledger.js';
import { restoreSteps } from './restore-steps.js';

/** A connection to a database, and the services whose tables it has. */
interface Connected {
  client: pg.Client;
  services: readonly ServiceName[];
}

export interface ErasedAgain {
  /** Customers and people of the ledger of whom a backup has brought anything back. */
  erasedAgain: number;
  /** Other entries of the ledger. Those of organizations are among them. */
  alreadyErased: number;
  /** Rows by what they are. */
  steps: { what: string; rows: number }[];
}

/** An erasure may concern many rows. */
const timeoutMs = 3_600_000;

/**
 * Imports the ledger and runs the steps, in one transaction for each database. They are committed only when all have
 * succeeded. Those of customers and people come last: who is to be erased follows from them, so that the command may be
 * repeated when a commit has failed.
 */
export async function eraseAgain(owners: OwnerConnection[], erased: Erased[], dryRun: boolean): Promise<ErasedAgain> {
  return connected(owners, async (databases) => {
    for (const { client } of databases) {
      await requireNoService(client);
      await client.query(`SET statement_timeout = ${timeoutMs}`);
      await client.query('BEGIN');
    }
    for (const service of erasingServices) await importLedger(clientOf(databases, service), service, erased);
    const counts = await provideLists(databases);
    const steps: ErasedAgain['steps'] = [];
    for (const { service, what, sql } of restoreSteps)
      steps.push({ what, rows: (await clientOf(databases, service).query(sql)).rowCount ?? 0 });
    // A service that has started meanwhile has read rows that are gone now.
    for (const { client } of databases) await requireNoService(client);
    const decides = ({ services }: Connected) => erasingServices.some((service) => services.includes(service));
    for (const { client } of databases.toSorted((a, b) => Number(decides(a)) - Number(decides(b))))
      await client.query(dryRun ? 'ROLLBACK' : 'COMMIT');
    return { ...counts, steps };
  });
}

/** Creates the tables that the steps use: the hashes of the ledger, and whom the backup has brought back. */
async function provideLists(databases: Connected[]): Promise<Omit<ErasedAgain, 'steps'>> {
  const ledgers = await Promise.all(erasingServices.map((service) => ledgerOf(clientOf(databases, service), service)));
  const hashes = [...new Set(ledgers.flat().map(({ hash }) => hash))];
  for (const { client } of databases) {
    await client.query('CREATE TEMP TABLE ledger (hash bytea PRIMARY KEY) ON COMMIT DROP');
    await client.query(`INSERT INTO ledger SELECT decode(hash, 'hex') FROM unnest($1::text[]) AS l (hash)`, [hashes]);
  }
  const gone = await Promise.all(
    (['issuance.subject', 'directory.person'] as const).map(async (table) => {
      const service = table === 'issuance.subject' ? 'issuance' : 'directory';
      const { rows } = await clientOf(databases, service).query<{ org: string; id: string }>(
        `SELECT org, id FROM ${table}
         WHERE sha256(convert_to(org || '/' || id, 'UTF8')) IN (SELECT hash FROM ledger)`,
      );
      return rows;
    }),
  );
  const rows = gone.flat();
  for (const { client } of databases) {
    await client.query('CREATE TEMP TABLE gone (org text, id uuid) ON COMMIT DROP');
    await client.query('INSERT INTO gone SELECT * FROM unnest($1::text[], $2::uuid[])', [
      rows.map(({ org }) => org),
      rows.map(({ id }) => id),
    ]);
  }
  // A read model from an earlier backup than that of issuance still has a customer whom issuance has not.
  const read = await clientOf(databases, 'subjects').query<{ hash: string }>(
    `SELECT encode(key, 'hex') AS hash FROM subjects.subject
     WHERE key IN (SELECT hash FROM ledger) AND erased_at IS NULL`,
  );
  const again = new Set(read.rows.map(({ hash }) => hash));
  for (const { org, id } of rows) again.add(customerKey(org, id).toString('hex'));
  return { erasedAgain: again.size, alreadyErased: hashes.length - again.size };
}

function clientOf(databases: Connected[], service: ServiceName): pg.Client {
  return databases.find(({ services }) => services.includes(service))!.client;
}

/** Connects to all databases for the time of `work`. */
function connected<T>(owners: OwnerConnection[], work: (databases: Connected[]) => Promise<T>): Promise<T> {
  const next = ([owner, ...rest]: OwnerConnection[], opened: Connected[]): Promise<T> =>
    owner
      ? asOwner(owner, 'The restore', (client) => next(rest, [...opened, { client, services: owner.services }]))
      : work(opened);
  return next(owners, []);
}

/** @throws CommandError that names the services which are connected */
async function requireNoService(client: pg.Client): Promise<void> {
  const connected = await connectedServices(client);
  if (connected.length === 0) return;
  throw new CommandError(
    `These services are connected: ${connected.join(', ')}. They would bring back what is erased: ` +
      'stop all of them, and run the command again.',
  );
}
