import {
  contracts,
  databaseRole,
  databaseServices,
  entryStream,
  filterSubjects,
  logGrowthSubject,
  natsUsers,
  probeStream,
  revocationFeedSubject,
  serviceNames,
  services,
  streamGrowthSubject,
  streams,
  watermarksSchema,
  type ServiceName,
  type Stream,
} from '@holdfast/contracts';
import { busPermissions, databaseSetup } from '@holdfast/platform-policy';
import { code, codes, page, table } from './markdown.ts';

export function busPage(): string {
  return page(
    'Permissions on the bus and in the database',
    'libs/contracts/src',
    'nats.conf and the grants of the database are generated from the same tables as this page.',
    `\`\`\`mermaid\n${diagram()}\n\`\`\``,
    'Solid: requests. Dotted: events, at least once. Thick: the revocation feed, several times a second. The gateway ' +
      'also proxies OAuth requests to auth over HTTP. Gateways exchange tokens of rate limits on `limits.gateway`, ' +
      'replicas of auth on `limits.auth`.',
    '## Queries and commands',
    'A query without a reply is sent again, to another replica; a command to the same one only. Each may also reply ' +
      'with the errors `unavailable` and `internal`.',
    table(['Subject', 'Kind', 'Callers', 'Visible in', 'Timeout', 'Errors'], contractRows()),
    '## Streams',
    table(
      ['Stream', 'Subjects', 'Producer', 'Durable consumers'],
      [
        ...Object.values(streams).map((s) => [
          code(s.name),
          codes(s.subjects),
          s.producer,
          s.consumers.map((c) => consumerOf(s, c)).join(', '),
        ]),
        [
          code(probeStream.name),
          codes(probeStream.subjects),
          Object.values(streams)
            .map((s) => s.producer)
            .join(', '),
          'none: one message of each producer, which proves that JetStream stores',
        ],
        [
          code(entryStream.name),
          codes(entryStream.subjects),
          'audit',
          'one of each reader ([audit-readers.md](../audit-readers.md))',
        ],
      ],
    ),
    '## NATS users',
    'Each has its own NKey and inbox. nats-server rejects everything that is not listed.',
    table(['User', 'May publish', 'May subscribe', 'May reply'], natsUsers.map(userRow)),
    '## Database roles',
    'A service connects as its own role, which owns nothing. Migrations create the tables as the owner of the ' +
      'database. A migration may revoke rights: nobody can change or delete entries of the audit log.',
    table(['Role', 'Schema', 'Rights'], roleRows()),
  );
}

function consumerOf(stream: Stream, consumer: ServiceName): string {
  const filter = filterSubjects(stream, consumer);
  return filter ? `${consumer} (${codes(filter)})` : consumer;
}

function diagram(): string {
  const requests = new Map<string, number>();
  for (const { callers, service } of contracts)
    for (const caller of callers) requests.set(`${caller} --> ${service}`, 1);
  const events = Object.values(streams).flatMap((s) => s.consumers.map((c) => `${s.producer} -.-> ${c}`));
  const feeds = Object.entries({
    directory: revocationFeedSubject,
    audit: logGrowthSubject,
    signals: streamGrowthSubject,
  }).flatMap(([from, subject]) =>
    natsUsers.filter((u) => busPermissions(u).subscribe.includes(subject)).map((u) => `${from} ==> ${u}`),
  );
  const shapeOf = (user: string): string => {
    if (!(serviceNames as string[]).includes(user)) return `>${user}]`;
    return services[user as keyof typeof services].database ? `[(${user})]` : `[${user}]`;
  };
  const nodes = natsUsers.map((user) => `${user}${shapeOf(user)}`);
  return ['flowchart LR', ...[...nodes, ...requests.keys(), ...events, ...feeds].map((line) => `  ${line}`)].join('\n');
}

function contractRows(): string[][] {
  return contracts.map(({ subject, kind, callers, visibleIn, timeoutMs, errors }) => [
    code(subject),
    kind,
    callers.join(', '),
    visibleIn ?? '–',
    `${timeoutMs / 1000} s`,
    codes(errors),
  ]);
}

function userRow(user: (typeof natsUsers)[number]): string[] {
  const { publish, subscribe, responds } = busPermissions(user);
  return [user, codes(publish), codes(subscribe), responds ? 'yes, once each' : 'no'];
}

function roleRows(): string[][] {
  const passwords = Object.fromEntries(databaseServices.map((s) => [s, 'x']));
  const grants = databaseSetup({ passwords }).flatMap((statement) => {
    const byDefault = /^ALTER DEFAULT PRIVILEGES IN SCHEMA (\w+) GRANT (.+) ON (TABLES|SEQUENCES) TO (\w+)$/.exec(
      statement,
    );
    if (byDefault) {
      const [, schema, rights, kind, role] = byDefault;
      return [{ role, schema, rights: `${rights} on ${kind?.toLowerCase()}` }];
    }
    const single = /^GRANT (.+) ON (SCHEMA )?([\w.]+) TO (\w+)$/.exec(statement);
    if (!single) return [];
    const [, rights, onSchema, object, role] = single;
    return [{ role, schema: object?.split('.')[0], rights: onSchema ? rights : `${rights} on ${object}` }];
  });
  return databaseServices.flatMap((service) => {
    const role = databaseRole(service);
    return [service, watermarksSchema].flatMap((schema) => {
      const rights = grants.filter((g) => g.role === role && g.schema === schema).map((g) => g.rights);
      return rights.length > 0 ? [[code(role), code(schema), [...new Set(rights)].join('; ')]] : [];
    });
  });
}
