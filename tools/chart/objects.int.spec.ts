// What a user may set of objects, their pods and volumes, and how it meets what the chart sets.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { databaseServices, serviceNames } from '@holdfast/contracts';
import { installHelm, label, parse, render, type Rendered } from './helm.ts';
import { podOf } from './pod-policies.ts';

/** With everything that a user may set. */
let all: Rendered[];
let external: Rendered[];
beforeAll(async () => {
  await installHelm();
  [all, external] = await Promise.all([render('everything').then(parse), render('external').then(parse)]);
});

const named = (manifests: Rendered[], kind: string, name: string) =>
  manifests.find((m) => m.kind === kind && m.metadata.name === name)!;
const container = (manifest: Rendered, name: string) =>
  podOf(manifest)!.containers.find((one) => one.name === name) as unknown as Record<string, unknown>;
const ofChart = (manifests: Rendered[]) => manifests.filter((m) => m.metadata.name !== 'holdfast-extra');

describe('labels and annotations', () => {
  test('common ones are at every object of the chart, and at no pod of a workload', () => {
    expect(ofChart(all).length).toBeGreaterThan(90);
    for (const { kind, metadata, spec } of ofChart(all)) {
      const found = [metadata.labels?.team, metadata.annotations?.['example.com/contact']];
      expect([kind, metadata.name, ...found]).toEqual([kind, metadata.name, expect.anything(), expect.anything()]);
      expect(JSON.stringify(spec ?? {})).not.toContain('example.com/contact');
    }
  });

  test('those of one object replace common ones, and stand beside those of the chart', () => {
    const deployment = named(all, 'Deployment', 'id-auth');
    expect(deployment.metadata.labels).toMatchObject({ tier: 'backend', team: 'identity' });
    expect(deployment.metadata.annotations).toMatchObject({ 'example.com/contact': 'backend' });
    expect(JSON.stringify(deployment.spec)).not.toContain('"tier"');
    const hook = named(all, 'Job', 'id-secrets').metadata;
    expect(hook.labels).toMatchObject({ kind: 'task', 'holdfast/token': 'needed' });
    expect(hook.annotations).toMatchObject({ 'helm.sh/hook-weight': '-10', 'example.com/wave': '1' });
    expect(named(all, 'PersistentVolumeClaim', 'id-backup').metadata.annotations).toMatchObject({
      'helm.sh/resource-policy': 'keep',
      'example.com/backup': 'true',
      'example.com/contact': 'identity',
    });
    for (const [kind, name, labels, annotations] of [
      ['PodDisruptionBudget', 'id-auth', { tier: 'backend' }, { 'example.com/drain': 'slow' }],
      ['PodDisruptionBudget', 'id-nats', { tier: 'data' }, { 'example.com/drain': 'slow' }],
      ['StatefulSet', 'id-nats', { tier: 'data' }, { 'example.com/owner': 'data' }],
      ['StatefulSet', 'id-postgresql', { tier: 'data' }, { 'example.com/owner': 'data' }],
      ['CronJob', 'id-rewrite', { kind: 'task' }, { 'example.com/wave': '1' }],
      ['Deployment', 'id-cli', { kind: 'task' }, { 'example.com/wave': '1' }],
      ['Ingress', 'id', { team: 'edge' }, {}],
      ['HTTPRoute', 'id', { team: 'edge' }, {}],
      ['ServiceAccount', 'id-auth', { team: 'identity' }, { 'example.com/role': 'none' }],
    ] as const)
      expect(named(all, kind, name).metadata).toMatchObject({ labels, annotations });
  });

  test('a label of the user replaces one of the chart, and no key stands twice', async () => {
    const label =
      'service.labels.app\\.kubernetes\\.io/part-of=portal,commonLabels.app\\.kubernetes\\.io/part-of=suite';
    const rendered = parse(await render('minimal', '--set', label));
    const partOf = (kind: string, name: string) =>
      named(rendered, kind, name).metadata.labels!['app.kubernetes.io/part-of'];
    expect(partOf('Service', 'holdfast-gateway')).toBe('portal');
    expect(partOf('Deployment', 'holdfast-auth')).toBe('suite');
  });
});

describe('pods of services', () => {
  test('are replaced as the user says', async () => {
    const { spec } = named(all, 'Deployment', 'id-auth');
    expect(spec!.strategy).toEqual({ rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } });
    expect(named(all, 'StatefulSet', 'id-postgresql').spec!.updateStrategy).toEqual({ type: 'OnDelete' });
    expect(named(all, 'StatefulSet', 'id-nats').spec!.updateStrategy).toMatchObject({
      rollingUpdate: { partition: 1 },
    });
    const partition = 'services.audit.updateStrategy.rollingUpdate.partition=1';
    const recreated = parse(await render('bundled', '--set', `defaults.strategy.type=Recreate,${partition}`));
    expect(named(recreated, 'StatefulSet', 'holdfast-audit').spec!.updateStrategy).toEqual({
      rollingUpdate: { partition: 1 },
    });
    const auth = named(recreated, 'Deployment', 'holdfast-auth');
    expect(auth.spec!.strategy).toEqual({ type: 'Recreate' });
    // Its only pod would wait for a successor that Kubernetes creates after its end.
    expect(JSON.stringify(auth.spec)).not.toContain('SUCCESSOR_SECONDS');
  });

  test('keep the wait of the chart beside a postStart, and give it up for a preStop of the user alone', async () => {
    expect(container(named(all, 'Deployment', 'id-auth'), 'auth').lifecycle).toEqual({
      preStop: { sleep: { seconds: 5 } },
      postStart: { exec: { command: ['node', '--version'] } },
    });
    const own = 'defaults.preStopSeconds=0,defaults.lifecycle.preStop.httpGet.port=ops';
    const rendered = parse(await render('minimal', '--set', own));
    expect(container(named(rendered, 'Deployment', 'holdfast-auth'), 'auth').lifecycle).toEqual({
      preStop: { httpGet: { port: 'ops' } },
    });
  });

  test('have another handler of a probe, command and arguments, and a token only where one is asked for', () => {
    const gateway = container(named(all, 'Deployment', 'id-gateway'), 'gateway');
    expect(gateway).toMatchObject({
      command: ['node', '--max-http-header-size=32768'],
      args: ['service/main.js'],
      readinessProbe: { httpGet: { path: '/readyz', port: 'ops' }, failureThreshold: 2 },
    });
    expect(gateway.livenessProbe).toEqual({
      tcpSocket: { port: 'http' },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 12,
    });
    const withToken = all.filter((m) => podOf(m)?.automountServiceAccountToken).map((m) => label(m, 'component'));
    expect(withToken.sort()).toEqual(['owner', 'secrets', 'signals']);
    const accounts = all.filter((m) => m.kind === 'ServiceAccount' && m.automountServiceAccountToken !== false);
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['id-signals']);
  });
});

test('every Job is deleted after its end when the user says so, and none by default', () => {
  const specs = (manifests: Rendered[]) =>
    manifests.flatMap(({ kind, spec }) => {
      if (kind === 'CronJob') return (spec!.jobTemplate as { spec: Record<string, unknown> }).spec;
      return kind === 'Job' ? spec! : [];
    });
  expect(specs(all).length).toBeGreaterThanOrEqual(7);
  for (const spec of specs(all)) expect(spec).toMatchObject({ ttlSecondsAfterFinished: 86_400 });
  for (const spec of specs(external)) expect(spec).not.toHaveProperty('ttlSecondsAfterFinished');
});

test('the Ingress has several hosts and paths, and its own entries of tls', () => {
  const gateway = { service: { name: 'id-gateway', port: { name: 'http' } } };
  const paths = [
    { path: '/', pathType: 'Prefix', backend: gateway },
    { path: '/static', pathType: 'Exact', backend: { service: { name: 'static', port: { number: 80 } } } },
  ];
  expect(named(all, 'Ingress', 'id').spec).toEqual({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['id.example.com'], secretName: 'id-tls' }],
    rules: [
      { host: 'id.example.com', http: { paths } },
      { host: '*.id.example.com', http: { paths } },
    ],
  });
  expect(named(external, 'Ingress', 'holdfast').spec).toMatchObject({
    tls: [{ hosts: ['id.example.com'], secretName: 'holdfast-ingress-tls' }],
  });
});

test('the port of the gateway has the protocol of the user, or none', async () => {
  const ports = (manifests: Rendered[], name: string) =>
    (named(manifests, 'Service', name).spec as { ports: Record<string, unknown>[] }).ports;
  expect(ports(all, 'id-gateway')[0]).not.toHaveProperty('appProtocol');
  expect(ports(all, 'id-auth')[0]).toMatchObject({ appProtocol: 'https' });
  expect(ports(external, 'holdfast-gateway')[0]).toMatchObject({ appProtocol: 'http' });
  const other = parse(await render('minimal', '--set', 'service.appProtocol=kubernetes.io/ws'));
  expect(ports(other, 'holdfast-gateway')[0]).toMatchObject({ appProtocol: 'kubernetes.io/ws' });
});

test('members of an endpoint replace those of the PodMonitor, and relabelings come after those of the chart', () => {
  const endpoint = (name: string) =>
    (named(all, 'PodMonitor', name).spec as { podMetricsEndpoints: Record<string, unknown>[] }).podMetricsEndpoints[0]!;
  const cluster = { targetLabel: 'cluster', replacement: 'eu' };
  const component = { sourceLabels: [expect.stringContaining('_component')], targetLabel: 'component' };
  expect(endpoint('id')).toEqual({
    port: 'ops',
    path: '/metrics',
    interval: '30s',
    scrapeTimeout: '5s',
    relabelings: [component, cluster],
  });
  expect(endpoint('id-nats')).toMatchObject({ port: 'exporter', interval: '30s', relabelings: [cluster] });
});

test('the CronJob that rewrites tables reaches the database, and nothing else', () => {
  expect(label(named(all, 'CronJob', 'id-rewrite'), 'component')).toBe('rewrite');
  const { egress, podSelector } = named(all, 'NetworkPolicy', 'id-rewrite').spec as {
    egress: { ports: unknown }[];
    podSelector: { matchLabels: Record<string, string> };
  };
  expect(podSelector.matchLabels['app.kubernetes.io/component']).toBe('rewrite');
  expect(egress.map(({ ports }) => ports)).toEqual([[{ protocol: 'TCP', port: 5432 }]]);
  const admitted = (name: string) => JSON.stringify(named(all, 'NetworkPolicy', name).spec!.ingress);
  expect(admitted('id-postgresql')).toContain('"rewrite"');
  expect(admitted('id-nats')).not.toContain('"rewrite"');
});

describe('bundled servers', () => {
  test('use claims that exist, and no others', async () => {
    const settings = 'nats.bundled.storage.existingClaim=streams,postgresql.bundled.storage.existingClaim=rows';
    const rendered = parse(await render('bundled', '--set', `${settings},shards[0].name=eu2`));
    for (const [name, claim] of [
      ['nats', 'streams'],
      ['postgresql', 'rows'],
    ]) {
      const { spec } = named(rendered, 'StatefulSet', `holdfast-${name}`);
      expect(spec).not.toHaveProperty('volumeClaimTemplates');
      const volumes = podOf(named(rendered, 'StatefulSet', `holdfast-${name}`))!.volumes;
      expect(volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: claim } });
      const shard = named(rendered, 'StatefulSet', `holdfast-eu2-${name}`).spec!;
      expect(JSON.stringify(shard.volumeClaimTemplates)).toContain('"name":"data"');
      expect(JSON.stringify(shard)).not.toContain(claim);
    }
  });

  test('have further arguments', async () => {
    const args = `nats.bundled.extraArgs={-D,--name,it's $HOME}`;
    const [one, three] = await Promise.all(
      [1, 3].map(async (replicas) => {
        const rendered = parse(await render('bundled', '--set', `${args},nats.bundled.replicas=${replicas}`));
        return container(named(rendered, 'StatefulSet', 'holdfast-nats'), 'nats') as { args: string[] };
      }),
    );
    expect(one!.args).toEqual(['-D', '--name', "it's $HOME"]);
    expect(three!.args).toEqual(one!.args);
    const { args: all_ } = container(named(all, 'StatefulSet', 'id-postgresql'), 'postgresql') as { args: string[] };
    expect(all_.slice(-2)).toEqual(['-c', 'shared_buffers=256MB']);
  });
});

describe('certificates by which clients prove themselves to PostgreSQL', () => {
  const secretOf = (manifest: Rendered) => {
    const volume = podOf(manifest)!.volumes?.find(({ name }) => name === 'postgresql-client');
    return (volume as { secret?: { secretName: string } } | undefined)?.secret?.secretName;
  };
  const workloads = (component: string) => external.filter((m) => podOf(m) && label(m, 'component') === component);

  test('are those of all services, of one service, and of the owner', () => {
    for (const service of databaseServices)
      expect([service, workloads(service).map(secretOf)]).toEqual([
        service,
        [service === 'audit' ? 'audit-client' : 'database-client'],
      ]);
    for (const component of ['setup', 'rewrite', 'backup', 'owner', 'restore'])
      for (const manifest of workloads(component))
        expect([manifest.metadata.name, secretOf(manifest)]).toEqual([manifest.metadata.name, 'owner-client']);
    for (const service of serviceNames.filter((name) => !(databaseServices as readonly string[]).includes(name)))
      expect([service, workloads(service).map(secretOf)]).toEqual([service, [undefined]]);
  });

  test('are known to every container that connects, by files that it mounts', () => {
    const connecting = external.flatMap((m) =>
      [...(podOf(m)?.initContainers ?? []), ...(podOf(m)?.containers ?? [])].filter(({ env = [] }) =>
        env.some(({ name }) => name.startsWith('DATABASE_URL')),
      ),
    );
    expect(connecting.length).toBeGreaterThan(20);
    for (const one of connecting) {
      const paths = one.env!.flatMap(({ name, value }) => (name.startsWith('DATABASE_CERT_FILE') ? [value!] : []));
      expect([one.name, paths]).toEqual([one.name, ['/run/holdfast/postgresql-client/tls.crt']]);
      const { volumeMounts } = one as unknown as { volumeMounts: { mountPath: string }[] };
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain('/run/holdfast/postgresql-client');
    }
  });

  test('of main reach no shard', async () => {
    const shared = 'postgresql.external.clientCertificate.existingSecret=main-client';
    const rendered = parse(await render('shards', '--set', shared));
    const using = rendered.filter((m) => podOf(m) && secretOf(m) === 'main-client');
    expect(using.length).toBeGreaterThan(6);
    expect(using.filter((m) => label(m, 'instance') === 'holdfast-eu2')).toEqual([]);
  });
});
