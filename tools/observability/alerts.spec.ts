import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { root } from '../setup/paths.mjs';
import { scenarios } from './alert-scenarios.ts';
import { alerts, dashboardFiles, rules, undocumentedIn } from './rules.ts';

interface Dashboard {
  uid: string;
  templating: { list: { name: string; type: string }[] };
  panels: { id: number; title: string; datasource: { uid: string }; targets: { expr: string }[] }[];
}

const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
const sections = [...runbook.matchAll(/^#{2,4} (.+)$/gm)].map(([, title]) =>
  title!.toLowerCase().replaceAll(/[`?…]/g, ''),
);

test.each(rules.map(({ alert, record, expr }) => [alert ?? record!, expr]))(
  '%s uses metrics and labels of the reference',
  (_, expr) => expect(undocumentedIn(expr)).toEqual([]),
);

describe.each(alerts)('$alert', ({ alert, labels, annotations }) => {
  it('says how severe it is, what happened and what it means', () => {
    expect(labels?.severity).toMatch(/^(critical|warning)$/);
    expect(annotations?.summary).toBeTruthy();
    expect(annotations?.description).toMatch(/\.$/);
  });

  it('leads to its section of the runbook', () => {
    expect(annotations?.runbook_url).toBe(`https://holdfast.example/docs/runbook.md#${alert.toLowerCase()}`);
    expect(sections).toContain(alert.toLowerCase());
  });

  it('has a scenario in which it fires, and one in which it does not', () => {
    expect(Object.keys(scenarios[alert] ?? {})).toEqual(['fires', 'silent']);
  });
});

test('each section of an alert in the runbook has its alert', () => {
  const named = sections.filter((title) => title.startsWith('holdfast'));
  expect(named.filter((name) => !alerts.some(({ alert }) => alert.toLowerCase() === name))).toEqual([]);
});

describe.each(dashboardFiles.map((path) => [basename(path), path]))('dashboard %s', (name, path) => {
  const { uid, templating, panels } = JSON.parse(readFileSync(path, 'utf8')) as Dashboard;

  it('has a fixed id, a variable for the data source, and panels that use it', () => {
    expect(uid).toBe(`holdfast-${name.replace('.json', '')}`);
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'datasource', type: 'datasource' }));
    expect(new Set(panels.map((panel) => panel.datasource.uid))).toEqual(new Set(['${datasource}']));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.each(panels.map(({ title, targets }) => [title, targets] as const))(
    'its panel "%s" uses metrics and labels of the reference',
    (_, targets) => expect(targets.flatMap(({ expr }) => undocumentedIn(expr))).toEqual([]),
  );
});

test.each([
  ['holdfast_nothing_total > 0', 'there is no metric holdfast_nothing_total'],
  ['holdfast_outbox_unconfirmed{stream="x"}', 'holdfast_outbox_unconfirmed has no label stream'],
  ['sum by (route) (holdfast_outbox_unconfirmed)', 'no metric of the expression has a label route'],
])('%s is found to be wrong', (expr, problem) => expect(undocumentedIn(expr)).toEqual([problem]));
