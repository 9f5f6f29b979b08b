import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@holdfast/testing';
import type { Load } from '../chaos/chaos.ts';
import type { Attempt } from '../chaos/retrying-client.ts';
import { root, type Stack } from '../stack/stack.ts';

/** The time during which one replica was replaced by one of the other version. */
export interface Replacement {
  target: string;
  /** Address of the gateway, when it was one. */
  gateway?: string;
  from: number;
  to: number;
}

/** The order of services in an upgrade, from the runbook. A rollback reverses it. */
export function orderOfServices(): string[] {
  const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
  const [, line] = /^The order of the services: (.+)\.$/m.exec(runbook) ?? [];
  if (line === undefined) throw new Error('docs/runbook.md has no line "The order of the services: …"');
  return [...line.matchAll(/`([a-z]+)`/g)].map(([, name]) => name!);
}

/** Replaces the replicas of these services one after the other by those of another build, under load. */
export async function replaceServices(
  stack: Stack,
  services: string[],
  build: string,
  load: Load,
): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  for (const service of services) {
    const replicas = stack.demo.services.filter((s) => s.name === service).sort((a, b) => a.replica - b.replica);
    for (const { replica, readyUrl } of replicas) {
      const target = `${service}-${replica}`;
      const from = performance.now();
      await stack.control('stop', target);
      await stack.control('start', target, { build });
      await eventually(
        async () => (await fetch(readyUrl)).status === 200,
        `${target} of the other version to be ready`,
      );
      replacements.push({
        target,
        from,
        to: performance.now(),
        ...(service === 'gateway' && { gateway: new URL(readyUrl).origin }),
      });
      const goal = load.acknowledged + 10;
      await eventually(() => load.acknowledged >= goal, `10 changes after ${target} was replaced`);
    }
  }
  return replacements;
}

/** After this time callers use a replaced replica again, and events that it had fetched are delivered again. */
const settleMs = 5000;

/** Of the requests. */
const busyShare = 0.01;

/**
 * Failed requests that no replacement explains. Requests to a gateway that is being replaced do not count: a load
 * balancer would leave it out. Elsewhere at most `maxPerReplacement` requests may fail for each one, and while nothing
 * is replaced those that wait too long on a busy machine.
 */
export function unexplained(attempts: Attempt[], replacements: Replacement[], maxPerReplacement: number): string[] {
  const failed = attempts.filter(({ status }) => status === undefined || status >= 500);
  const during = ({ from, to }: Replacement, a: Attempt): boolean => a.at >= from - settleMs && a.at <= to + settleMs;
  const lost = failed.filter((a) => !replacements.some((r) => r.gateway === a.gateway && during(r, a)));
  const outside = lost.filter((a) => !replacements.some((r) => during(r, a)));
  const tooManyOutside = outside.length > busyShare * attempts.length ? outside : [];
  const tooMany =
    lost.length > maxPerReplacement * replacements.length
      ? [
          `${lost.length} of ${attempts.length} requests failed during ${replacements.length} replacements: ` +
            lost.map((a) => `${a.id} with ${a.status ?? 'no response'} ${a.code ?? ''}`).join(', '),
        ]
      : [];
  return [
    ...tooMany,
    ...tooManyOutside.map(
      (a) => `${a.id} failed with ${a.status ?? 'no response'} ${a.code ?? ''} while nothing was replaced`,
    ),
  ];
}
