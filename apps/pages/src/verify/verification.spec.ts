import { Blob } from 'node:buffer';
import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { checkpointOf, linesOfLog, logOf, newPrivateKey, newSigner, origin } from '@holdfast/testing/exported-log';
import { formatProofFile, formatVerifierKey, inclusionProof, rootOf, withSignatureLines } from '@holdfast/tlog';
import { cosign, verifierKeyOf } from '@holdfast/tlog/signing';
import { verifyGiven, type Given, type ReadableFile } from './verification.ts';

const signer = newSigner();
const entries = logOf(300);
const note = checkpointOf(entries, signer);
const keys = formatVerifierKey(signer.key);
const textOf = (log: readonly object[]) => log.map((line) => `${JSON.stringify(line)}\n`).join('');
const whole = textOf(linesOfLog(entries, note));

const fileOf = (text: string): ReadableFile =>
  Object.assign(new Blob([text]), { name: 'acme.ndjson' }) as unknown as ReadableFile;
const verify = (text: string, given: Partial<Given> = {}, onProgress: (percent: number) => void = () => undefined) =>
  verifyGiven(
    fileOf(text),
    { keys, checkpoint: '', witnesses: '', quorum: '', allowUnprovable: false, ...given },
    onProgress,
  );

const witness = (name: string) => {
  const privateKey = newPrivateKey();
  const key = verifierKeyOf(name, createPublicKey(privateKey), 'witness');
  return { key: formatVerifierKey(key), line: cosign(note, key, privateKey, new Date(0)) };
};

test('an export verifies, with its progress in ascending percent up to 100', async () => {
  const seen: number[] = [];
  expect(await verify(whole, {}, (percent) => seen.push(percent))).toMatchObject({
    kind: 'log',
    verdict: { verified: true, entries: 300, newest: { size: 300, root: note.split('\n')[2] }, continues: [] },
  });
  expect([seen.at(-1), seen]).toEqual([100, seen.toSorted((a, b) => a - b)]);
});

test('a changed export does not verify', async () => {
  expect(await verify(textOf(linesOfLog(entries.toSpliced(16, 1), note)))).toMatchObject({
    kind: 'log',
    verdict: { verified: false, findings: expect.arrayContaining([expect.stringContaining('Entry 17 is missing')]) },
  });
});

test('a pasted checkpoint counts without its last newline and with those of Windows, also cosigned', async () => {
  const [one, two] = [witness('one.example'), witness('two.example')];
  const checkpoint = withSignatureLines(note, [one.line]);
  for (const pasted of [checkpoint, checkpoint.trim(), `  ${checkpoint.replaceAll('\n', '\r\n')}`])
    expect(
      await verify(whole, { checkpoint: pasted, witnesses: `${one.key}\n\n${two.key}`, quorum: '1' }),
    ).toMatchObject({
      verdict: { verified: true, continues: ['that you gave (cosigned by one.example)'] },
    });
});

describe('nothing is decided, and the message says why,', () => {
  const [one, two] = [witness('one.example'), witness('two.example')];
  test.each<[string, string, Partial<Given>, string]>([
    ['without a key', whole, { keys: ' \n' }, 'There is no key'],
    ['with a damaged key', whole, { keys: keys.slice(0, -1) }, 'The key of the log is not valid. '],
    ['with the key of a witness as key of the log', whole, { keys: one.key }, 'is not the Ed25519 key of a log'],
    ['for an empty file', '', {}, 'acme.ndjson is empty.'],
    ['for another file', 'PNG', {}, 'acme.ndjson is not an exported log with proof'],
    ['with a damaged checkpoint', whole, { checkpoint: 'x' }, 'The checkpoint that you gave is not valid.'],
    ['with witnesses and no checkpoint', whole, { witnesses: one.key }, 'paste a cosigned checkpoint'],
    ['with a witness twice', whole, { checkpoint: note, witnesses: `${one.key}\n${one.key}` }, 'is given twice'],
    ['with a quorum of words', whole, { checkpoint: note, witnesses: one.key, quorum: 'one' }, 'a whole number'],
    ['with a quorum above the witnesses', whole, { checkpoint: note, quorum: '1' }, 'a whole number'],
    [
      'with fewer cosignatures than witnesses',
      whole,
      { checkpoint: withSignatureLines(note, [one.line]), witnesses: `${one.key}\n${two.key}` },
      'Of its witnesses 2 must have cosigned it, and 1 have: one.example.',
    ],
  ])('%s', async (_, text, given, message) => {
    expect(await verify(text, given)).toEqual({ kind: 'undecided', message: expect.stringContaining(message) });
  });
});

describe('the proof of one entry', () => {
  const hashes = entries.map(({ leafHash }) => Buffer.from(leafHash, 'base64'));
  const { leaf, found } = entries[256]!;
  const proofs = async () => {
    const proof = await inclusionProof(256, 300, (subtrees) =>
      Promise.resolve(
        subtrees.map(({ level, index }) => rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level))),
      ),
    );
    const base64 = proof.map((hash) => hash.toString('base64'));
    return [
      formatProofFile({ index: 256, hashes: proof, checkpoint: note, extra: Buffer.from(leaf!, 'base64') }),
      JSON.stringify({ id: found!.id, seq: 257, leaf, hashes: base64, checkpoint: note }),
    ];
  };

  test('verifies as text and as JSON', async () => {
    for (const proof of await proofs())
      expect(await verify(proof)).toEqual({
        kind: 'entry',
        entry: { origin, seq: 257, size: 300, id: found!.id, action: 'offer.create', occurredAt: found!.occurredAt },
      });
  });

  test('of another entry, place, key or form does not verify', async () => {
    const other = entries[255]!.leaf!;
    for (const proof of await proofs()) {
      expect(await verify(proof.replace(leaf!, other))).toEqual({ kind: 'wrongEntry' });
      expect(
        await verify(proof.replace(/index 256|"seq":257/, (at) => at.replace(/7$/, '8').replace(/6$/, '5'))),
      ).toEqual({
        kind: 'wrongEntry',
      });
      expect(await verify(proof, { keys: formatVerifierKey(newSigner().key) })).toMatchObject({ kind: 'undecided' });
      expect(await verify(proof.slice(0, -20))).toMatchObject({ kind: 'undecided' });
    }
    for (const json of ['{"id":1}', '{"id":1,"seq":1,"leaf":3,"hashes":[],"checkpoint":""}', '{"id"'])
      expect(await verify(`${json}`)).toMatchObject({ kind: 'undecided' });
  });

  test('that is larger than any proof is not read', async () => {
    expect(await verify(`{"id":"${'x'.repeat(1_000_000)}"}`)).toMatchObject({
      message: 'acme.ndjson is too large for the proof of an entry.',
    });
  });
});
