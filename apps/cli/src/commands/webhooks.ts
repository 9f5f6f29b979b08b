import type { Command } from 'commander';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookAttempts,
  listWebhookEndpoints,
  listWebhookMessages,
  pauseWebhookEndpoint,
  recoverWebhookEndpoint,
  resendWebhookMessage,
  resumeWebhookEndpoint,
  testWebhookEndpoint,
  type EventType,
  type WebhookEndpoint,
} from '@holdfast/contracts';
import { addCommand, collect, type Json } from '../add-command.js';
import { FailedCheckError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

export function webhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('webhook endpoints of organizations, and what became of their messages');
  endpointCommands(webhook);
  messageCommands(webhook);
}

function endpointCommands(webhook: Command): void {
  addCommand(webhook, 'list <org>', 'list the endpoints of an organization, and what waits', [
    'webhook list acme',
  ]).action((org: string, { json }: Json) =>
    asOperator('webhook list', async ({ requestsFor }) => {
      const { items } = await requestsFor(org)(listWebhookEndpoints, {});
      show(items, json, () =>
        table(
          ['ENDPOINT', 'STATE', 'WAITING', 'URL', 'LAST ERROR'],
          items.map(({ id, state, waiting, url, lastError }) => [
            id,
            state,
            String(waiting),
            url,
            lastError?.detail ?? '',
          ]),
        ),
      );
    }),
  );

  addCommand(webhook, 'create <org> <url>', 'send the events of an organization to an address', [
    'webhook create acme https://shop.example/webhooks',
    'webhook create acme https://shop.example/webhooks --type credential.revoked --type credential.suspended',
  ])
    .option('--type <type>', 'only events of this type; may be repeated', collect)
    .option('--description <text>', 'what it is for')
    .action((org: string, url: string, { json, type, description }: Json & { type?: string[]; description?: string }) =>
      asOperator('webhook create', async ({ requestsFor }) => {
        const types = type as EventType[] | undefined;
        const given = { url, ...(types && { types }), ...(description !== undefined && { description }) };
        const { endpoint } = await requestsFor(org)(createWebhookEndpoint, { endpoint: given });
        show(endpoint, json, () => `${endpointSheet(endpoint)}\nSecret  ${endpoint.secret}`);
      }),
    );

  addCommand(webhook, 'show <org> <endpoint>', 'show an endpoint', ['webhook show acme 019aa5f2-…']).action(
    (org: string, id: string, { json }: Json) =>
      asOperator('webhook show', async ({ requestsFor }) => {
        const found = await requestsFor(org)(getWebhookEndpoint, { id });
        show(found, json, () => endpointSheet(found));
      }),
  );

  addCommand(webhook, 'pause <org> <endpoint>', 'send nothing until it is resumed; its events stay in the feed', [
    'webhook pause acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('webhook pause', async ({ requestsFor }) => {
      const { endpoint } = await requestsFor(org)(pauseWebhookEndpoint, { id });
      show(endpoint, json, () => endpointSheet(endpoint));
    }),
  );

  addCommand(webhook, 'resume <org> <endpoint>', 'send what has happened meanwhile, and go on', [
    'webhook resume acme 019aa5f2-…',
    'webhook resume acme 019aa5f2-… --skip',
  ])
    .option('--skip', 'leave out what has happened meanwhile')
    .action((org: string, id: string, { json, skip = false }: Json & { skip?: boolean }) =>
      asOperator('webhook resume', async ({ requestsFor }) => {
        const { endpoint } = await requestsFor(org)(resumeWebhookEndpoint, { id, skip });
        show(endpoint, json, () => endpointSheet(endpoint));
      }),
    );

  addCommand(webhook, 'test <org> <endpoint>', 'send a test message, and say what the receiver answered', [
    'webhook test acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('webhook test', async ({ requestsFor }) => {
      const result = await requestsFor(org)(testWebhookEndpoint, { id });
      show(result, json, () =>
        result.delivered
          ? `The receiver has confirmed the test message (${result.status}, ${result.latencyMs} ms).`
          : `The test message was not delivered: ${result.detail}`,
      );
      if (!result.delivered) throw new FailedCheckError();
    }),
  );

  addCommand(webhook, 'recover <org> <endpoint>', 'send again what an endpoint has not got', [
    'webhook recover acme 019aa5f2-… --since 2026-11-21T00:00:00.000Z',
  ])
    .requiredOption('--since <time>', 'events that came to the feed then or later')
    .option('--everything', 'also what it has got')
    .action(
      (org: string, id: string, { json, since, everything = false }: Json & { since: string; everything?: boolean }) =>
        asOperator('webhook recover', async ({ requestsFor }) => {
          const recovery = { since, onlyFailed: !everything };
          const found = await requestsFor(org)(recoverWebhookEndpoint, { id, recovery });
          const more = found.hasMore ? ' There are more: repeat this when they have been sent.' : '';
          show(found, json, () => `${found.messages} messages are sent again.${more}`);
        }),
    );

  addCommand(webhook, 'delete <org> <endpoint>', 'delete an endpoint and its messages', [
    'webhook delete acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('webhook delete', async ({ requestsFor }) => {
      await requestsFor(org)(deleteWebhookEndpoint, { id });
      show({ endpoint: id }, json, () => `Endpoint ${id} is deleted.`);
    }),
  );
}

function messageCommands(webhook: Command): void {
  addCommand(webhook, 'messages <org>', 'list the newest messages, and what became of each', [
    'webhook messages acme --status failed',
  ])
    .option('--endpoint <endpoint>', 'only to this endpoint')
    .option('--status <status>', 'pending, delivered, failed or skipped')
    .action((org: string, { json, endpoint, status }: Json & { endpoint?: string; status?: 'pending' }) =>
      asOperator('webhook messages', async ({ requestsFor }) => {
        const filter = { ...(endpoint !== undefined && { endpoint }), ...(status !== undefined && { status }) };
        const { items } = await requestsFor(org)(listWebhookMessages, { ...filter, limit: 50 });
        const rows = items.flatMap(({ id, type, occurredAt, deliveries }) =>
          deliveries.map((delivery) => [
            id,
            type,
            occurredAt,
            delivery.endpoint,
            delivery.status,
            String(delivery.attempts),
            delivery.nextAttemptAt ?? '',
          ]),
        );
        show(items, json, () =>
          table(['MESSAGE', 'TYPE', 'OCCURRED', 'ENDPOINT', 'STATUS', 'ATTEMPTS', 'NEXT ATTEMPT'], rows),
        );
      }),
    );

  addCommand(webhook, 'attempts <org> <message>', 'list the attempts of a message', [
    'webhook attempts acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('webhook attempts', async ({ requestsFor }) => {
      const found = await requestsFor(org)(listWebhookAttempts, { id });
      const rows = found.deliveries.flatMap(({ endpoint, history }) =>
        history.map(({ at, status, latencyMs, error }) => [
          endpoint,
          at,
          status === undefined ? '' : String(status),
          `${latencyMs} ms`,
          error ?? 'delivered',
        ]),
      );
      show(found, json, () => table(['ENDPOINT', 'AT', 'STATUS', 'LATENCY', 'RESULT'], rows));
    }),
  );

  addCommand(webhook, 'resend <org> <message>', 'send a message again at once', ['webhook resend acme 019aa5f2-…'])
    .option('--endpoint <endpoint>', 'only to this endpoint')
    .action((org: string, id: string, { json, endpoint }: Json & { endpoint?: string }) =>
      asOperator('webhook resend', async ({ requestsFor }) => {
        const found = await requestsFor(org)(resendWebhookMessage, { id, ...(endpoint !== undefined && { endpoint }) });
        show(found, json, () => `It is sent again to ${found.endpoints} endpoints.`);
      }),
    );
}

function endpointSheet({ maker, lastError, ...endpoint }: WebhookEndpoint): string {
  return sheet({
    Endpoint: endpoint.id,
    URL: endpoint.url,
    Description: endpoint.description,
    Types: endpoint.types?.join(', ') ?? 'all',
    State: endpoint.state,
    Because: endpoint.pausedBecause ?? endpoint.disabledBecause,
    Maker: maker && `${maker.type} ${maker.id ?? ''}`,
    Waiting: String(endpoint.waiting),
    'Last success': endpoint.lastSuccessAt,
    'Last error': lastError && `${lastError.detail} (${lastError.attempts} attempts)`,
  });
}
