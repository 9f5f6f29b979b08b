import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { chart, helm, installHelm, label, parse, render, type Rendered } from './helm.ts';
import { podOf } from './pod-policies.ts';

/** With everything that a user may set. */
let all: Rendered[];
beforeAll(async () => {
  await installHelm();
  all = parse(await render('everything'));
});

const named = (manifests: Rendered[], kind: string, name: string) =>
  manifests.find((m) => m.kind === kind && m.metadata.name === name)!;
const pods = (manifests: Rendered[]) =>
  manifests.flatMap((m) => {
    const pod = podOf(m);
    return pod ? [{ name: `${m.kind} ${m.metadata.name}`, component: label(m, 'component'), pod, manifest: m }] : [];
  });

describe('a cluster that assigns users to pods, such as OpenShift', () => {
  test('gets pods without a user or group, which still may not run as root', async () => {
    const manifests = parse(await render('bundled', '--set', 'securityContext.assignedUsers=true'));
    expect(pods(manifests).length).toBeGreaterThan(15);
    for (const { name, pod } of pods(manifests)) {
      const { securityContext = {} } = pod;
      expect([name, securityContext]).toEqual([name, expect.objectContaining({ runAsNonRoot: true })]);
      for (const member of ['runAsUser', 'runAsGroup', 'fsGroup']) expect(securityContext).not.toHaveProperty(member);
    }
  });

  test('gets further members of the contexts in every pod and container of the chart', () => {
    const own = pods(all).filter(({ component }) => component !== undefined);
    for (const { name, pod } of own) {
      expect([name, pod.securityContext]).toEqual([name, expect.objectContaining({ supplementalGroups: [2000] })]);
      for (const { securityContext } of pod.containers.filter((one) => one.name !== 'shipper'))
        expect(securityContext).toMatchObject({ privileged: false, allowPrivilegeEscalation: false });
    }
  });
});

test('containers and init containers of the user are in the pods of services, before those of the chart', () => {
  const { pod } = pods(all).find(({ name }) => name === 'Deployment id-auth')!;
  expect(pod.containers.map(({ name }) => name)).toEqual(['auth', 'shipper']);
  expect(pod.initContainers!.map(({ name }) => name)[0]).toBe('prepare');
  expect(pod).toMatchObject({ dnsConfig: { options: [{ name: 'ndots', value: '2' }] } });
});

test('replicas are kept apart by zone and node, and by node alone where nodes have no zone', async () => {
  const manifests = parse(await render('bundled', '--set', 'nats.bundled.replicas=3'));
  const spread = pods(manifests).filter(({ pod }) => pod.topologySpreadConstraints);
  expect(new Set(spread.map(({ component }) => component))).toEqual(
    new Set(['gateway', 'auth', 'issuance', 'subjects', 'audit', 'directory', 'signals', 'nats']),
  );
  for (const { name, component, pod, manifest } of spread) {
    const labelSelector = { matchLabels: { 'app.kubernetes.io/component': component } };
    // Of old and new pods each for themselves, which a StatefulSet does not have at once.
    const each = manifest.kind === 'Deployment' ? { matchLabelKeys: ['pod-template-hash'] } : {};
    const constraint = { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', labelSelector, ...each };
    expect([name, pod]).toMatchObject([
      name,
      {
        topologySpreadConstraints: [
          { topologyKey: 'topology.kubernetes.io/zone', ...constraint },
          { topologyKey: 'kubernetes.io/hostname', ...constraint },
        ],
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector, ...each } },
            ],
          },
        },
      },
    ]);
  }
  const own = pods(all).find(({ name }) => name === 'Deployment id-auth')!;
  expect(own.pod).not.toHaveProperty('affinity');
});

test('what the chart has no value for is set by further members', () => {
  const deployment = named(all, 'Deployment', 'id-auth');
  expect(deployment.metadata.annotations).toMatchObject({ 'example.com/owner': 'identity' });
  expect(deployment.spec).toMatchObject({ minReadySeconds: 2, revisionHistoryLimit: 3 });
  const pod = podOf(deployment)!;
  expect(pod).toMatchObject({ runtimeClassName: 'sandbox', topologySpreadConstraints: [{ maxSkew: 2 }] });
  expect(pod.containers[0]).toMatchObject({
    startupProbe: { httpGet: { path: '/healthz' }, initialDelaySeconds: 1, failureThreshold: 90 },
    livenessProbe: { failureThreshold: 12, periodSeconds: 10 },
  });
  expect(named(all, 'PodDisruptionBudget', 'id-auth').spec).toMatchObject({ minAvailable: '50%' });
  expect(named(all, 'PodDisruptionBudget', 'id-auth').spec).not.toHaveProperty('maxUnavailable');
  const scaling = JSON.stringify(named(all, 'HorizontalPodAutoscaler', 'id-auth').spec);
  expect(scaling).toContain('"name":"memory"');
  expect(scaling).toContain('"scaleDown":{"stabilizationWindowSeconds":600}');
  const { data } = named(all, 'ConfigMap', 'id-nats-config') as unknown as { data: Record<string, string> };
  expect(data['nats.conf']).toMatch(/^max_connections: 2000$/m);
  for (const [kind, name] of [
    ['StatefulSet', 'id-nats'],
    ['StatefulSet', 'id-postgresql'],
    ['PersistentVolumeClaim', 'id-backup'],
  ] as const)
    expect(JSON.stringify(named(all, kind, name))).toContain('"example.com/backup":"true"');
  expect(named(all, 'PodMonitor', 'id').spec).toMatchObject({ podMetricsEndpoints: [{ scrapeTimeout: '5s' }] });
});

test('the proxy of a database runs beside each Job and pod that uses the database as its owner', () => {
  const using = pods(all).filter(({ pod }) =>
    JSON.stringify(pod.containers.concat(pod.initContainers ?? [])).includes('"DATABASE_URL"'),
  );
  const owners = using.filter(({ component }) =>
    ['setup', 'backup', 'rewrite', 'owner', 'restore'].includes(component ?? ''),
  );
  expect(owners.length).toBeGreaterThanOrEqual(6);
  for (const { name, pod } of owners)
    expect([name, pod.initContainers?.[0]]).toEqual([name, expect.objectContaining({ name: 'proxy' })]);
});

test('every pod knows names beside those of DNS', () => {
  const without = pods(all).filter(({ pod, name }) => !name.includes('postgresql') && !('hostAliases' in pod));
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('pods of Jobs and of the command line have labels and annotations of the user', () => {
  for (const { name, manifest } of pods(all).filter(({ manifest: { kind } }) => kind === 'Job' || kind === 'CronJob')) {
    const text = JSON.stringify(manifest.spec);
    expect([name, text]).toEqual([name, expect.stringContaining('"sidecar.istio.io/inject":"false"')]);
    expect([name, text]).toEqual([name, expect.stringContaining('"team":"jobs"')]);
  }
});

test('the Service of the gateway has labels and further members of its spec', () => {
  const service = named(all, 'Service', 'id-gateway');
  expect(service.metadata.labels).toMatchObject({ team: 'edge' });
  expect(service.spec).toMatchObject({
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    loadBalancerSourceRanges: ['192.0.2.0/24'],
  });
});

test('objects of the user are part of the release, and templates of it', () => {
  expect(named(all, 'ConfigMap', 'holdfast-extra')).toMatchObject({ data: { baseUrl: 'https://id.example.com' } });
});

test('services may call the ports that OUTBOUND_PORTS allows them', async () => {
  const ports = 'services.signals.env.OUTBOUND_PORTS=443\\,8443';
  const manifests = parse(await render('minimal', '--set', ports));
  const policy = (name: string) => JSON.stringify(named(manifests, 'NetworkPolicy', name).spec);
  expect(policy('holdfast-signals')).toContain('{"protocol":"TCP","port":8443}');
  expect(policy('holdfast-auth')).not.toContain('8443');
});

test('NodeLocal DNSCache answers pods, unless the place of DNS is given', async () => {
  const dns = (manifests: Rendered[]) =>
    JSON.stringify(manifests.find((m) => m.kind === 'NetworkPolicy' && m.metadata.name.endsWith('-dns'))!.spec);
  expect(dns(parse(await render('minimal')))).toContain('169.254.20.10/32');
  expect(dns(all)).not.toContain('169.254.20.10/32');
});

test('NATS encrypts what it stores, and an exporter has its metrics where Prometheus finds and may read them', () => {
  const { data } = named(all, 'ConfigMap', 'id-nats-config') as unknown as { data: Record<string, string> };
  expect(data['nats.conf']).toMatch(/cipher: aes\n\s+key: \$JETSTREAM_KEY/);
  const { pod, manifest } = pods(all).find(({ name }) => name === 'StatefulSet id-nats')!;
  expect(pod.containers.find(({ name }) => name === 'nats')!.env).toContainEqual({
    name: 'JETSTREAM_KEY',
    valueFrom: { secretKeyRef: { name: 'jetstream', key: 'key' } },
  });
  expect(JSON.stringify(manifest.spec)).toContain('"example.com/scrape":"true"');
  expect(pod.containers.map(({ name }) => name)).toContain('exporter');
  expect(named(all, 'PodMonitor', 'id-nats').spec).toMatchObject({ podMetricsEndpoints: [{ port: 'exporter' }] });
  expect(JSON.stringify(named(all, 'NetworkPolicy', 'id-nats').spec)).toContain('"port":"exporter"');
});

test('a trial requests half a core, and its upgrade half of that more: kind on two cores has room', async () => {
  const args = ['--values', join(chart, 'trial.yaml'), '--set', 'baseUrl=http://localhost:8080'];
  const manifests = parse(await helm('template', 'holdfast', chart, ...args));
  const workloads = manifests.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
  const millicoresOf = (manifest: Rendered) =>
    podOf(manifest)!.containers.reduce((sum, { resources }) => sum + millicores(resources?.requests?.cpu), 0);
  const requested = workloads.reduce((sum, m) => sum + Number(m.spec!.replicas) * millicoresOf(m), 0);
  // Successors start first, those of a StatefulSet apart.
  const surge = workloads
    .filter(({ kind, spec }) => kind === 'Deployment' && Number(spec!.replicas) > 0)
    .reduce((sum, m) => sum + millicoresOf(m), 0);
  expect(requested).toBeGreaterThan(300);
  expect(requested).toBeLessThanOrEqual(500);
  expect(surge).toBeLessThanOrEqual(250);
  // The audit log is there during an upgrade.
  expect(named(manifests, 'StatefulSet', 'holdfast-audit').spec).toMatchObject({ replicas: 2 });
});

function millicores(cpu: string | undefined): number {
  const [, number, unit] = /^(\d+)(m?)$/.exec(cpu ?? '')!;
  return Number(number) * (unit === 'm' ? 1 : 1000);
}
