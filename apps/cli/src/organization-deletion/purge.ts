import { deleteOrganization, listOrganizations, type Organization } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import type { OperatorSession } from '../operator-session.js';
import { exportOrganization } from '../organization-files/export.js';
import type { ShardConnections } from '../organization-rows/connections.js';
import { deleteEverywhere, fenceDeleted, hasBegunDeletion } from '../organization-rows/delete-everywhere.js';
import { drain } from '../organization-rows/drain.js';
import { fenceOf } from '../organization-rows/fences.js';
import { writeSealedLog, type SealedLog } from './sealed-log.js';

/** The steps in their order. The command may be killed in each, and continues when it is run again. */
export type PurgeStep = 'begin' | 'log' | 'fence' | 'export' | 'delete';

export interface PurgeOptions {
  org: string;
  /** Where its log is written. */
  folder: string;
  session: OperatorSession;
  /** How long events may take to be applied, and the log to be signed. */
  timeoutMs: number;
  /** Of each shard: an organization that has moved may have left rows behind. */
  shards: Readonly<Record<string, ShardConnections>>;
  /** Of auth and directory. */
  common: ShardConnections;
  onStep: (step: PurgeStep, detail: string) => void;
  /** Whether all rows are written to the folder too, before they are deleted. */
  exportsRows: boolean;
}

export interface Purged {
  /** Undefined when an earlier run has written it. */
  log: SealedLog | undefined;
  rows: number;
}

/**
 * Deletes everything that an organization has, after its log was written and verified
 * (docs/adr/0094-organization-deletion.md). Directory's row goes last: until then the command finds the organization
 * again, and `org list` shows it.
 * @throws CommandError
 */
export async function purge(options: PurgeOptions): Promise<Purged> {
  const { org, folder, session, shards, common, onStep, exportsRows } = options;
  const organization = (await session.request(listOrganizations, {})).items.find(({ shortId }) => shortId === org);
  if (!organization) throw new CommandError(`There is no organization "${org}". List them: holdfast org list`);
  const own = shards[organization.shard];
  if (!own) throw new CommandError(`Set SHARD_DATABASE_URLS: ${org} is on the shard ${organization.shard}.`);
  // Of an earlier run: its log is complete, and no service serves it any more.
  const isFenced = (await fenceOf(own.audit!, 'audit', org)) === 'deleted';
  if (exportsRows && (await hasBegunDeletion(own, org)))
    throw new CommandError(
      `An earlier run has begun to delete rows of ${org}, so it can no longer be exported. Run the command again ` +
        'without --export.',
    );
  const log = isFenced ? undefined : await sealLog(options, organization, own);
  await fenceDeleted(org, own, Object.values(shards));
  onStep('fence', 'no service can write a row of it any more');
  if (exportsRows) {
    const exported = await exportOrganization(org, organization.shard, folder, { ...own, ...common });
    onStep('export', `${exported} rows are in ${folder}`);
  }
  const rows = await deleteEverywhere(org, [...Object.values(shards), common]);
  onStep('delete', `${rows} rows`);
  return { log, rows };
}

async function sealLog(
  { org, folder, session, timeoutMs, onStep }: PurgeOptions,
  { deleting }: Organization,
  own: ShardConnections,
): Promise<SealedLog> {
  if (!deleting) await session.request(deleteOrganization, { step: 'begin', shortId: org }, org);
  onStep('begin', 'it cannot be resumed any more');
  await drain(session, org, own, timeoutMs);
  const { rows } = await own.audit!.query<{ seq: string }>('SELECT seq FROM audit.head WHERE org = $1', [org]);
  const log = await writeSealedLog(session, org, folder, Number(rows[0]?.seq ?? 0), timeoutMs);
  onStep('log', `${log.entries} entries are in ${folder}, and verify`);
  return log;
}
