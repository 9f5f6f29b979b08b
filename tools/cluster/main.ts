// Installs the chart in a namespace of its own, tests it, upgrades it, rolls it back, and evicts and kills each pod,
// while a client uses it. Prints the figures of each step, and fails if a planned step made a request fail.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../infra/console.ts';
import { disrupt } from './disruptions.ts';
import { admit, kubernetes, podsOf, untilReady } from './kubernetes.ts';
import { startLoad, underLoad } from './load.ts';

const chart = 'k8s/holdfast';
const release = 'holdfast';
const services = ['directory', 'audit', 'subjects', 'signals', 'issuance', 'auth', 'gateway'];
const { values: options } = parseArgs({
  options: {
    'image-prefix': { type: 'string', default: 'holdfast' },
    tag: { type: 'string', default: '' },
    'next-tag': { type: 'string', default: '' },
    values: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});
if (options.values && !existsSync(options.values)) throw new Error(`There is no file ${options.values}.`);

const cluster = kubernetes(`holdfast-check-${randomBytes(3).toString('hex')}`);
const { kubectl, helm, namespace } = cluster;
const settings = [
  ...['--set', 'baseUrl=http://localhost:8080'],
  ...['--set', 'postgresql.mode=bundled', '--set', 'nats.mode=bundled'],
  ...(options.values ? ['--values', options.values] : []),
  ...['--set', `image.prefix=${options['image-prefix']}`],
];
const tagged = (tag: string): string[] => (tag ? ['--set-string', `image.tag=${tag}`] : []);
const wait = ['--wait', '--timeout', '20m'];

print(`Context ${kubectl(['config', 'current-context']).trim()}, namespace ${namespace}.`);
kubectl(['create', 'namespace', namespace]);
try {
  const failed = await scenario();
  if (failed > 0) throw new Error(`${failed} requests failed in steps that must not be noticed.`);
  print('No request failed in the upgrade, the rollback and the evictions.');
} finally {
  if (options.keep) print(`The namespace ${namespace} stays: --keep.`);
  else kubectl(['delete', 'namespace', namespace, '--timeout=300s']);
}

async function scenario(): Promise<number> {
  for (const mode of ['enforce', 'warn'])
    kubectl(['label', 'namespace', namespace, `pod-security.kubernetes.io/${mode}=restricted`]);
  helm(['install', release, chart, ...settings, ...tagged(options.tag), '--dry-run=server']);
  admit(cluster, helm(['template', release, chart, ...settings, ...tagged(options.tag)]));
  print('The API server accepts the manifests without a warning, with Pod Security "restricted" enforced.');

  timed('install', () => helm(['install', release, chart, ...settings, ...tagged(options.tag), ...wait]));
  timed('helm test', () => helm(['test', release, '--logs', '--timeout', '5m']));

  const image = JSON.parse(kubectl(['get', 'deploy', `${release}-cli`, '-o', 'json'])) as {
    spec: { template: { spec: { containers: [{ image: string }] } } };
  };
  await startLoad(cluster, release, image.spec.template.spec.containers[0].image);
  const planned = (step: string, act: () => void): Promise<number> =>
    underLoad(cluster, step, async () => {
      act();
      for (const service of services) await untilReady(cluster, service, podsOf(cluster, service).length);
    });
  let failed = 0;
  failed += await planned('nothing (10 s)', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000));
  const change = [
    '--set-string',
    'defaults.podAnnotations.cluster-check=next',
    ...tagged(options['next-tag'] || options.tag),
  ];
  failed += await planned('upgrade', () => helm(['upgrade', release, chart, ...settings, ...change, ...wait]));
  failed += await planned('rollback', () => helm(['rollback', release, ...wait]));
  for (const service of services)
    failed += await underLoad(cluster, `eviction of ${service}`, () => disrupt(cluster, service, 'evict'));
  for (const component of [...services, 'nats', 'postgresql'])
    await underLoad(cluster, `kill of ${component}`, () => disrupt(cluster, component, 'kill'));
  timed('helm test', () => helm(['test', release, '--logs', '--timeout', '5m']));
  return failed;
}

function timed(step: string, act: () => void): void {
  const began = Date.now();
  act();
  print(`${step.padEnd(28)} ${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s`);
}
