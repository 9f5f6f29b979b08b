import { jetStreamState } from '@holdfast/messaging/client';
import { within } from '@holdfast/platform';
import { doctorConfig, givenAddresses } from '../config.js';
import { doctorFindings } from '../doctor/findings.js';
import { withBus } from '../operator-session.js';
import { archiveOf, type ArchiveFile } from './archive.js';
import { databaseReport } from './database.js';
import { Pseudonyms } from './pseudonyms.js';
import { replicasReported, type Reported } from './replicas.js';

/** Longest time that one part may take; they are collected at the same time. */
const partTimeoutMs = 60_000;
const late = (): Error => new Error(`it took longer than ${partTimeoutMs / 1000} s`);
/** Of all files before compression. */
const maxBytes = 30_000_000;

/** One file of the bundle, and whether it could be made. */
export interface Part {
  file: string;
  bytes: number;
  /** Why it is missing, or what of it is. */
  missing?: string;
}

export interface Bundle {
  parts: Part[];
  archive: Buffer;
}

/** A file, or why there is none of this name. */
type Collected = ArchiveFile | { name: string; missing: string };
type Source = (pseudonyms: Pseudonyms) => Promise<Collected[]>;

const json = (name: string, value: unknown, pseudonyms: Pseudonyms): ArchiveFile => ({
  name,
  content: `${pseudonyms.in(JSON.stringify(value, null, 2))}\n`,
});

/** The parts of a bundle; each service may have a database of its own. */
function sourcesOf({ databases, deploySeed: nkeySeed }: ReturnType<typeof doctorConfig>): Record<string, Source> {
  const ofDatabases = databases.map((owner, i): [string, Source] => {
    const name = i === 0 ? 'database.json' : `database-${i + 1}.json`;
    return [name, async (pseudonyms) => [json(name, await databaseReport(owner), pseudonyms)]];
  });
  const withoutDatabase: Source = () => Promise.reject(new Error('DATABASE_URL is not set'));
  return {
    'doctor.json': async (pseudonyms) => [json('doctor.json', await doctorFindings(), pseudonyms)],
    replicas: async (pseudonyms) => (await replicasReported()).flatMap((reported) => filesOf(reported, pseudonyms)),
    'streams.json': async (pseudonyms) => {
      if (nkeySeed === undefined) throw new Error('NATS_DEPLOY_NKEY_SEED is not set');
      const state = await withBus('deploy', ({ connection }) => jetStreamState(connection), { nkeySeed });
      return [json('streams.json', state, pseudonyms)];
    },
    ...(databases.length > 0 ? Object.fromEntries(ofDatabases) : { 'database.json': withoutDatabase }),
  };
}

function filesOf({ name, report, reason }: Reported, pseudonyms: Pseudonyms): Collected[] {
  if (!report) return [{ name: `replicas/${name}.json`, missing: pseudonyms.in(reason ?? 'it did not report') }];
  const { metrics, ...rest } = report;
  return [
    json(`replicas/${name}.json`, rest, pseudonyms),
    { name: `replicas/${name}.metrics.txt`, content: pseudonyms.inMetrics(metrics) },
  ];
}

/**
 * Collects what helps to find a fault of a deployment and names nobody. A part that is not available is left out, and
 * contents.json says why.
 */
export async function makeBundle(at: Date): Promise<Bundle> {
  const pseudonyms = new Pseudonyms(givenAddresses());
  const made = await Promise.all(
    Object.entries(sourcesOf(doctorConfig())).map(
      async ([part, source]): Promise<{ files: ArchiveFile[]; parts: Part[] }> => {
        try {
          const collected = await within(partTimeoutMs, source(pseudonyms), late);
          return {
            files: collected.filter((one) => 'content' in one),
            parts: collected.map((one) =>
              'content' in one
                ? { file: one.name, bytes: Buffer.byteLength(one.content) }
                : { file: one.name, bytes: 0, missing: one.missing },
            ),
          };
        } catch (error) {
          const missing = pseudonyms.in(error instanceof Error ? error.message : String(error));
          return { files: [], parts: [{ file: part, bytes: 0, missing }] };
        }
      },
    ),
  );
  const files: ArchiveFile[] = [];
  let left = maxBytes;
  const parts = made
    .flatMap((one) => one.parts)
    .map((part) => {
      left -= part.bytes;
      return left >= 0 || part.missing !== undefined
        ? part
        : { ...part, bytes: 0, missing: `the bundle has ${maxBytes / 1e6} MB without it` };
    });
  const kept = new Set(parts.filter(({ missing }) => missing === undefined).map(({ file }) => file));
  files.push(...made.flatMap((one) => one.files).filter(({ name }) => kept.has(name)));
  const contents = { format: 1, createdAt: at.toISOString(), node: process.version, parts };
  return {
    parts,
    archive: await archiveOf('support-bundle', [json('contents.json', contents, pseudonyms), ...files], at),
  };
}
