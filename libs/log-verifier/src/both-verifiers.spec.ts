import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomSequence } from '@holdfast/testing';
import { edited, vectorSigner, type ExportVector } from '@holdfast/testing/audit-export-vectors';
import { FormatError, parseVerifierKey, parseWitnessKey } from '@holdfast/tlog';
import { openKept } from './kept-checkpoint.js';
import { kinds, manipulated, type Given, type Sample } from './manipulations.fixture.js';
import { UndecidableError } from './undecidable.js';
import { verifyExport } from './verify-export.js';

/** Of each kind. HOLDFAST_MANIPULATIONS=1000 HOLDFAST_CHAOS_SEED=7 tries more and others. */
const rounds = Number(process.env.HOLDFAST_MANIPULATIONS ?? 3);
const seed = Number(process.env.HOLDFAST_CHAOS_SEED ?? 42);

const docs = join(import.meta.dirname, '../../../docs/audit-export-vectors');
const content = JSON.parse(readFileSync(join(docs, 'vectors.json'), 'utf8')) as {
  log: string;
  vectors: ExportVector[];
};
const lines = readFileSync(join(docs, content.log), 'utf8').trimEnd().split('\n');
const signer = vectorSigner(lines);
const verified = content.vectors.filter(({ expected }) => expected.verdict === 'verified');
const samples = verified.map(({ edits, keys, checkpoint, witnesses, quorum }): Sample => ({
  lines: edited(lines, edits),
  given: {
    keys: [...new Set([...keys, signer.text])],
    ...(checkpoint !== undefined && { checkpoint }),
    ...(witnesses && { witnesses }),
    ...(quorum !== undefined && { quorum }),
  },
  signer,
}));

interface Decided {
  verdict: string;
  why: string;
}

/** As the command line and the page /verify decide. */
async function decide(bytes: Buffer, { keys, checkpoint, witnesses = [], quorum }: Given): Promise<Decided> {
  const chunks = async function* () {
    yield await Promise.resolve(bytes);
  };
  try {
    const pinned = keys.map(parseVerifierKey);
    const cosigners = witnesses.map(parseWitnessKey);
    const required = quorum ?? cosigners.length;
    const kept =
      checkpoint === undefined ? [] : [openKept('kept', checkpoint, pinned, { witnesses: cosigners, required })];
    const { verified: isVerified, findings } = await verifyExport(chunks(), 'log', pinned, kept);
    return { verdict: isVerified ? 'verified' : 'refuted', why: findings[0] ?? '' };
  } catch (error) {
    if (error instanceof UndecidableError || error instanceof FormatError)
      return { verdict: 'undecided', why: error.message };
    throw error;
  }
}

/** The documented verifier in Python, which decides one request after the other. */
class PythonVerifier {
  private readonly process: ChildProcess;
  private readonly answers: AsyncIterator<string>;
  private readonly log = join(docs, content.log);
  private readonly base = readFileSync(this.log);

  constructor() {
    this.process = spawn('python3', ['-B', join(docs, 'verify.py'), '--requests'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.answers = createInterface(this.process.stdout!)[Symbol.asyncIterator]();
  }

  async decide(bytes: Buffer, given: Given): Promise<Decided> {
    const { base, log } = this;
    // Only what differs from the file is sent.
    const most = Math.min(base.length, bytes.length);
    let from = 0;
    while (from < most && base[from] === bytes[from]) from++;
    let same = 0;
    while (same < most - from && base[base.length - 1 - same] === bytes[bytes.length - 1 - same]) same++;
    const put = bytes.subarray(from, bytes.length - same).toString('base64');
    this.process.stdin!.write(`${JSON.stringify({ log, from, to: base.length - same, put, ...given })}\n`);
    const { value } = (await this.answers.next()) as { value: string };
    return JSON.parse(value) as Decided;
  }

  stop(): void {
    this.process.stdin!.end();
  }
}

// Where Python or its package is missing, the test of each kind is skipped.
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;

(hasPython ? describe : describe.skip)(`this library and verify.py decide alike (seed ${seed})`, () => {
  let python: PythonVerifier;
  beforeAll(() => {
    python = new PythonVerifier();
  });
  afterAll(() => python.stop());

  test.each(content.vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    const bytes = Buffer.from(
      edited(lines, vector.edits)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const decided = await Promise.all([decide(bytes, vector), python.decide(bytes, vector)]);
    expect(decided.map(({ verdict }) => verdict)).toEqual([vector.expected.verdict, vector.expected.verdict]);
  });

  test.each(kinds.map((kind, i) => [kind, i] as const))('%s', async (kind, i) => {
    const random = randomSequence(seed * 1000 + i);
    for (let round = 0; round < rounds; round++) {
      const sample = samples[round === 0 ? 0 : random(samples.length)]!;
      const { bytes, given, isHarmful } = manipulated(kind, sample, random);
      const [ours, theirs] = await Promise.all([decide(bytes, given), python.decide(bytes, given)]);
      const decided = { round, isHarmful, ours, theirs };
      expect({ ...decided, theirs: { ...theirs, verdict: theirs.verdict } }).toMatchObject({
        theirs: { verdict: ours.verdict },
      });
      if (isHarmful) expect(decided).not.toMatchObject({ ours: { verdict: 'verified' } });
      // The verdict says where.
      if (ours.verdict === 'refuted') expect(ours.why).toMatch(/[Ee]ntr(y|ies)|[Ll]ine|checkpoint|lateMs|log/);
    }
  });
});
