import type { Command } from 'commander';
import { addCommand, type Json } from '../add-command.js';
import { FailedCheckError } from '../command-error.js';
import type { Finding } from '../doctor/finding.js';
import { doctorFindings } from '../doctor/findings.js';
import { show, table } from '../output.js';

export function doctorCommand(program: Command): void {
  addCommand(
    program,
    'doctor',
    'check a deployment: NATS, replicas, the faults that they report and their metrics show, clocks, quarantined ' +
      'events; with NATS_DEPLOY_NKEY_SEED streams and lag; with DATABASE_URL or DATABASE_URL_<SERVICE> (of the ' +
      'owner) roles, migrations, connections, undelivered rows and disk. It changes nothing, and exits with 1 when ' +
      'a check fails',
    ['doctor', 'doctor --json'],
  ).action(async ({ json }: Json) => {
    const findings = await doctorFindings();
    const failed = findings.filter(({ result }) => result === 'failed').length;
    const warnings = findings.filter(({ result }) => result === 'warning').length;
    show({ findings, failed, warnings }, json, () => report(findings, failed, warnings));
    if (failed > 0) throw new FailedCheckError();
  });
}

function report(findings: Finding[], failed: number, warnings: number): string {
  const rows = findings.map(({ check, result, detail }) => [result, check, detail]);
  const advice = findings.flatMap(({ check, advice: what }) => (what === undefined ? [] : [`${check}: ${what}`]));
  return [
    table(['RESULT', 'CHECK', 'DETAIL'], rows),
    ...(advice.length > 0 ? ['', ...new Set(advice)] : []),
    '',
    `${failed} failed, ${warnings} warnings`,
  ].join('\n');
}
