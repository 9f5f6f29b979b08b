import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { z } from 'zod';
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestination,
  listAuditDestinations,
  newDestinationSchema,
  pauseAuditDestination,
  rewindAuditDestination,
  testAuditDestination,
  type AuditDestination,
} from '@holdfast/contracts';
import { newId } from '@holdfast/platform';
import { CommandError, FailedCheckError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';
import { owned, requestOfOwner, seq, type Owner } from './log-owner.js';

/** `holdfast audit destination …`, below the commands about audit logs. */
export function auditDestinationCommands(audit: Command): void {
  const destination = audit
    .command('destination')
    .description('where audit logs are sent: servers, Splunk, Elasticsearch, Datadog, OpenTelemetry, syslog');

  owned(destination, 'create', 'have a log sent, or with --all those of all organizations, also of later ones', [
    'audit destination create --org acme --file splunk.json',
    'audit destination create --all --file - < siem.json',
  ])
    .requiredOption(
      '--file <file>',
      'the destination as JSON, with its credentials, as in docs/audit-destinations.md; - is standard input, so that ' +
        'no list of processes shows them',
    )
    .action(({ file, json, ...owner }: Owner & { file: string }) =>
      asOperator('audit destination create', async (session) => {
        const given = await destinationIn(file);
        const shared = { id: newId(), secret: `whsec_${randomBytes(32).toString('base64')}` };
        const request = { destination: given, ...(owner.all && { shared }) };
        const [{ destination: created }] = await requestOfOwner(session, owner, createAuditDestination, request);
        show(created, json, () =>
          [destinationSheet([created]), ...(created.secret === undefined ? [] : [`Secret  ${created.secret}`])].join(
            '\n',
          ),
        );
      }),
    );

  owned(destination, 'list', 'list the destinations, and how far each is behind', [
    'audit destination list --org acme',
  ]).action(({ json, ...owner }: Owner) =>
    asOperator('audit destination list', async (session) => {
      const replies = await requestOfOwner(session, owner, listAuditDestinations, {});
      const byId = Map.groupBy(
        replies.flatMap(({ items }) => items),
        ({ id }) => id,
      );
      show([...byId.values()].flat(), json, () =>
        table(
          ['DESTINATION', 'KIND', 'STATE', 'BEHIND', 'LAST ERROR'],
          [...byId.values()].map((parts) => [
            parts[0]!.id,
            parts[0]!.kind,
            parts[0]!.state,
            behind(parts),
            parts.find(({ lastError }) => lastError)?.lastError?.detail ?? '',
          ]),
        ),
      );
    }),
  );

  owned(destination, 'show <destination>', 'show a destination', [
    'audit destination show 019aa5f2-… --org acme',
  ]).action((id: string, { json, ...owner }: Owner) =>
    asOperator('audit destination show', async (session) => {
      const found = await requestOfOwner(session, owner, getAuditDestination, { id });
      show(owner.all ? found : found[0], json, () => destinationSheet(found));
    }),
  );

  for (const [verb, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const)
    owned(destination, `${verb} <destination>`, paused ? 'send nothing until it is resumed' : 'send again, at once', [
      `audit destination ${verb} 019aa5f2-… --org acme`,
    ]).action((id: string, { json, ...owner }: Owner) =>
      asOperator(`audit destination ${verb}`, async (session) => {
        const replies = await requestOfOwner(session, owner, pauseAuditDestination, { id, paused });
        const found = replies.map(({ destination: one }) => one);
        show(owner.all ? found : found[0], json, () => destinationSheet(found));
      }),
    );

  owned(destination, 'rewind <destination>', 'send the entries after a place in the log again', [
    'audit destination rewind 019aa5f2-… --after 0 --org acme',
  ])
    .requiredOption('--after <seq>', 'place in the log; 0 is the beginning', seq)
    .action((id: string, { json, after, ...owner }: Owner & { after: number }) =>
      asOperator('audit destination rewind', async (session) => {
        const replies = await requestOfOwner(session, owner, rewindAuditDestination, { id, after });
        const found = replies.map(({ destination: one }) => one);
        show(owner.all ? found : found[0], json, () => destinationSheet(found));
      }),
    );

  owned(destination, 'test <destination>', 'send a test entry, and say whether the receiver confirms it', [
    'audit destination test 019aa5f2-… --org acme',
  ]).action((id: string, { json, ...owner }: Owner) =>
    asOperator('audit destination test', async (session) => {
      const replies = await requestOfOwner(session, owner, testAuditDestination, { id });
      const failed = replies.find(({ delivered }) => !delivered);
      show(failed ?? replies[0], json, () =>
        failed ? `The test entry was not delivered: ${failed.detail}` : 'The receiver has confirmed the test entry.',
      );
      if (failed) throw new FailedCheckError();
    }),
  );

  owned(destination, 'delete <destination>', 'delete a destination', [
    'audit destination delete 019aa5f2-… --org acme',
  ]).action((id: string, { json, ...owner }: Owner) =>
    asOperator('audit destination delete', async (session) => {
      await requestOfOwner(session, owner, deleteAuditDestination, { id });
      show({ destination: id }, json, () => `Destination ${id} is deleted.`);
    }),
  );
}

async function destinationIn(file: string): Promise<z.input<typeof newDestinationSchema>> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) throw new CommandError(`${file} cannot be read.`);
  try {
    // The service says what is wrong with its members.
    return JSON.parse(content) as z.input<typeof newDestinationSchema>;
  } catch {
    throw new CommandError(
      `${file === '-' ? 'Standard input' : file} is not JSON. docs/audit-destinations.md has examples.`,
    );
  }
}

/** Over all shards. */
function behind(parts: AuditDestination[]): string {
  const entries = parts.reduce((sum, { lag }) => sum + lag.entries, 0);
  const seconds = Math.round(Math.max(...parts.map(({ lag }) => lag.seconds)));
  return entries === 0 ? '0' : `${entries} (${seconds} s)`;
}

function destinationSheet(parts: AuditDestination[]): string {
  const { id, kind, format, state, description, settings, after, createdAt } = parts[0]!;
  const failed = parts.find(({ lastError }) => lastError);
  return sheet({
    Destination: id,
    Kind: kind,
    Description: description,
    Format: format,
    Settings: JSON.stringify(settings),
    State: state,
    Created: createdAt,
    Confirmed: after === undefined ? undefined : `up to ${after}`,
    Behind: behind(parts),
    Sent: String(parts.reduce((sum, { sent }) => sum + sent, 0)),
    Rejected: String(parts.reduce((sum, { rejected }) => sum + rejected, 0)),
    'Last error': failed?.lastError && `${failed.lastError.detail} (${failed.lastError.attempts} attempts)`,
  });
}
