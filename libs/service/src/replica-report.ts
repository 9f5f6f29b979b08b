import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, type Type } from '@nestjs/common';
import {
  maxMetricsLength,
  replicaReports,
  reportableProblems,
  type ReplyOf,
  type ServiceName,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import type { Readiness } from './lifecycle.js';
import { register } from './metrics.js';
import type { ReportedSettings } from './reportable-settings.js';

const startedAt = new Date(performance.timeOrigin).toISOString();
let program: { version: string; build: string } | undefined;

/** The handler by which each service tells the operator what this replica is and how it does. */
export function replicaReportHandler(service: ServiceName, readiness: Readiness, settings: ReportedSettings): Type {
  const contract = replicaReports[service];
  @Controller()
  class ReplicaReportHandler {
    @Handles(contract)
    async report(): Promise<ReplyOf<typeof contract>> {
      const { ready, healthy, problems } = await readiness.report();
      program ??= await describeProgram(process.argv[1] ?? '');
      const metrics = wholeLines(await register.metrics());
      const state = { ready, healthy, problems: reportableProblems(problems) };
      return { ...program, node: process.version, startedAt, ...state, settings, metrics };
    }
  }
  return ReplicaReportHandler;
}

function wholeLines(text: string): string {
  return text.length <= maxMetricsLength ? text : text.slice(0, text.lastIndexOf('\n', maxMetricsLength - 1) + 1);
}

/**
 * The version is that of the nearest package; the digest covers the service and, outside an image, the libraries. Files
 * are read without blocking: the delay of the event loop is part of the report.
 */
async function describeProgram(main: string): Promise<{ version: string; build: string }> {
  const folder = dirname(main);
  const libraries = fileURLToPath(new URL('../..', import.meta.url));
  const hash = createHash('sha256');
  for (const from of [folder, ...(basename(libraries) === 'libs' ? [libraries] : [])]) {
    const files: string[] = [];
    for await (const name of glob(from === folder ? '**/*.js' : '*/dist/**/*.js', { cwd: from }))
      files.push(join(from, name));
    for (const file of files.sort()) hash.update(`${relative(from, file)}\n`).update(await readFile(file));
  }
  return { version: versionOf(folder), build: hash.digest('hex').slice(0, 16) };
}

function versionOf(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: string };
    if (version !== undefined) return version;
  }
  const parent = dirname(folder);
  return parent === folder ? 'unknown' : versionOf(parent);
}
