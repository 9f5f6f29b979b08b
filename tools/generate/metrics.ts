import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceNames, services, streams, type ServiceName } from '@holdfast/contracts';
import { root } from '../setup/paths.mjs';
import { code, codes, page, table } from './markdown.ts';

interface Metric {
  name: string;
  help: string;
  type: string;
  labels: string[];
}

/** What the values of a label are. Each is a closed list, or limited by a setting. */
const labels: Record<string, string> = {
  because: 'which limit was reached, as the metric says',
  cause: 'why a dependency failed, or why a request was rejected: see "Find the cause of a 503" in the runbook',
  class: 'class of rate limits: see "Rate limits" in the runbook',
  code: '`ok`, or a code of [errors.md](errors.md)',
  consumer: 'the service that consumes events',
  contract: 'subject of a contract in [bus.md](bus.md)',
  served: 'where a read was: `replica`, or the primary because the replica `lags`, has `failed` or is `away`',
  dependency: 'path from the called service to what failed, such as `issuance/postgres`',
  destination: 'id of a destination of the audit log that the operator created; `organizations` for all others',
  key: 'a secret: `SECRET_PEPPER`, `KEY_ENCRYPTION_KEY`, `COOKIE_KEY` or `PRESENCE_KEY`',
  job: 'name of a periodic job',
  endpoints: 'whether the last attempt to send to them succeeded: `ready` or `failing`',
  kind: 'kind of row, or of destination',
  level: 'level of a log line: warn, error or fatal',
  limit: 'which limit was reached, as the metric says',
  method: 'HTTP method',
  organization: '`other`, `unverified`, `none`, or one that `METRICS_ORGANIZATIONS` lists (50 at most)',
  outcome: 'how it ended, as the metric says',
  read_model: 'the service with the read model',
  reason: 'why a message was dropped: `subject`, `sender`, `body`, `handler`, `connection` or `shard`',
  reference: '`postgres` or `peers`',
  replica: 'number of a replica in `AUTH_URLS`',
  route: 'template of the route, or `unmatched`',
  service: 'the called service, or the one that admits requests (`auth http`: the HTTP port of auth)',
  shard: 'a further shard; absent for `main` ([shards.md](../shards.md))',
  state: 'as the metric says',
  status: 'HTTP status; 499 when the client closed the connection',
  status_class: '`1xx` to `5xx`',
  stream: 'stream of JetStream, as in [bus.md](bus.md)',
  streams:
    'how receivers get their tokens: pushed and accepted (`ready`), pushed after a failure (`failing`), or `polled`',
  subject: 'subscription of NATS, as in [bus.md](bus.md)',
  use: 'what a certificate is for: `http`, `auth_client`, `postgresql_client`, `nats_ca` or `postgresql_ca`',
};

/** Libraries declare these metrics in every service, but only some services use them. */
const usedBy: [RegExp, (service: ServiceName) => boolean][] = [
  [/^holdfast_(http|access_log)_/, (service) => services[service].http],
  [/^holdfast_database_/, (service) => services[service].database],
  [/^holdfast_(handler|admission)_/, (service) => service !== 'gateway'],
  [
    /^holdfast_(events_consumed_total|consumer_(batch|last)_.*)$/,
    (service) => Object.values(streams).some(({ consumers }) => consumers.includes(service)),
  ],
  [
    /^holdfast_(outbox_.*|stream_.*|consumer_pending|jetstream_.*|events_quarantined|read_model_.*)$/,
    (service) => Object.values(streams).some(({ producer }) => producer === service),
  ],
  [/^holdfast_outbound_/, (service) => service === 'auth' || service === 'directory' || service === 'issuance'],
];

const unitOf = (name: string): string =>
  ['seconds', 'bytes', 'ratio'].find((unit) => new RegExp(`_${unit}(_total)?$`).test(name)) ?? 'count';

export async function metricsPage(): Promise<string> {
  const found = await Promise.all(serviceNames.map(async (name) => [name, await metricsOf(name)] as const));
  const own = new Map<string, Metric>();
  const users = new Map<string, ServiceName[]>();
  for (const [service, metrics] of found)
    for (const metric of metrics.own) {
      const restriction = usedBy.find(([names]) => names.test(metric.name));
      if (restriction && !restriction[1](service)) continue;
      own.set(metric.name, metric);
      users.set(metric.name, [...(users.get(metric.name) ?? []), service]);
    }
  const used = [...new Set([...own.values()].flatMap((metric) => metric.labels))].sort();
  const undescribed = used.filter((name) => !(name in labels));
  if (undescribed.length > 0)
    throw new Error(`The labels ${undescribed.join(', ')} of metrics have no description in tools/generate/metrics.ts`);
  const sorted = [...own.values()].sort((a, b) => a.name.localeCompare(b.name));
  const rows = sorted.map((metric) => rowOf(metric, users.get(metric.name)!));
  return page(
    'Metrics',
    'the metrics that the services declare',
    'What `/metrics` of each service shows, on `OPS_PORT`. Histograms have `_bucket`, `_sum` and `_count`. ' +
      'While traces are exported, `/metrics` is in the format of OpenMetrics, and durations of requests have the ' +
      'trace of a recent one as an exemplar. What to watch for: [observability.md](../observability.md).',
    '## Holdfast',
    table(['Metric', 'Type', 'Labels', 'Unit', 'Meaning', 'Services'], rows),
    '## Labels',
    'No label has a value that a caller chose.',
    table(
      ['Label', 'Values'],
      used.map((name) => [code(name), labels[name]!]),
    ),
    '## Process and runtime',
    'Of every service, by `prom-client`.',
    table(
      ['Metric', 'Type', 'Labels', 'Meaning'],
      (found[0]?.[1].ofRuntime ?? []).map(({ name, type, labels: of, help }) => [code(name), type, codes(of), help]),
    ),
  );
}

function rowOf({ name, type, labels: of, help }: Metric, by: ServiceName[]): string[] {
  return [code(name), type, codes(of), unitOf(name), help, by.length === serviceNames.length ? 'all' : by.join(', ')];
}

async function metricsOf(service: ServiceName): Promise<{ own: Metric[]; ofRuntime: Metric[] }> {
  const program = join(root, 'tools', 'generate', 'metrics-of-service.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, join(root, 'apps', service, 'dist')], {
    maxBuffer: 2 ** 24,
    // Variables of the caller must not change what the services declare.
    env: { PATH: process.env.PATH },
  });
  return JSON.parse(stdout) as { own: Metric[]; ofRuntime: Metric[] };
}
