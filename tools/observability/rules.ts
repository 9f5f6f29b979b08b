import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { root } from '../setup/paths.mjs';

export interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  for?: string;
  labels?: { severity?: string };
  annotations?: { summary?: string; description?: string; runbook_url?: string };
}

const chart = join(root, 'k8s', 'holdfast');

const filesOf = (folder: string): string[] => readdirSync(join(chart, folder)).map((name) => join(chart, folder, name));

export const ruleFiles = filesOf('alerts');
export const dashboardFiles = filesOf('dashboards');

export const rules = ruleFiles.flatMap((path) => {
  const { groups } = parseYaml(readFileSync(path, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
});
export const alerts = rules.filter((rule) => rule.alert !== undefined) as (Rule & { alert: string })[];

/** Metrics of others that the rules use, with their labels. */
const foreign: Record<string, string[]> = {
  up: [],
  kube_pod_status_ready: ['condition'],
  kube_cronjob_status_last_successful_time: ['namespace', 'cronjob'],
};
/** Labels that Prometheus adds: docs/observability.md says how `component` and `shard` get there. */
const ofTarget = ['component', 'shard', 'instance', 'namespace', 'pod'];

/** Labels of each metric, by the generated reference. */
const documented = new Map<string, string[]>(
  [
    ...readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8').matchAll(
      /^\| `([a-z0-9_]+)` \| (\w+) \| ([^|]*) \|/gm,
    ),
  ].map(([, name, type, labels]) => [
    name!,
    [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!).concat(type === 'histogram' ? ['le'] : []),
  ]),
);

function labelsOf(metric: string): string[] | undefined {
  const declared = documented.get(metric) ?? documented.get(metric.replace(/_(bucket|sum|count)$/, ''));
  // Prometheus has a label `job` of its own, so it renames that of a metric.
  return (declared ?? foreign[metric])?.map((label) => (label === 'job' ? 'exported_job' : label)).concat(ofTarget);
}

/** What an expression uses that no metric has. */
export function undocumentedIn(expr: string): string[] {
  const text = expr.replaceAll(/"[^"]*"/g, '""');
  const recorded = new Set(rules.map(({ record }) => record));
  const selected = [...text.matchAll(/(?<![\w:])([a-z][a-z0-9_:]*)(?:\{([^}]*)\}|\[|(?![\w:({]))/g)].filter(
    ([, name]) => /^(holdfast|nodejs|process|kube)[_:]/.test(name!) || name === 'up',
  );
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [, name, matchers = ''] of selected) {
    if (recorded.has(name)) continue;
    const labels = labelsOf(name!);
    if (!labels) problems.push(`there is no metric ${name}`);
    labels?.forEach((label) => known.add(label));
    for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=|!)/g))
      if (labels && !labels.includes(label!)) problems.push(`${name} has no label ${label}`);
  }
  for (const [, list] of text.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g))
    for (const label of list!.split(',').map((one) => one.trim()))
      if (!known.has(label)) problems.push(`no metric of the expression has a label ${label}`);
  return selected.length === 0 ? ['it has no metric'] : problems;
}
