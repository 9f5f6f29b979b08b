// `node tools/chart/collect-schemas.ts`: writes k8s/testing/schemas, with which the tests validate manifests. It needs
// Go, whose module proxy has the published sources; the tests need the result only.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../setup/paths.mjs';

const testing = join(root, 'k8s', 'testing');
/** The oldest version that the chart supports, one between, and the newest. */
const versions = ['v1.30.14', 'v1.34.4', 'v1.37.2'];
const kinds = [
  ...['ConfigMap', 'PersistentVolumeClaim', 'Pod', 'Secret', 'Service', 'ServiceAccount'].map((k) => `v1/${k}`),
  ...['Deployment', 'StatefulSet'].map((k) => `apps/v1/${k}`),
  ...['CronJob', 'Job'].map((k) => `batch/v1/${k}`),
  'autoscaling/v2/HorizontalPodAutoscaler',
  'policy/v1/PodDisruptionBudget',
  ...['Ingress', 'NetworkPolicy'].map((k) => `networking.k8s.io/v1/${k}`),
  ...['Role', 'RoleBinding'].map((k) => `rbac.authorization.k8s.io/v1/${k}`),
];
const custom: [module: string, path: string][] = [
  ['sigs.k8s.io/gateway-api@v1.4.0', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  ...['clusters', 'poolers', 'scheduledbackups'].map((name): [string, string] => [
    'github.com/cloudnative-pg/cloudnative-pg@v1.28.0',
    `config/crd/bases/postgresql.cnpg.io_${name}.yaml`,
  ]),
  ...['certificates', 'issuers'].map((name): [string, string] => [
    'github.com/cert-manager/cert-manager@v1.21.2',
    `deploy/crds/cert-manager.io_${name}.yaml`,
  ]),
  ...['podmonitors', 'prometheusrules', 'servicemonitors'].map((name): [string, string] => [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
  ]),
];

type Schema = Record<string, unknown>;
interface Definition extends Schema {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

function folderOf(module: string): string {
  const printed = execFileSync('go', ['mod', 'download', '-json', module], { cwd: '/', encoding: 'utf8' });
  return (JSON.parse(printed) as { Dir: string }).Dir;
}

function isSchema(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** What validation needs: no prose, and no unknown members, as the API server would report them. */
function trim(schema: unknown, refs = new Set<string>()): unknown {
  if (Array.isArray(schema)) return schema.map((item) => trim(item, refs));
  if (!isSchema(schema)) return schema;
  if (typeof schema.$ref === 'string') {
    refs.add(schema.$ref.replace('#/definitions/', ''));
    return { $ref: schema.$ref };
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return { type: ['integer', 'string'] };
  const isLeftOut = (key: string): boolean =>
    ['description', 'default', 'title', 'format', 'example'].includes(key) || key.startsWith('x-kubernetes');
  const entries = Object.entries(schema)
    .filter(([key]) => !isLeftOut(key))
    .map(([key, value]) => [key, key === 'properties' ? trimEach(value as Schema, refs) : trim(value, refs)]);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const closed = schema.properties && !isOpen ? { additionalProperties: false } : {};
  return { ...Object.fromEntries(entries), ...closed };
}

/** Names of members are no keywords, even if they read like them. */
function trimEach(properties: Schema, refs: Set<string>): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, trim(schema, refs)]));
}

function kubernetes(version: string): { kinds: Record<string, string>; definitions: Schema } {
  const file = join(folderOf(`k8s.io/kubernetes@${version}`), 'api', 'openapi-spec', 'swagger.json');
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, Definition> };
  const byKind = Object.fromEntries(
    Object.entries(definitions).flatMap(([name, definition]) =>
      (definition['x-kubernetes-group-version-kind'] ?? [])
        .map(({ group, version: v, kind }) => [group, v, kind].filter(Boolean).join('/'))
        .filter((id) => kinds.includes(id))
        .map((id) => [id, name]),
    ),
  ) as Record<string, string>;
  const used: Schema = {};
  const open = Object.values(byKind);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (used[name]) continue;
    const refs = new Set<string>();
    used[name] = named(name, trim(definitions[name], refs));
    open.push(...refs);
  }
  return { kinds: byKind, definitions: used };
}

/** Types whose schema in the document says less than they accept. */
function named(name: string, schema: unknown): unknown {
  if (name.endsWith('.IntOrString')) return { type: ['integer', 'string'] };
  if (name.endsWith('.Quantity')) return { type: ['number', 'string'] };
  return schema;
}

interface CustomResource {
  spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
}

const folder = join(testing, 'schemas');
mkdirSync(folder, { recursive: true });
for (const version of versions) {
  const name = version.split('.').slice(0, 2).join('.');
  writeFileSync(join(folder, `kubernetes-${name}.json`), `${JSON.stringify(kubernetes(version))}\n`);
}
const resources: Schema = {};
for (const [module, path] of custom) {
  const { spec } = parse(readFileSync(join(folderOf(module), path), 'utf8')) as CustomResource;
  for (const { name, schema } of spec.versions) {
    const trimmed = trim(schema.openAPIV3Schema) as { properties: Schema };
    trimmed.properties.metadata = { type: 'object' };
    resources[`${spec.group}/${name}/${spec.names.kind}`] = trimmed;
  }
}
writeFileSync(join(folder, 'custom-resources.json'), `${JSON.stringify(resources)}\n`);
