import { Option, type Command } from 'commander';
import {
  accessRequestStatuses,
  approveAccessRequest,
  denyAccessRequest,
  listAccessRequests,
  type AccessRequest,
  type AccessRequestStatus,
} from '@holdfast/contracts';
import { addCommand, seconds, type Json } from '../add-command.js';
import { allPages } from '../all-pages.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

interface ListOptions extends Json {
  status?: AccessRequestStatus;
  user?: string;
  app?: string;
}

export function accessRequestCommands(program: Command): void {
  const requests = program.command('access-request').description('access to apps that people request for a time');

  addCommand(requests, 'list <org>', 'list access requests', ['access-request list acme --status pending'])
    .addOption(new Option('--status <status>', 'only those with this status').choices(accessRequestStatuses))
    .option('--user <id>', 'only those of this person')
    .option('--app <clientId>', 'only those for this app')
    .action((org: string, { json, ...filter }: ListOptions) =>
      asOperator('access-request list', async ({ requestsFor }) => {
        const items = await allPages(requestsFor(org), listAccessRequests, filter);
        show(items, json, () =>
          table(
            ['REQUEST', 'USER', 'APP', 'STATUS', 'SECONDS', 'REASON'],
            items.map((r) => [r.id, r.user, r.app, r.status, String(r.grantedSeconds ?? r.durationSeconds), r.reason]),
          ),
        );
      }),
    );

  addCommand(requests, 'approve <org> <request>', 'approve an access request', [
    'access-request approve acme 019aa5f2-…',
    'access-request approve acme 019aa5f2-… --seconds 86400',
  ])
    .option('--seconds <n>', 'a shorter time than requested', seconds)
    .action((org: string, id: string, { json, seconds: granted }: Json & { seconds?: number }) =>
      asOperator('access-request approve', async ({ request }) => {
        const approval = granted === undefined ? {} : { durationSeconds: granted };
        const { accessRequest } = await request(approveAccessRequest, { id, approval }, org);
        show(accessRequest, json, () => requestSheet(accessRequest));
      }),
    );

  addCommand(requests, 'deny <org> <request>', 'deny an access request', [
    'access-request deny acme 019aa5f2-… --reason "Ask the owner of the app first"',
  ])
    .requiredOption('--reason <text>', 'why; the person reads it')
    .action((org: string, id: string, { json, reason }: Json & { reason: string }) =>
      asOperator('access-request deny', async ({ request }) => {
        const { accessRequest } = await request(denyAccessRequest, { id, denial: { reason } }, org);
        show(accessRequest, json, () => requestSheet(accessRequest));
      }),
    );
}

function requestSheet(r: AccessRequest): string {
  return sheet({
    Request: r.id,
    User: r.user,
    App: r.app,
    Status: r.status,
    Seconds: String(r.grantedSeconds ?? r.durationSeconds),
    Assignment: r.assignment,
  });
}
