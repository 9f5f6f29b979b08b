import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditCheckpoint, auditVerifierKeys, exportAuditEntries } from '@holdfast/contracts';
import { parseVerifierKey, readCheckpoint } from '@holdfast/tlog';
import { fileLines, LiveLog } from '../audit/read/live-log.js';
import { readCheckpoints, verifyFile, writeLog } from '../audit/read/log-file.js';
import { retrying } from '../audit/read/retrying-read.js';
import { describeVerdict } from '../audit/verdict.js';
import { CommandError } from '../command-error.js';
import type { OperatorSession } from '../operator-session.js';

const pollMs = 500;
const pageSize = 500;

export interface SealedLog {
  entries: number;
  /** The command that verifies it, on any machine. */
  verify: string;
}

/**
 * Writes the log of an organization, its newest checkpoint and its verifier keys to a folder, and verifies what was
 * written. @param entries how many the log has at least
 * @throws CommandError when the folder cannot be written, or the log does not verify
 */
export async function writeSealedLog(
  session: OperatorSession,
  org: string,
  folder: string,
  entries: number,
  timeoutMs: number,
): Promise<SealedLog> {
  const [logFile, checkpointFile, keysFile] = ['ndjson', 'checkpoint', 'keys'].map((ending) =>
    join(folder, `${org}.${ending}`),
  ) as [string, string, string];
  const { keys } = await session.request(auditVerifierKeys, {}, org);
  const checkpoint = await checkpointOf(session, org, entries, timeoutMs);
  const log = await LiveLog.open(
    retrying((after) => session.request(exportAuditEntries, { after, limit: pageSize }, org)),
    () => undefined,
  );
  try {
    await mkdir(folder, { recursive: true });
    await writeLog(logFile, fileLines(log));
    await writeFile(checkpointFile, checkpoint, { mode: 0o600 });
    await writeFile(keysFile, `${keys.join('\n')}\n`, { mode: 0o600 });
  } catch (error) {
    throw new CommandError(`The log of ${org} cannot be written: ${(error as Error).message}. Nothing was deleted.`);
  }
  const pinned = keys.map(parseVerifierKey);
  const verdict = await verifyFile(logFile, pinned, await readCheckpoints([checkpointFile], pinned));
  if (!verdict.verified)
    throw new CommandError(
      `${describeVerdict(verdict)}\nNothing was deleted. Repair the log first: docs/runbook.md, ` +
        '"When an audit log is broken".',
    );
  const verify = [
    'holdfast audit verify',
    logFile,
    ...keys.map((key) => `--key ${key}`),
    '--checkpoint',
    checkpointFile,
  ];
  return { entries: verdict.entries, verify: verify.join(' ') };
}

/** Audit signs what it has appended within a second. */
async function checkpointOf(
  session: OperatorSession,
  org: string,
  entries: number,
  timeoutMs: number,
): Promise<string> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { checkpoint } = await session.request(auditCheckpoint, {}, org);
    if (readCheckpoint(checkpoint).size >= entries) return checkpoint;
    if (performance.now() > until)
      throw new CommandError(
        `The newest checkpoint of ${org} covers ${readCheckpoint(checkpoint).size} of ${entries} entries. ` +
          'Nothing was deleted. "holdfast doctor" says why audit does not sign.',
      );
    await sleep(pollMs);
  }
}
