// The chart requests the CPU that docs/capacity.md derives from measured figures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../setup/paths.mjs';

interface Resources {
  requests: { cpu: string; memory: string };
}
interface Values {
  services: Record<string, { resources: Resources }>;
  postgresql: { bundled: { resources: Resources } };
  nats: { bundled: { resources: Resources } };
}

const perSecond = { token: 50, offer: 50, 'get of a customer': 300, 'page of 50 customers': 100, 'sign-in': 10 };
const leastMillicores = 50;
const values = parse(readFileSync(join(root, 'k8s', 'holdfast', 'values.yaml'), 'utf8')) as Values;
const rows = readFileSync(join(root, 'docs', 'capacity.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));
const header = rows.find(([first, second]) => first === 'Request' && second === 'PostgreSQL')!;

function millicoresOf(process: string, replicas: number): string {
  const micros = Object.entries(perSecond).reduce((sum, [request, count]) => {
    const row = rows.find((cells) => cells.length === header.length && cells[0]!.startsWith(request))!;
    return sum + count * Number(row[header.indexOf(process)]!.replaceAll(',', ''));
  }, 0);
  return `${Math.max(leastMillicores, Math.ceil(micros / 1000 / replicas / 10) * 10)}m`;
}

test('the CPU requests of the chart are those of the measured figures', () => {
  const calculated = Object.keys(values.services).map((service) => [service, millicoresOf(service, 2)]);
  expect(Object.entries(values.services).map(([service, { resources }]) => [service, resources.requests.cpu])).toEqual(
    calculated,
  );
  const { postgresql, nats } = values;
  expect([postgresql.bundled.resources.requests.cpu, nats.bundled.resources.requests.cpu]).toEqual([
    millicoresOf('PostgreSQL', 1),
    millicoresOf('NATS', 1),
  ]);
});

test('the document has the requests of the chart', () => {
  for (const [service, { resources }] of Object.entries(values.services)) {
    const row = rows.find((cells) => cells[0] === service && cells.length === 5)!;
    expect([row[0], row[2], row[4]]).toEqual([service, resources.requests.cpu, resources.requests.memory]);
  }
});
