import { secretTable } from '@holdfast/platform-policy';
import { code, page, table } from './markdown.ts';

const kinds = {
  key: '32 bytes in base64url',
  keys: 'such keys, comma separated, the current one first',
  password: 'password',
  nkey: 'seed of an NKey',
} as const;

export function secretsPage(): string {
  return page(
    'Secrets',
    'libs/platform-policy/src/secrets.ts',
    'Every secret of a deployment. `holdfast secrets create` creates those that are missing and changes no others. ' +
      'The name is the key in a Kubernetes Secret, the file in a folder, and the member of `secrets.json` of a local ' +
      'stack. A service has only the secrets that name it. Those without a service are for jobs and the command ' +
      'line. Each [shard](../shards.md) has a value of its own of a secret with "of a shard".',
    table(
      ['Name', 'Kind', 'Services', 'Variable', 'Purpose', 'If it is lost'],
      secretTable.map(({ name, kind, services, variable, hasPrevious, isOfShard, purpose, ifLost }) => [
        hasPrevious ? `${code(name)}, ${code(`${name}_PREVIOUS`)}` : code(name),
        isOfShard ? `${kinds[kind]}, of a shard` : kinds[kind],
        services.join(', ') || '–',
        variable === undefined ? '–' : code(variable),
        purpose,
        ifLost,
      ]),
    ),
    'A secret with `_PREVIOUS` is rotated without interruption: services accept both values. The section "Rotating" ' +
      'of [the runbook](../runbook.md#rotating) has the steps.',
  );
}
