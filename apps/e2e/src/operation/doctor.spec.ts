import { expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';

interface Report {
  findings: { check: string; result: string; detail: string }[];
}

it('holdfast doctor finds nothing wrong with a running stack, and skips no check', async () => {
  // On a busy machine a replica may announce itself late.
  await eventually(async () => {
    const { findings } = await stack
      .operator<Report>('doctor')
      // It exits with 1 when a check fails.
      .catch(({ stdout }: { stdout: string }) => JSON.parse(stdout) as Report);
    expect(findings.filter(({ result }) => result === 'failed' || result === 'skipped')).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'NATS',
        'issuance',
        'stream ISSUANCE',
        'stream DIRECTORY',
        'stream AUDIT',
        'roles',
        'migrations',
        'disk',
      ]),
    );
  });
});
