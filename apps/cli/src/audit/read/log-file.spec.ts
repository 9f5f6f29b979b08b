import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, entryOf, linesOfLog, logOf, newSigner } from '@holdfast/testing/exported-log';
import { withSignatureLines, type VerifierKey } from '@holdfast/tlog';
import { cosign, verifierKeyOf } from '@holdfast/tlog/signing';
import { describeVerdict } from '../verdict.js';
import { readCheckpoints, verifyFile } from './log-file.js';

interface Cosigner {
  key: VerifierKey;
  line: string;
}

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
const whole = linesOfLog(entries, note).map((line) => JSON.stringify(line));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const verify = (lines: readonly string[], end = '\n') => {
  const file = join(folder, 'log.ndjson');
  writeFileSync(file, lines.join('\n') + end);
  return verifyFile(file, [signer.key], []);
};

test('a file verifies with and without its last newline', async () => {
  expect(describeVerdict(await verify(whole))).toBe(
    'Verified: 44 entries of id.example/o/acme/audit, up to the newest checkpoint.',
  );
  expect((await verify(whole, '')).verified).toBe(true);
});

describe('a file from before exports contained the class and month of entries', () => {
  const older = (given: readonly ExportedAuditEntry[], checkpoint = note) =>
    linesOfLog(given, checkpoint).map((line) =>
      JSON.stringify({ ...line, class: undefined, month: undefined, lateMs: undefined }),
    );

  test('verifies with a note on what was not checked', async () => {
    const verdict = await verify(older(entries));
    expect(verdict).toMatchObject({ verified: true, entries: 44 });
    expect(describeVerdict(verdict)).toContain(
      'This export is from before exports contained the class and month of entries',
    );
  });

  test('cannot be decided when an entry has no bytes, although a drop is recorded', async () => {
    const { seq, leafHash } = entries[16]!;
    const record = entryOf(45, {
      action: 'audit.drop',
      targets: [{ type: 'organization', id: 'acme' }],
      changes: { retention: { to: 'changes' }, month: { to: '2025-09' }, entries: { to: 1 } },
    });
    const log = [...entries.with(16, { seq, leafHash }), record];
    await expect(verify(older(log, checkpointOf(log, signer)))).rejects.toThrow(
      '1 entry has no bytes, the first at seq 17, and this export is from before exports contained the class',
    );
  });
});

test.each<[string, (lines: string[]) => string[], string]>([
  ['cut off', (lines) => lines.slice(0, 30), 'The file ends after entry 29 without its last line: it was truncated.'],
  [
    'cut off within a line',
    (lines) => [...lines.slice(0, 30), lines[30]!.slice(0, 100)],
    'Line 31 is damaged: it is not an entry. Entry 29 comes before it.',
  ],
  [
    'shortened, with its last line',
    (lines) => [...lines.slice(0, 40), lines.at(-1)!],
    'The file has 39 entries up to 39, but its last line says 44 up to 44.',
  ],
  ['with a line too many', (lines) => [...lines, lines[1]!], 'Line 47 is damaged'],
  ['with a line that is not JSON', (lines) => lines.with(17, 'x'), 'Line 18 is damaged'],
  ['with a line that is no entry', (lines) => lines.with(17, '[]'), 'Line 18 is damaged'],
  ['without a line', (lines) => lines.toSpliced(17, 1), 'Entry 17 is missing'],
  [
    'with a last line that names no checkpoint',
    (lines) => lines.with(-1, '{"type":"end","count":44,"lastSeq":44}'),
    'Line 46 is damaged: it is not an entry. Entry 44 comes before it.',
  ],
])('a file %s does not verify', async (_, change, sentence) => {
  const { verified, findings } = await verify(change(whole));
  expect(verified).toBe(false);
  expect(findings[0]).toContain(sentence);
});

test.each<[string, string[], string]>([
  ['nothing', [], 'is not an exported log'],
  ['something else', ['{"a":1}'], 'is not an exported log'],
  ['another version', ['{"type":"holdfast-audit-log","version":2}'], 'version 2, and this verifier reads version 1'],
  [
    'another log',
    ['{"type":"holdfast-audit-log","version":1,"origin":"id.example/o/globex/audit"}'],
    'is the log id.example/o/globex/audit, but the pinned key belongs to id.example/o/acme/audit',
  ],
])('verifyFile throws for a file with %s', async (_, lines, sentence) => {
  await expect(verify(lines)).rejects.toThrow(sentence);
});

describe('readCheckpoints', () => {
  const write = (text: string) => {
    const file = join(folder, 'kept.checkpoint');
    writeFileSync(file, text);
    return file;
  };

  test('returns checkpoints signed by a pinned key, and throws for every other file', async () => {
    const file = write(note);
    expect(await readCheckpoints([file], [signer.key])).toMatchObject([{ name: file, checkpoint: { size: 44 } }]);
    await expect(readCheckpoints([write(checkpointOf(entries, newSigner()))], [signer.key])).rejects.toThrow(
      'is not valid. No key that is trusted has signed it.',
    );
    await expect(readCheckpoints([write('x')], [signer.key])).rejects.toThrow('is not valid. It is not a signed note');
    await expect(readCheckpoints([join(folder, 'none')], [signer.key])).rejects.toThrow('cannot be read');
  });

  test('returns checkpoints that enough of the pinned witnesses have cosigned, and throws for others', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const key = verifierKeyOf(`${name}.example`, publicKey, 'witness');
      return { key, line: cosign(note, key, privateKey, new Date()) };
    }) as [Cosigner, Cosigner, Cosigner];
    const witnesses = [one.key, two.key, three.key];
    const read = (lines: string[], required: number) =>
      readCheckpoints([write(withSignatureLines(note, lines))], [signer.key], { witnesses, required });
    expect(await read([one.line, three.line], 2)).toMatchObject([
      { name: expect.stringMatching(/kept.checkpoint \(cosigned by one.example, three.example\)$/) },
    ]);
    await expect(read([one.line], 2)).rejects.toThrow(
      'is not valid. Of its witnesses 2 must have cosigned it, and 1 have: one.example.',
    );
    await expect(read([one.line, one.line], 2)).rejects.toThrow('and 1 have: one.example.');
    await expect(read([], 1)).rejects.toThrow('and 0 have.');
    const ofAnother = cosign(
      checkpointOf(logOf(43), signer),
      two.key,
      generateKeyPairSync('ed25519').privateKey,
      new Date(),
    );
    await expect(read([one.line, ofAnother], 1)).rejects.toThrow('The cosignature by two.example is wrong');
  });
});
