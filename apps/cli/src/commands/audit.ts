import { stat } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { auditCheckpoint, auditVerifierKeys, exportAuditEntries } from '@holdfast/contracts';
import type { Quorum, Verdict } from '@holdfast/log-verifier';
import { FormatError, parseVerifierKey, parseWitnessKey, type VerifierKey } from '@holdfast/tlog';
import { addCommand, collect, type Json } from '../add-command.js';
import { httpLog } from '../audit/read/http-log.js';
import { fileLines, LiveLog, verifyLive, type Progress, type ReadPage } from '../audit/read/live-log.js';
import { readCheckpoints, verifyFile, writeLog } from '../audit/read/log-file.js';
import { retrying } from '../audit/read/retrying-read.js';
import { describeVerdict } from '../audit/verdict.js';
import { CommandError, FailedCheckError } from '../command-error.js';
import { clientSecret } from '../config.js';
import { errorMessage } from '../error-message.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { show, writeOut } from '../output.js';
import { auditDestinationCommands } from './audit-destinations.js';
import { auditReaderCommands } from './audit-readers.js';
import { auditTailCommand } from './audit-tail.js';

interface Remote {
  url?: string;
  clientId?: string;
}

interface VerifyOptions extends Json, Remote {
  key: string[];
  checkpoint: string[];
  witness: string[];
  quorum?: number;
  allowUnprovable?: boolean;
}

/** Exit code when a log can be neither verified nor refuted. */
const undecided = 2;

export function auditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .description("an organization's audit log: keys, checkpoints, export, verification, destinations, readers");
  auditDestinationCommands(audit);
  auditReaderCommands(audit);
  auditTailCommand(audit);

  addCommand(audit, 'key <org>', 'show the verifier keys to pin', ['audit key acme']).action(
    (org: string, { json }: Json) =>
      asOperator('audit key', async ({ request }) => {
        const { keys } = await request(auditVerifierKeys, {}, org);
        show(keys, json, () => keys.join('\n'));
      }),
  );

  addCommand(audit, 'checkpoint <org>', 'show the newest checkpoint, for you to keep', [
    'audit checkpoint acme > acme.checkpoint',
    'audit checkpoint acme --cosigned > acme.checkpoint',
  ])
    .option('--cosigned', 'the newest checkpoint that witnesses have cosigned, with their signatures')
    .action((org: string, { json, cosigned = false }: Json & { cosigned?: boolean }) =>
      asOperator('audit checkpoint', async ({ request }) => {
        const reply = await request(auditCheckpoint, { cosigned }, org);
        show(reply, json, () => reply.checkpoint.trimEnd());
      }),
    );

  withRemoteOptions(
    addCommand(audit, 'export [org]', 'export the log with all that its verification needs, one JSON object per line', [
      'audit export acme --out acme.ndjson',
      'audit export --url https://id.example/o/acme --client-id app_2Vw… --out acme.ndjson',
    ]),
  )
    .option('--out <file>', 'write to this file, which only you can read (default: standard output)')
    .action((org: string | undefined, { out, ...options }: Remote & { out?: string }) =>
      withLog('audit export', org, options, async (read) => {
        const log = await LiveLog.open(read, showProgress);
        if (out !== undefined) await writeLog(out, fileLines(log));
        else for await (const lines of fileLines(log)) await writeOut(lines);
        process.stderr.write(`${log.size} entries${out === undefined ? '' : ` in ${out}`}.\n`);
      }),
    );

  withRemoteOptions(
    addCommand(
      audit,
      'verify [source]',
      'verify an exported log (a file) or the log of an organization (its short id)',
      [
        'audit verify acme.ndjson --key id.example/o/acme/audit+0dbc4ef4+AYqI… --checkpoint may.checkpoint',
        'audit verify acme --key id.example/o/acme/audit+0dbc4ef4+AYqI…',
        'audit verify --url https://id.example/o/acme --client-id app_2Vw… ' +
          '--key id.example/o/acme/audit+0dbc4ef4+AYqI…',
      ],
    ),
  )
    .option('--key <vkey>', 'pinned verifier key; may be repeated after a rotation', collect, [])
    .option('--checkpoint <file>', 'checkpoint of this log that you kept; may be repeated', collect, [])
    .option(
      '--witness <vkey>',
      'verifier key of a witness that must have cosigned each --checkpoint; may be repeated',
      collect,
      [],
    )
    .option('--quorum <number>', 'how many of the witnesses must have cosigned; all of them by default', quorumSize)
    .option(
      '--allow-unprovable',
      'accept pseudonym mappings without a salt and missing personal values: for a log from before pseudonyms could ' +
        'be checked, or after a change of KEY_ENCRYPTION_KEY',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 verified, 1 tampered with, 2 cannot be decided (no key, unreadable, or unavailable).',
    )
    .action(async (source: string | undefined, options: VerifyOptions) => {
      const verdict = await verify(source, options).catch((error: unknown) =>
        Promise.reject(new CommandError(`The log cannot be verified: ${errorMessage(error)}`, undecided)),
      );
      show(verdict, options.json, () => describeVerdict(verdict));
      if (!verdict.verified) throw new FailedCheckError();
    });
}

/** @throws InvalidArgumentError */
function quorumSize(value: string): number {
  if (!/^[1-9]\d?$/.test(value)) throw new InvalidArgumentError('Use a whole number from 1 to 99.');
  return Number(value);
}

function withRemoteOptions(command: Command): Command {
  return command
    .option('--url <url>', 'read over HTTP from this address of the organization, as an app with audit:export')
    .option(
      '--client-id <id>',
      'client id of that app; its secret is read from HOLDFAST_CLIENT_SECRET or standard input',
    );
}

async function verify(
  source: string | undefined,
  { key, checkpoint, witness, quorum, allowUnprovable = false, ...options }: VerifyOptions,
): Promise<Verdict> {
  const keys = key.map((text) => pinnedKey('--key', text, parseVerifierKey));
  if (keys.length === 0)
    throw new CommandError('there is no pinned key. Pass the key that you kept: --key name+hash+key');
  const kept = await readCheckpoints(checkpoint, keys, quorumOf(witness, quorum, checkpoint));
  if (source !== undefined && options.url === undefined && (await isFile(source)))
    return verifyFile(source, keys, kept, { allowUnprovable });
  return withLog('audit verify', source, options, async (read) =>
    verifyLive(await LiveLog.open(read, showProgress), keys, kept, { allowUnprovable }),
  );
}

function quorumOf(witness: string[], quorum: number | undefined, checkpoints: string[]): Quorum {
  const witnesses = witness.map((text) => pinnedKey('--witness', text, parseWitnessKey));
  const required = quorum ?? witnesses.length;
  if (new Set(witnesses.map(({ keyId }) => keyId)).size < witnesses.length)
    throw new CommandError('a --witness is given twice, and would count as two.');
  if (required > witnesses.length)
    throw new CommandError(`--quorum ${required} needs as many keys of witnesses: --witness name+hash+key`);
  if (required > 0 && checkpoints.length === 0)
    throw new CommandError(
      'witnesses cosign checkpoints, so pass one with --checkpoint. Get one with: ' +
        'holdfast audit checkpoint <org> --cosigned',
    );
  return { witnesses, required };
}

function pinnedKey(option: string, text: string, parse: (text: string) => VerifierKey): VerifierKey {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError(`${option} ${text}: ${error.message}.`);
    throw error;
  }
}

async function isFile(source: string): Promise<boolean> {
  const found = await stat(source).then(
    (s) => s.isFile(),
    () => false,
  );
  if (!found && !/^[a-z0-9-]+$/.test(source)) throw new CommandError(`there is no file ${source}.`);
  return found;
}

/** Reads a live log: over HTTP when `--url` is given, else over the bus. */
async function withLog<T>(
  command: string,
  org: string | undefined,
  { url, clientId }: Remote,
  work: (read: ReadPage) => Promise<T>,
): Promise<T> {
  if (url !== undefined) {
    if (clientId === undefined || org !== undefined)
      throw new CommandError('--url requires --client-id, and excludes an organization.');
    return work(retrying(httpLog({ url, clientId, clientSecret: await clientSecret() })));
  }
  if (org === undefined) throw new CommandError('Name an organization or a file, or pass an address with --url.');
  return asOperator(command, ({ requestsFor }) => work(retrying(overBus(requestsFor(org)))));
}

function overBus(request: ReturnType<OperatorSession['requestsFor']>): ReadPage {
  return (after) => request(exportAuditEntries, { after, limit: 500 });
}

/** On standard error, so that an export on standard output stays clean, and on a terminal only. */
const showProgress: Progress = (done, of) => {
  if (process.stderr.isTTY) process.stderr.write(done < of ? `\r${done} of ${of} entries` : '\r\x1b[K');
};
