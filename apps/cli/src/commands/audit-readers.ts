import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createUser } from '@nats-io/nkeys';
import type { Command } from 'commander';
import {
  allOrganizations,
  createAuditReader,
  deleteAuditReader,
  entryStream,
  entrySubjects,
  listAuditReaders,
  readerDomain,
  readerInboxPrefix,
  rewindAuditReader,
  type AuditReader,
} from '@holdfast/contracts';
import { withAuditReader } from '@holdfast/platform-policy';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';
import { secretStore, type SecretTarget } from '../secrets/secret-store.js';
import { owned, ownerOf, requestOfOwner, seq, type Owner } from './log-owner.js';

const reload =
  'Then give nats-server the users again: "holdfast bus users" prints or stores them; in a local stack ' +
  '"npm run holdfast -- service reload nats".';

/** `holdfast audit reader …`, below the commands about audit logs. */
export function auditReaderCommands(audit: Command): void {
  const reader = audit
    .command('reader')
    .description('programs that read the stream of entries on NATS, each with a user that may do nothing else');

  stored(
    owned(reader, 'create', 'create a reader with its NATS user; its NKey is shown once', [
      'audit reader create --org acme --folder /etc/holdfast/secrets --seed-file siem.nk',
      'audit reader create --all --folder /etc/holdfast/secrets',
    ]),
  )
    .option('--after <seq>', 'begin after this entry; 0 with --all: with everything that the stream holds', seq)
    .option('--seed-file <file>', 'write the seed of the NKey to this new file, which only you can read')
    .action(({ json, org, all, after, seedFile, ...target }: CreateOptions) =>
      asOperator('audit reader create', async (session) => {
        const owner = ownerOf({ org, all });
        const [key, id] = [createUser(), `reader-${randomBytes(8).toString('hex')}`];
        const [seed, publicKey] = [new TextDecoder().decode(key.getSeed()), key.getPublicKey()];
        // Both before the request: a reader without its seed is of no use.
        const store = hasTarget(target) ? await secretStore(target) : undefined;
        if (seedFile !== undefined) await writeSeed(seedFile, seed);
        const request = { id, publicKey, ...(after !== undefined && { after }) };
        await requestOfOwner(session, owner, createAuditReader, request);
        await store?.change((secrets) => withAuditReader(secrets, id, publicKey));
        const created = {
          id,
          stream: entryStream.name,
          consumer: id,
          subject: entrySubjects(org ?? allOrganizations),
          domain: readerDomain,
          inboxPrefix: readerInboxPrefix(id),
          publicKey,
          ...(seedFile === undefined ? { seed } : { seedFile }),
        };
        show(created, json, () => `${createdSheet(created)}\n\n${store ? '' : addByHand(id, publicKey)}${reload}`);
      }),
    );

  owned(reader, 'list', 'list the readers, and how many entries each has not read yet', [
    'audit reader list --org acme',
  ]).action(({ json, ...owner }: Owner) =>
    asOperator('audit reader list', async (session) => {
      const replies = await requestOfOwner(session, owner, listAuditReaders, {});
      const byId = Map.groupBy(
        replies.flatMap(({ items }) => items),
        ({ id }) => id,
      );
      const readers = [...byId.values()].map(onAllShards);
      show(readers, json, () =>
        table(
          ['READER', 'CREATED', 'NOT READ', 'LAST READ'],
          readers.map(({ id, createdAt, pending, lastReadAt }) => [
            id,
            createdAt,
            pending === undefined ? 'no consumer yet' : String(pending),
            lastReadAt ?? '',
          ]),
        ),
      );
    }),
  );

  owned(reader, 'rewind <reader>', 'let a reader read on after another entry, if the stream still holds the next one', [
    'audit reader rewind reader-0f3c… --org acme --after 1200',
  ])
    .requiredOption('--after <seq>', 'after this entry; with --all only 0: everything that the stream holds', seq)
    .action((id: string, { json, after, ...owner }: Owner & { after: number }) =>
      asOperator('audit reader rewind', async (session) => {
        const replies = await requestOfOwner(session, owner, rewindAuditReader, { id, after });
        const moved = onAllShards(replies.map(({ reader: one }) => one));
        show(moved, json, () => `${id} has ${moved.pending ?? 0} entries to read. Connect it again.`);
      }),
    );

  stored(
    owned(reader, 'delete <reader>', 'delete a reader: it gets nothing from now on', [
      'audit reader delete reader-0f3c… --org acme --folder /etc/holdfast/secrets',
    ]),
  ).action((id: string, { json, org, all, ...target }: Owner & SecretTarget) =>
    asOperator('audit reader delete', async (session) => {
      const store = hasTarget(target) ? await secretStore(target) : undefined;
      await requestOfOwner(session, ownerOf({ org, all }), deleteAuditReader, { id });
      await store?.change((secrets) => withAuditReader(secrets, id, undefined));
      const rest = store ? '' : `Remove it from AUDIT_READERS in the store of the secrets as well. `;
      show({ deleted: id }, json, () => `${id} gets nothing any more. ${rest}${reload}`);
    }),
  );
}

interface CreateOptions extends Owner, SecretTarget {
  after?: number;
  seedFile?: string;
}

function stored(command: Command): Command {
  return command
    .option('--folder <path>', 'where the secrets are, from which nats.conf is made: a folder')
    .option('--kubernetes-secret <name>', "a Secret in the pod's own namespace")
    .option('--file <path>', 'secrets.json of a local stack');
}

function hasTarget({ folder, kubernetesSecret, file }: SecretTarget): boolean {
  return [folder, kubernetesSecret, file].some((target) => target !== undefined);
}

/** A reader of all organizations has a consumer on each shard. */
function onAllShards(parts: AuditReader[]): AuditReader {
  const { pending: _, ...first } = parts[0]!;
  const pending = parts.reduce((sum, part) => sum + (part.pending ?? 0), 0);
  return { ...first, ...(parts.every((part) => part.pending !== undefined) && { pending }) };
}

async function writeSeed(file: string, seed: string): Promise<void> {
  await writeFile(file, `${seed}\n`, { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
    throw new CommandError(`The seed cannot be written, and no reader was created: ${error.message}`);
  });
}

function createdSheet({
  id,
  subject,
  domain,
  inboxPrefix,
  publicKey,
  seed,
  seedFile,
}: Record<string, string | undefined>): string {
  return sheet({
    Reader: id,
    Stream: entryStream.name,
    Consumer: id,
    Subject: subject,
    'JetStream domain': domain,
    'Inbox prefix': inboxPrefix,
    'Public NKey': publicKey,
    'Seed (secret)': seed ?? `in ${seedFile}`,
  });
}

function addByHand(id: string, publicKey: string): string {
  return `Add ${id}=${publicKey} to AUDIT_READERS in the store of the secrets, separated by a space from others. `;
}
