import { expect, it } from '@jest/globals';
import { probeStream } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { setLimits } from '../alerts/stream-limits.ts';
import { stack } from '../clients/under-test.ts';

interface Report {
  findings: { check: string; result: string; detail: string }[];
  failed: number;
}

/** The command exits with 1 when a check fails. */
const doctor = () =>
  stack
    .operator<Report>('doctor')
    .catch(({ stdout }: { stdout: string }) => ({ ...(JSON.parse(stdout) as Report), exitCode: 1 }));

it('holdfast doctor finds nothing wrong with a running stack, and skips no check', async () => {
  // On a busy machine a replica may announce itself late.
  await eventually(async () => {
    const { findings } = await doctor();
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

it('holdfast doctor exits with 1 and names the cause while JetStream stores nothing', async () => {
  const ofStore = (findings: Report['findings']) =>
    findings.filter(({ detail }) => detail.startsWith(`JetStream does not store in ${probeStream.name}`));
  await setLimits(stack, probeStream.name, { max_msg_size: 16 });
  try {
    await eventually(async () => {
      const report = await doctor();
      expect(report).toMatchObject({ exitCode: 1 });
      expect(ofStore(report.findings).map(({ check, result }) => `${check} ${result}`)).toContain('issuance failed');
    });
  } finally {
    await setLimits(stack, probeStream.name, { max_msg_size: -1 });
  }
  await eventually(async () => expect(ofStore((await doctor()).findings)).toEqual([]));
});
