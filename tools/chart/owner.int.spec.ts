// The pods for rotations and restores: what each may do, and that none of them runs by itself.
import { beforeAll, expect, test } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { installHelm, label, parse, render, type Rendered } from './helm.ts';
import { podOf } from './pod-policies.ts';

let rendered: Rendered[];
const named = (kind: string, name: string) => rendered.find((m) => m.kind === kind && m.metadata.name === name)!;
const egressPorts = (name: string) => {
  const { egress } = named('NetworkPolicy', name).spec as { egress: { ports: { port: number }[] }[] };
  return egress.flatMap(({ ports }) => ports.map(({ port }) => port)).sort((a, b) => a - b);
};

beforeAll(async () => {
  await installHelm();
  rendered = parse(await render('bundled', '--set', 'backup.dumpSchedule=0 3 * * *', '--set', 'defaults.replicas=2'));
});

test('neither of them has a pod until it is scaled', () => {
  for (const name of ['holdfast-owner', 'holdfast-restore'])
    expect((named('Deployment', name).spec as { replicas: number }).replicas).toBe(0);
});

test('the owner reads and changes the Secret and the users of NATS of its release, and nothing else', () => {
  const bound = rendered.filter((m) => m.kind === 'RoleBinding' && label(m, 'component') === 'owner');
  expect(bound).toHaveLength(1);
  expect(named('Role', 'holdfast-owner')).toMatchObject({
    rules: [
      { resources: ['secrets'], verbs: ['get', 'update'], resourceNames: ['holdfast'] },
      { resources: ['configmaps'], verbs: ['get', 'update'], resourceNames: ['holdfast-nats-users'] },
    ],
  });
  expect(podOf(named('Deployment', 'holdfast-owner'))).toMatchObject({ serviceAccountName: 'holdfast-owner' });
  expect(egressPorts('holdfast-owner')).toEqual([443, 4222, 5432, 6443]);
});

test('a restore has the backups and the checkpoints of each replica of audit, no token, and the database alone', () => {
  const pod = podOf(named('Deployment', 'holdfast-restore'))!;
  const claims = (pod.volumes ?? []).flatMap((volume) => {
    const { persistentVolumeClaim } = volume as { persistentVolumeClaim?: { claimName: string } };
    return persistentVolumeClaim ? [persistentVolumeClaim.claimName] : [];
  });
  expect(claims).toEqual(['holdfast-backup', 'checkpoints-holdfast-audit-0', 'checkpoints-holdfast-audit-1']);
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(pod.containers.map(({ name }) => name)).toEqual(['cli', 'postgresql']);
  expect(egressPorts('holdfast-restore')).toEqual([5432]);
});

test('a service mounts the earlier password of its database during a rotation, and starts without one', () => {
  for (const service of databaseServices) {
    const workload = rendered.find((m) => podOf(m) && label(m, 'component') === service)!;
    const volume = podOf(workload)!.volumes!.find(({ name }) => name === 'database-password');
    const key = `DB_PASSWORD_${service.toUpperCase()}`;
    expect(volume).toMatchObject({
      projected: {
        sources: [
          { secret: { name: 'holdfast', items: [{ key, path: 'database-password' }] } },
          {
            secret: {
              name: 'holdfast',
              optional: true,
              items: [{ key: `${key}_PREVIOUS`, path: 'database-password_PREVIOUS' }],
            },
          },
        ],
      },
    });
  }
});

test('without backups a restore has the checkpoints alone, and owner.enabled=false leaves both out', async () => {
  const [bare, disabled] = await Promise.all([
    render('bundled').then(parse),
    render('bundled', '--set', 'owner.enabled=false').then(parse),
  ]);
  const restore = bare.find((m) => m.kind === 'Deployment' && m.metadata.name === 'holdfast-restore')!;
  expect(podOf(restore)!.containers.map(({ name }) => name)).toEqual(['cli']);
  expect(disabled.filter((m) => ['owner', 'restore'].includes(label(m, 'component') ?? ''))).toEqual([]);
});
