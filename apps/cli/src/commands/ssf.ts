import type { Command } from 'commander';
import {
  deleteStream,
  getStream,
  listStreams,
  listStreamTokens,
  pauseStream,
  resendStreamTokens,
  resumeStream,
  type ManagedStream,
} from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

export function ssfCommands(program: Command): void {
  const ssf = program.command('ssf').description('streams of security events (Shared Signals), and their tokens');
  streamCommands(ssf);
  tokenCommands(ssf);
}

function streamCommands(ssf: Command): void {
  addCommand(ssf, 'list <org>', 'list the streams of an organization, and what waits', ['ssf list acme']).action(
    (org: string, { json }: Json) =>
      asOperator('ssf list', async ({ requestsFor }) => {
        const { items } = await requestsFor(org)(listStreams, {});
        const rows = items.map(({ id, receiver, method, state, waiting, rejected, lastError }) => [
          ...[id, receiver, method, state, String(waiting), String(rejected)],
          lastError?.detail ?? '',
        ]);
        show(items, json, () =>
          table(['STREAM', 'RECEIVER', 'METHOD', 'STATE', 'WAITING', 'REJECTED', 'LAST ERROR'], rows),
        );
      }),
  );

  addCommand(ssf, 'show <org> <stream>', 'show a stream', ['ssf show acme 019aa5f2-…']).action(
    (org: string, id: string, { json }: Json) =>
      asOperator('ssf show', async ({ requestsFor }) => {
        const found = await requestsFor(org)(getStream, { id });
        show(found, json, () => streamSheet(found));
      }),
  );

  addCommand(ssf, 'pause <org> <stream>', 'send nothing until it is resumed; its tokens are kept', [
    'ssf pause acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('ssf pause', async ({ requestsFor }) => {
      const { stream } = await requestsFor(org)(pauseStream, { id });
      show(stream, json, () => streamSheet(stream));
    }),
  );

  addCommand(ssf, 'resume <org> <stream>', 'send what waits at once, and go on', ['ssf resume acme 019aa5f2-…']).action(
    (org: string, id: string, { json }: Json) =>
      asOperator('ssf resume', async ({ requestsFor }) => {
        const { stream } = await requestsFor(org)(resumeStream, { id });
        show(stream, json, () => streamSheet(stream));
      }),
  );

  addCommand(ssf, 'delete <org> <stream>', 'delete a stream and its tokens', ['ssf delete acme 019aa5f2-…']).action(
    (org: string, id: string, { json }: Json) =>
      asOperator('ssf delete', async ({ requestsFor }) => {
        await requestsFor(org)(deleteStream, { id });
        show({ stream: id }, json, () => `Stream ${id} is deleted.`);
      }),
  );
}

function tokenCommands(ssf: Command): void {
  addCommand(ssf, 'tokens <org> <stream>', 'list the newest tokens of a stream, and what became of each', [
    'ssf tokens acme 019aa5f2-… --status rejected',
  ])
    .option('--status <status>', 'pending, delivered or rejected')
    .action((org: string, id: string, { json, status }: Json & { status?: 'pending' }) =>
      asOperator('ssf tokens', async ({ requestsFor }) => {
        const filter = { id, limit: 50, ...(status !== undefined && { status }) };
        const { items } = await requestsFor(org)(listStreamTokens, filter);
        const rows = items.map(({ jti, event, status: is, createdAt, attempts, error }) => [
          ...[jti, event.split('/').at(-1)!, is, createdAt, String(attempts)],
          error ? [error.err, error.description].filter(Boolean).join(': ') : '',
        ]);
        show(items, json, () => table(['TOKEN', 'EVENT', 'STATUS', 'CREATED', 'ATTEMPTS', 'ERROR'], rows));
      }),
    );

  addCommand(ssf, 'resend <org> <stream>', 'send again what the receiver has rejected', ['ssf resend acme 019aa5f2-…'])
    .option('--token <jti>', 'only this token')
    .action((org: string, id: string, { json, token }: Json & { token?: string }) =>
      asOperator('ssf resend', async ({ requestsFor }) => {
        const found = await requestsFor(org)(resendStreamTokens, { id, ...(token !== undefined && { jti: token }) });
        show(found, json, () => `${found.tokens} tokens are sent again.`);
      }),
    );
}

function streamSheet({ maker, lastError, ...stream }: ManagedStream): string {
  return sheet({
    Stream: stream.id,
    Receiver: stream.receiver,
    About: stream.audience,
    Method: stream.method,
    URL: stream.endpointUrl,
    Description: stream.description,
    Events: stream.events?.join(', ') ?? 'all',
    Subjects: `${stream.defaultSubjects}, and ${stream.subjects} named`,
    State: stream.state,
    Because: stream.pausedBecause,
    Reason: stream.reason,
    Maker: maker && `${maker.type} ${maker.id ?? ''}`,
    Waiting: String(stream.waiting),
    Rejected: String(stream.rejected),
    'Last success': stream.lastSuccessAt,
    'Last error': lastError && `${lastError.detail} (${lastError.attempts} attempts)`,
  });
}
