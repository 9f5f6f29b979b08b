import {
  contracts,
  databaseRole,
  databaseServices,
  natsUsers,
  probeStream,
  revocationFeedSubject,
  serviceNames,
  services,
  streams,
  watermarksSchema,
} from '@holdfast/contracts';
import { busPermissions, databaseSetup } from '@holdfast/platform-policy';
import { code, codes, page, table } from './markdown.ts';

export function busPage(): string {
  return page(
    'The bus and the database: who may do what',
    'libs/contracts/src',
    'What is on this page is not a description of permissions: nats.conf and the grants of the database are made from the same tables.',
    `\`\`\`mermaid\n${picture()}\n\`\`\``,
    'Solid: requests. Dotted: events, at least once. Thick: the feed of access, several times a second. The gateway also hands OAuth requests to auth over HTTP.',
    '## Questions and commands',
    'A question (`query`) is asked again, of another replica, when no answer comes; a `command` never is. Every one may also answer `unavailable` and `internal`.',
    table(['Subject', 'Kind', 'Asked by', 'Visible in', 'Gives up after', 'Errors'], contractRows()),
    '## Streams',
    table(
      ['Stream', 'Subjects', 'Told by', 'Durable consumers'],
      [
        ...Object.values(streams).map((s) => [code(s.name), codes(s.subjects), s.producer, s.consumers.join(', ')]),
        [
          code(probeStream.name),
          codes(probeStream.subjects),
          Object.values(streams)
            .map((s) => s.producer)
            .join(', '),
          'none: one message each, which proves that JetStream stores',
        ],
      ],
    ),
    '## NATS users',
    'Each has an NKey and an inbox of its own. What is not listed is refused by the server.',
    table(['User', 'May publish', 'May subscribe', 'May answer'], natsUsers.map(userRow)),
    '## Database roles',
    'A service connects as its own role, which owns nothing. Tables are made by migrations, as the owner of the database; a migration may take more away, as that of audit does: its entries cannot be changed or deleted by anybody.',
    table(['Role', 'Schema', 'May'], roleRows()),
  );
}

function picture(): string {
  const requests = new Map<string, number>();
  for (const { callers, service } of contracts)
    for (const caller of callers) requests.set(`${caller} --> ${service}`, 1);
  const events = Object.values(streams).flatMap((s) => s.consumers.map((c) => `${s.producer} -.-> ${c}`));
  const feeds = natsUsers
    .filter((u) => busPermissions(u).subscribe.includes(revocationFeedSubject))
    .map((u) => `directory ==> ${u}`);
  const nodes = natsUsers.map(
    (u) =>
      `${u}${(serviceNames as string[]).includes(u) ? (services[u as keyof typeof services].database ? `[(${u})]` : `[${u}]`) : `>${u}]`}`,
  );
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
    const own = /^ALTER DEFAULT PRIVILEGES IN SCHEMA (\w+) GRANT (.+) ON (TABLES|SEQUENCES) TO (\w+)$/.exec(statement);
    if (own) return [{ role: own[4], schema: own[1], may: `${own[2]} on ${own[3]?.toLowerCase()}` }];
    const one = /^GRANT (.+) ON (SCHEMA )?([\w.]+) TO (\w+)$/.exec(statement);
    if (!one) return [];
    return [{ role: one[4], schema: one[3]?.split('.')[0], may: one[2] ? one[1] : `${one[1]} on ${one[3]}` }];
  });
  return databaseServices.flatMap((service) => {
    const role = databaseRole(service);
    return [service, watermarksSchema].flatMap((schema) => {
      const may = grants.filter((g) => g.role === role && g.schema === schema).map((g) => g.may);
      return may.length > 0 ? [[code(role), code(schema), [...new Set(may)].join('; ')]] : [];
    });
  });
}
