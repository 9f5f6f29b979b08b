// Prometheus' own promtool parses every expression, and evaluates each alert over a scenario in which it fires and one
// in which it does not.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from '@jest/globals';
import { scenarios, type Series } from './alert-scenarios.ts';
import { dashboardFiles, ruleFiles } from './rules.ts';

const promtool = process.env
  .PATH!.split(delimiter)
  .map((path) => join(path, 'promtool'))
  .find(existsSync);
const withPromtool = promtool ? it : it.skip;
const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Resolves to its output; rejects with it when a check fails. */
async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(promtool!, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(error.stdout + error.stderr);
  });
  return stdout;
}

function writtenTo(name: string, content: object): string {
  const path = join(folder, name);
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(content));
  return path;
}

interface Case {
  alert: string;
  series: Series;
  fires: boolean;
}

/** Evaluates cases without a common metric together, because promtool evaluates all rules for each test. */
function packed(cases: Case[]): Case[][] {
  const metricsOf = ({ series }: Case) => Object.keys(series).map((one) => one.split('{')[0]!);
  const packs: { metrics: Set<string>; cases: Case[] }[] = [];
  for (const one of cases) {
    const metrics = metricsOf(one);
    let pack = packs.find((candidate) => metrics.every((metric) => !candidate.metrics.has(metric)));
    if (!pack) packs.push((pack = { metrics: new Set(), cases: [] }));
    metrics.forEach((metric) => pack.metrics.add(metric));
    pack.cases.push(one);
  }
  return packs.map((pack) => pack.cases);
}

function testOf(cases: Case[]): object {
  const series = Object.assign({}, ...cases.map((one) => one.series)) as Series;
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: cases.map(({ alert, fires }) => ({
      expr: `count by (alertname) (ALERTS{alertname="${alert}", alertstate="firing"})`,
      eval_time: '59m',
      exp_samples: fires ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
    })),
  };
}

withPromtool('promtool accepts all rules', async () => {
  expect(await run('check', 'rules', ...ruleFiles)).not.toMatch('FAILED');
});

withPromtool('promtool accepts the expressions of all dashboards', async () => {
  const exprs = dashboardFiles.flatMap((path) => {
    const { panels } = JSON.parse(readFileSync(path, 'utf8')) as { panels: { targets: { expr: string }[] }[] };
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
  });
  const rules = exprs.map((expr, i) => ({ record: `panel:${i}`, expr }));
  const path = writtenTo('dashboards.yaml', { groups: [{ name: 'panels', rules }] });
  expect(await run('check', 'rules', path)).toContain(`${exprs.length} rules found`);
});

withPromtool(
  'each alert fires in its scenario, and does not in the one close to it',
  async () => {
    const cases = Object.entries(scenarios).flatMap(([alert, { fires, silent }]) => [
      { alert, series: fires, fires: true },
      { alert, series: silent, fires: false },
    ]);
    const tests = packed(cases).map(testOf);
    const path = writtenTo('test.yaml', { rule_files: ruleFiles, evaluation_interval: '1m', tests });
    expect(await run('test', 'rules', path)).toContain('SUCCESS');
  },
  60_000,
);
