import type { AuditRecord } from '@holdfast/contracts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AuditWriter } from './audit-writer.js';
import { RefusalCounter } from './refusals.js';

const refusal = (code: string): Omit<AuditRecord, 'id'> => ({
  occurredAt: '2026-11-21T09:30:00.000Z', action: 'api.refused', actor: { type: 'anonymous', id: 'anonymous' }, targets: [],
  outcome: { result: 'denied', status: 401, code }, request: { id: 'r', traceparent: 't', method: 'GET', route: '/x' },
});

describe('refusals before a caller is known', () => {
  let failures = 0;
  const written: [string, string | undefined, number | undefined][] = [];
  const audit = {
    append: (org: string, { outcome }: AuditRecord) => {
      if (failures-- > 0) return Promise.reject(new Error('audit is away'));
      written.push([org, outcome.code, outcome.count]);
      return Promise.resolve();
    },
  } as unknown as AuditWriter;

  beforeEach(() => {
    failures = 0;
    written.length = 0;
    Logger.overrideLogger(false);
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('become one record per reason, with their number', async () => {
    const counter = new RefusalCounter(audit);
    for (let i = 0; i < 3; i += 1) counter.count('acme', refusal('missing_token'));
    counter.count('acme', refusal('invalid_token'));
    await counter.stop();
    expect(written).toEqual([['acme', 'missing_token', 3], ['acme', 'invalid_token', 1]]);
  });

  it('of organizations that do not exist are forgotten', async () => {
    const counter = new RefusalCounter(audit, (orgs) => Promise.resolve(orgs.filter((org) => org === 'acme')));
    counter.count('made-up', refusal('missing_token'));
    counter.count('acme', refusal('missing_token'));
    await counter.stop();
    expect(written).toEqual([['acme', 'missing_token', 1]]);
  });

  it('are not lost when audit is away for a moment as the service stops', async () => {
    const counter = new RefusalCounter(audit);
    counter.count('acme', refusal('missing_token'));
    failures = 2;
    const stopped = counter.stop();
    await jest.advanceTimersByTimeAsync(2000);
    await stopped;
    expect(written).toEqual([['acme', 'missing_token', 1]]);
  });
});
