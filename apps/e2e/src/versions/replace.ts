import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt } from '../chaos/retrying-client.ts';
import { eventually } from '../parallel.ts';
import { root, type Stack } from '../stack.ts';

/** From when until when one replica was not there, since the other version's took its place. */
export interface Replacement {
  target: string;
  /** Address of a gateway that was replaced. */
  gateway?: string;
  from: number;
  to: number;
}

/** The order of services in an upgrade, as the runbook tells operators; a rollback has it reversed. */
export function orderOfServices(): string[] {
  const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
  const [, line] = /^The order of the services: (.+)\.$/m.exec(runbook) ?? [];
  if (line === undefined) throw new Error('docs/runbook.md has no line "The order of the services: …"');
  return [...line.matchAll(/`([a-z]+)`/g)].map(([, name]) => name!);
}

/**
 * Replaces each replica of these services by the one of another build, one after the other, and lets the load go on in
 * between.
 */
export async function replaceServices(
  stack: Stack,
  services: string[],
  build: string,
  progress: () => number,
): Promise<Replacement[]> {
  const done: Replacement[] = [];
  for (const service of services) {
    const replicas = stack.demo.services.filter((s) => s.name === service).sort((a, b) => a.replica - b.replica);
    for (const { replica, readyUrl } of replicas) {
      const target = `${service}-${replica}`;
      const from = performance.now();
      await stack.control('stop', target);
      await stack.control('start', target, { build });
      await eventually(
        async () => (await fetch(readyUrl)).status === 200,
        60_000,
        `a ${target} of the other version that is ready`,
      );
      done.push({
        target,
        from,
        to: performance.now(),
        ...(service === 'gateway' && { gateway: new URL(readyUrl).origin }),
      });
      const goal = progress() + 10;
      await eventually(async () => progress() >= goal, 60_000, `10 changes after ${target} was replaced`);
    }
  }
  return done;
}

/** How long after a replica is back its callers may still hold back from it, and what it held may be late. */
const settleMs = 5000;

/**
 * Requests that failed though no replacement explains it. At a gateway that is not there nobody answers: a balancer
 * leaves it out. Elsewhere each of the `width` callers may lose the one request that the stopped replica had.
 */
export function unexplained(attempts: Attempt[], replacements: Replacement[], width: number): string[] {
  const failed = attempts.filter(({ status }) => status === undefined || status >= 500);
  const at = ({ from, to }: Replacement, a: Attempt): boolean => a.at >= from - settleMs && a.at <= to + settleMs;
  const lost = failed.filter((a) => !replacements.some((r) => r.gateway === a.gateway && at(r, a)));
  const outside = lost.filter((a) => !replacements.some((r) => at(r, a)));
  const tooMany =
    lost.length > width * replacements.length
      ? [
          `${lost.length} of ${attempts.length} requests failed during ${replacements.length} replacements of ${width} callers`,
        ]
      : [];
  return [
    ...tooMany,
    ...outside.map((a) => `${a.id} was answered ${a.status ?? 'nothing'} ${a.code ?? ''} while nothing was replaced`),
  ];
}
