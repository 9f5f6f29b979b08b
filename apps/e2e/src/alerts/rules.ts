// The alert rules of the chart, and which series their expressions read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../stack/stack.ts';

interface Rule {
  alert?: string;
  expr: string;
  annotations?: Record<string, string>;
}

interface Matcher {
  label: string;
  operator: string;
  value: string;
}

const folder = join(root, 'k8s', 'holdfast', 'alerts');

export const ruleFiles = readdirSync(folder).map((name) => join(folder, name));

const rules = ruleFiles.flatMap((path) =>
  (parse(readFileSync(path, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);

/** The labels that the annotations of each alert name. */
export const labelsInAnnotations = new Map(
  rules.flatMap(({ alert, annotations = {} }) =>
    alert === undefined
      ? []
      : [
          [
            alert,
            [
              ...Object.values(annotations)
                .join(' ')
                .matchAll(/\$labels\.(\w+)/g),
            ].map(([, label]) => label!),
          ],
        ],
  ),
);

const selectors = new Map<string, Matcher[][]>();
for (const { expr } of rules)
  for (const [, metric, matchers = ''] of expr.matchAll(/\b(up|(?:holdfast|kube|nodejs|process)_\w+)(?:\{([^}]*)\})?/g))
    selectors.set(metric!, [
      ...(selectors.get(metric!) ?? []),
      [...matchers.matchAll(/(\w+)\s*(=~|!=|=)\s*"([^"]*)"/g)].map(([, label, operator, value]) => ({
        label: label!,
        operator: operator!,
        value: value!,
      })),
    ]);

/** Whether any rule reads a series. promtool needs a time in proportion to the number of series. */
export function isRead(metric: string, labels: ReadonlyMap<string, string>): boolean {
  return (selectors.get(metric) ?? []).some((matchers) =>
    matchers.every(({ label, operator, value }) => {
      const actual = labels.get(label) ?? '';
      if (operator === '=~') return new RegExp(`^(?:${value})$`).test(actual);
      return (actual === value) === (operator === '=');
    }),
  );
}
