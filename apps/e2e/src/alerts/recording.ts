// Samples of real processes, with the labels that Prometheus gives them in a cluster, in the notation of promtool.
import { isRead, ruleFiles } from './rules.ts';

/** The interval of the chart's PodMonitor. Each scrape is recorded as if this time had passed since the last one. */
export const scrapeIntervalSeconds = 15;
/** The interval of the Prometheus operator. */
const evaluationInterval = '30s';

export type Labels = ReadonlyMap<string, string>;

export interface Sample {
  metric: string;
  labels: Labels;
  value: number;
}

const pairs = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a response of `/metrics`. Values of labels stay escaped, as promtool reads them. */
export function samplesOf(exposition: string): Sample[] {
  return [...exposition.matchAll(/^([a-z_:]\w*)(?:\{(.*?)\})? ([^\s#]+)/gim)].map(([, metric, labels = '', value]) => ({
    metric: metric!,
    labels: new Map([...labels.matchAll(pairs)].map(([, name, text]) => [name!, text!])),
    value: Number(value!.replace('Inf', 'Infinity')),
  }));
}

/** As Prometheus does with `honor_labels: false`: a label that the target has too is renamed. */
export function ofTarget(samples: readonly Sample[], target: Labels): Sample[] {
  return samples.map((sample) => {
    const own = [...sample.labels].map(
      ([name, value]) => [target.has(name) ? `exported_${name}` : name, value] as const,
    );
    return { ...sample, labels: new Map([...target, ...own]) };
  });
}

/** The series that the rules read, one sample each for every scrape. */
export class Recording {
  readonly #series = new Map<string, string[]>();
  #scrapes = 0;

  /** How many scrapes were recorded. */
  get scrapes(): number {
    return this.#scrapes;
  }

  /** Adds one scrape of everything. A series without a sample ends, until it has one again. */
  add(samples: readonly Sample[]): void {
    const seen = new Set<string>();
    for (const { metric, labels, value } of samples) {
      if (!isRead(metric, labels)) continue;
      const text = [...labels].map(([name, content]) => `${name}="${content}"`).join(',');
      const key = `${metric}{${text}}`;
      let values = this.#series.get(key);
      if (!values) this.#series.set(key, (values = Array.from({ length: this.#scrapes }, () => '_')));
      if (seen.has(key)) throw new Error(`Two samples of one scrape have the same labels: ${key}`);
      seen.add(key);
      values.push(String(value).replace('Infinity', 'Inf'));
    }
    for (const [key, values] of this.#series)
      if (!seen.has(key)) values.push(['_', 'stale'].includes(values.at(-1)!) ? '_' : 'stale');
    this.#scrapes += 1;
  }

  /** The input of `promtool test rules` that evaluates an expression at the time of the last scrape. */
  testOf(expr: string): object {
    return {
      rule_files: ruleFiles,
      evaluation_interval: evaluationInterval,
      tests: [
        {
          interval: `${scrapeIntervalSeconds}s`,
          input_series: [...this.#series].map(([series, values]) => ({ series, values: values.join(' ') })),
          promql_expr_test: [{ expr, eval_time: `${(this.#scrapes - 1) * scrapeIntervalSeconds}s`, exp_samples: [] }],
        },
      ],
    };
  }
}
