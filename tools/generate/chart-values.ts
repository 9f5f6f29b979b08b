import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument, type Node, type YAMLMap } from 'yaml';
import { databaseServices, serviceNames, shardedServices } from '@holdfast/contracts';
import { root } from '../setup/paths.mjs';
import { code, page, table } from './markdown.ts';

const values = parseDocument(readFileSync(join(root, 'k8s', 'holdfast', 'values.yaml'), 'utf8')).contents as YAMLMap;

type Schema = Record<string, unknown>;

const size = { type: 'string', pattern: '^[1-9][0-9]*(\\.[0-9]+)?(k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$' };
const sizeOrNone = { ...size, pattern: `^$|${size.pattern}` };
const digest = { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' };
const port = { type: 'integer', minimum: 1, maximum: 65_535 };
const texts = { type: 'array', items: { type: 'string' } };
/** Of labels and annotations: Kubernetes takes no number or boolean. */
const textsByName = { type: 'object', additionalProperties: { type: 'string' } };
/** How the pods of a workload are replaced. */
const strategyOf = (...types: string[]): Schema =>
  objectOf({ type: { enum: types }, rollingUpdate: { type: 'object' } });
const updateStrategy = strategyOf('RollingUpdate', 'OnDelete');
const ingressPath = {
  ...objectOf({
    path: { type: 'string', pattern: '^/' },
    pathType: { enum: ['Prefix', 'Exact', 'ImplementationSpecific'] },
    backend: { type: 'object' },
  }),
  required: ['path', 'pathType'],
};

/** What the type of a default does not say. */
const rules: Record<string, Schema> = {
  'secrets.mode': { enum: ['generated', 'existing'] },
  'tls.mode': { enum: ['generated', 'cert-manager', 'existing', 'disabled'] },
  'tls.lifetimeDays': { type: 'integer', minimum: 30, maximum: 825 },
  'postgresql.mode': { enum: ['external', 'cloudnativepg', 'bundled'] },
  'postgresql.external.perService': objectOf(
    Object.fromEntries(databaseServices.map((name) => [name, serviceDatabase()])),
  ),
  'postgresql.cloudnativepg.pooler.poolMode': { enum: ['session', 'transaction'] },
  'nats.mode': { enum: ['external', 'bundled'] },
  'nats.streamReplicas': { enum: [null, 1, 3] },
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'image.digests': objectOf(Object.fromEntries([...serviceNames, 'cli'].map((name) => [name, digest]))),
  'nats.bundled.image.digest': digest,
  'nats.bundled.reloaderImage.digest': digest,
  'nats.bundled.exporter.image.digest': digest,
  'postgresql.bundled.image.digest': digest,
  'backup.image.digest': digest,
  'nats.bundled.storage.size': size,
  'postgresql.bundled.storage.size': size,
  'postgresql.cloudnativepg.storage.size': size,
  'postgresql.cloudnativepg.walStorage.size': sizeOrNone,
  'services.audit.checkpoints.size': size,
  'backup.storage.size': size,
  'service.port': port,
  'postgresql.external.port': port,
  'postgresql.connectionsPerService': { type: 'integer', minimum: 1 },
  'jobs.backoffLimit': { type: 'integer', minimum: 0 },
  'jobs.activeDeadlineSeconds': { type: 'integer', minimum: 60 },
  'rollout.waitSeconds': { type: 'integer', minimum: 0 },
  'service.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  'backup.keepDays': { type: 'integer', minimum: 1 },
  'service.nodePort': { type: ['integer', 'null'], minimum: 1, maximum: 65_535 },
  'defaults.topologySpread.whenUnsatisfiable': { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
  'defaults.podDisruptionBudget.maxUnavailable': { type: ['integer', 'string'] },
  'defaults.podDisruptionBudget.minAvailable': { type: ['integer', 'string'] },
  'defaults.replicas': { type: 'integer', minimum: 0 },
  'defaults.preStopSeconds': { type: 'integer', minimum: 0, maximum: 300 },
  'defaults.lifecycle': objectOf({ postStart: { type: 'object' }, preStop: { type: 'object' } }),
  'defaults.strategy': strategyOf('RollingUpdate', 'Recreate'),
  'defaults.updateStrategy': updateStrategy,
  'nats.bundled.updateStrategy': updateStrategy,
  'postgresql.bundled.updateStrategy': updateStrategy,
  'defaults.command': texts,
  'defaults.args': texts,
  'nats.bundled.extraArgs': texts,
  'postgresql.bundled.extraArgs': texts,
  'jobs.ttlSecondsAfterFinished': { type: ['integer', 'null'], minimum: 0 },
  'service.appProtocol': { type: 'string', pattern: '^(([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$' },
  'ingress.hosts': texts,
  'ingress.paths': { type: 'array', items: ingressPath, minItems: 1 },
  'defaults.successorSeconds': { type: 'integer', minimum: 0, maximum: 300 },
  'defaults.env': { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
};

/** values.schema.json: a value that values.yaml does not have is refused, so that a typing error has no effect. */
export function chartValuesSchema(): string {
  const properties = Object.fromEntries(
    values.items.map((pair) => [String(pair.key), schemaOf(pair.value as Node, String(pair.key))]),
  );
  const ownImage = objectOf({
    repository: { type: 'string' },
    tag: { type: 'string' },
    digest,
  });
  const settings = properties.defaults as { properties: Schema };
  const service = objectOf({ ...settings.properties, image: ownImage });
  const audit = (properties.services as { properties: Record<string, { properties: Schema }> }).properties.audit!;
  const services = Object.fromEntries(
    serviceNames.map((name) => [
      name,
      name === 'audit' ? objectOf({ ...(service.properties as Schema), ...audit.properties }) : service,
    ]),
  );
  const shards = { type: 'array', items: shardOf(properties, services) };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Generated from values.yaml by `node tools/generate.mjs`. Do not edit.',
    ...objectOf({ ...properties, services: objectOf(services), shards, global: { type: 'object' } }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** A further shard: its own values of what each shard has. The modes are those of `main`. */
function shardOf(properties: Record<string, Schema>, services: Record<string, Schema>): Schema {
  const membersOf = (path: string) =>
    path
      .split('.')
      .reduce((schema, key) => (schema.properties as Record<string, Schema>)[key]!, { properties } as Schema)
      .properties as Record<string, Schema>;
  const without = (path: string, ...names: string[]) =>
    objectOf(Object.fromEntries(Object.entries(membersOf(path)).filter(([name]) => !names.includes(name))));
  const only = (path: string, ...names: string[]) =>
    objectOf(Object.fromEntries(names.map((name) => [name, membersOf(path)[name]])));
  const { postgresql, nats } = { postgresql: without('postgresql', 'mode'), nats: without('nats', 'mode') };
  // Gateway, auth, directory and the command line connect to all shards with one CA.
  (postgresql.properties as Schema).external = without('postgresql.external', 'ca', 'tls');
  (nats.properties as Schema).external = without('nats.external', 'ca');
  const shard = objectOf({
    name: { type: 'string' },
    postgresql,
    nats,
    services: objectOf(Object.fromEntries(shardedServices.map((name) => [name, services[name]]))),
    secrets: only('secrets', 'existingSecret'),
    tls: objectOf({ existing: only('tls.existing', 'nats', 'postgresql') }),
  });
  return { ...shard, required: ['name'] };
}

/** Where one service finds PostgreSQL: another address of the common database, or with an owner its own database. */
function serviceDatabase(): Schema {
  const text = { type: 'string', minLength: 1 };
  const owner = { ...objectOf({ existingSecret: text, key: text }), required: ['existingSecret'] };
  const clientCertificate = objectOf({ existingSecret: text });
  return objectOf({ host: text, port, database: text, owner, readHost: text, clientCertificate });
}

function objectOf(properties: Schema): Schema {
  return { type: 'object', properties, additionalProperties: false };
}

function schemaOf(node: Node, path: string): Schema {
  const rule = rules[path];
  if (rule) return rule;
  if (/(labels|annotations)$/i.test(path)) return textsByName;
  if (isMap(node)) {
    // An empty map is passed on as it is. Kubernetes says what it may contain.
    if (node.items.length === 0 || /\.(resources|parameters|requests|limits)$/.test(path)) return { type: 'object' };
    return objectOf(
      Object.fromEntries(
        node.items.map(({ key, value }) => [String(key), schemaOf(value as Node, `${path}.${String(key)}`)]),
      ),
    );
  }
  if (!isScalar(node)) return { type: 'array' };
  if (node.value === null) return {};
  return { type: typeof node.value === 'number' ? 'integer' : typeof node.value };
}

export function chartValuesPage(): string {
  return page(
    'Values of the Helm chart',
    'k8s/holdfast/values.yaml',
    'Every value with its default. `services.<name>` overrides `defaults` for one service, and may have `image` ' +
      'with `repository`, `tag` and `digest`. Values that contradict each other stop the installation, with what ' +
      'to do.',
    table(['Value', 'Default', 'Meaning'], rowsOf(values, '')),
  );
}

function rowsOf(map: YAMLMap, path: string): string[][] {
  return map.items.flatMap((pair, i) => {
    const key = pair.key as Node;
    const name = path === '' ? String(pair.key) : `${path}.${String(pair.key)}`;
    // The comment of a map's first key is at the map.
    const comment = [key.commentBefore, i === 0 ? map.commentBefore : undefined].find((text) => text);
    const meaning = (comment ?? '').split('-- ').slice(1).join(' ').replaceAll(/\n\s*/g, ' ').trim();
    const node = pair.value as Node;
    if (isMap(node) && node.items.length > 0 && !/(resources|parameters)$/.test(name)) {
      const own = meaning === '' ? [] : [[code(name), '', meaning]];
      return [...own, ...rowsOf(node, name)];
    }
    return [[code(name), code(JSON.stringify(node.toJSON?.() ?? null)), meaning]];
  });
}
