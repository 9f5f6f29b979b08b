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
      'stack. A service has only the secrets that name it. Those without a service are for jobs and the command line.',
    table(
      ['Name', 'Kind', 'Services', 'Variable', 'Purpose', 'If it is lost'],
      secretTable.map(({ name, kind, services, variable, hasPrevious, purpose, ifLost }) => [
        hasPrevious ? `${code(name)}, ${code(`${name}_PREVIOUS`)}` : code(name),
        kinds[kind],
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
