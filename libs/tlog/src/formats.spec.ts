import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatCheckpointLines, parseCheckpointLines } from './checkpoint-lines.js';
import { formatCheckpoint, openCheckpoint, parseCheckpoint, readCheckpoint } from './checkpoint.js';
import { openNote, parseNote } from './note.js';
import { formatProofFile, parseProofFile } from './proof-file.js';
import { signCheckpoint, signNote, verifierKeyOf } from './signing.js';
import { FormatError } from './text.js';
import { parseTilePath, subtreesOfTile, tilePath, tilesOf } from './tiles.js';
import { formatVerifierKey, parseVerifierKey } from './verifier-key.js';

// From the documentation of golang.org/x/mod/sumdb/note, where the format comes from.
const neumann = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  seed: 'AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  signature:
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
};
const note = `${neumann.text}\n${neumann.signature}`;
const known = parseVerifierKey(neumann.key);

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey };
};
const origin = 'id.example/o/acme/audit';
const log = pair();
const logKey = verifierKeyOf(origin, log.publicKey);
const root = Buffer.alloc(32, 7);

describe('signed notes', () => {
  test('a note of the documentation verifies, and signing creates the same note', () => {
    expect(openNote(note, [known])).toEqual({ text: neumann.text, signers: [known] });
    expect(formatVerifierKey(known)).toBe(neumann.key);
    const seed = Buffer.from(neumann.seed, 'base64').subarray(1);
    const x = known.publicKey.toString('base64url');
    const key = createPrivateKey({
      format: 'jwk',
      key: { kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x },
    });
    expect(signNote(neumann.text, 'PeterNeumann', key)).toBe(note);
  });

  test('a text may contain empty lines', () => {
    const text = 'one\n\n\ntwo\n';
    expect(openNote(signNote(text, origin, log.privateKey), [logKey]).text).toBe(text);
  });

  test('signatures of other keys are ignored, also those with the same name or id', () => {
    const other = pair();
    const sameName = signNote(neumann.text, 'PeterNeumann', other.privateKey).split('\n\n')[1]!;
    const sameId = neumann.signature.replace('PeterNeumann', 'SomeoneElse');
    expect(openNote(`${note}${sameName}${sameId}`, [known]).signers).toEqual([known]);
    expect(() => openNote(`${neumann.text}\n${sameName}${sameId}`, [known])).toThrow(
      'No key that is trusted has signed it',
    );
  });

  test('an invalid signature of a trusted key rejects a note that another trusted key has signed', () => {
    const signed = signNote(neumann.text, origin, log.privateKey);
    expect(openNote(`${signed}${neumann.signature}`, [known, logKey]).signers).toEqual([known, logKey]);
    const bent = neumann.signature.replace('x08go/ZJ', 'x08go/ZK');
    expect(() => openNote(`${signed}${bent}`, [known, logKey])).toThrow('The signature by PeterNeumann is wrong');
    // Also with a second, valid signature of the same key.
    expect(() => openNote(`${note}${bent}`, [known])).toThrow('The signature by PeterNeumann is wrong');
  });

  test('a changed text is rejected', () => {
    fc.assert(
      fc.property(fc.nat(neumann.text.length - 1), fc.constantFrom('x', ' ', '\n'), (at, put) => {
        const text = neumann.text.slice(0, at) + put + neumann.text.slice(at + 1);
        fc.pre(text !== neumann.text);
        expect(() => openNote(`${text}\n${neumann.signature}`, [known])).toThrow(FormatError);
      }),
    );
  });

  test.each([
    ['no signature', neumann.text],
    ['nothing', ''],
    ['no newline at the end', note.slice(0, -1)],
    ['a hyphen instead of the dash', note.replace('—', '-')],
    ['a control character', note.replace('problem', 'pro\tblem')],
    ['base64 that is not canonical', note.replace('AM=', 'AN=')],
    ['a signature without anything behind the key id', `${neumann.text}\n— PeterNeumann x08gow==\n`],
    ['too many signatures', `${note}${neumann.signature.repeat(100)}`],
    ['a lone surrogate', note.replace('problem', '\ud800')],
  ])('rejects %s', (_, text) => {
    expect(() => openNote(text, [known])).toThrow(FormatError);
  });
});

describe('verifier keys', () => {
  test.each([
    ['', 'not a verifier key'],
    ['PeterNeumann', 'not a verifier key'],
    [neumann.key.replace('c74f20a3', 'c74f20a4'), 'does not belong'],
    [neumann.key.replace('Peter', 'Paul'), 'does not belong'],
    [neumann.key.replace('ARpc', 'BRpc'), 'not the Ed25519 key'],
    [neumann.key.slice(0, -4), 'not the Ed25519 key'],
    [`${neumann.key} `, 'not base64'],
    [neumann.key.replace('Peter', 'Peter '), 'no spaces'],
    [neumann.key.replace('PeterNeumann', ''), 'no spaces'],
  ])('rejects %s', (text, why) => {
    expect(() => parseVerifierKey(text)).toThrow(why);
  });

  test('rejects another type of key', () => {
    expect(() => verifierKeyOf('a b', log.publicKey)).toThrow('no spaces');
    expect(() =>
      verifierKeyOf('a', createPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)),
    ).toThrow('Ed25519');
  });
});

describe('lines of checkpoints', () => {
  test('are read as they were written', () => {
    const notes: [string, string][] = [
      ['acme', 'origin\n1\n\n— "signature"\n'],
      ['globex', ''],
    ];
    expect(parseCheckpointLines(formatCheckpointLines(notes))).toEqual(notes);
    expect(parseCheckpointLines('')).toEqual([]);
  });

  test.each([
    ['{"org":"acme","note":"x"}', 'The last line is incomplete'],
    ['{"org":"acme","note":"x"}\nnonsense\n', 'Line 2 is not'],
    ['null\n', 'Line 1 is not'],
    ['{"org":"acme","note":1}\n', 'Line 1 is not'],
    ['{"org":"acme","note":"x"}\n\n', 'Line 2 is not'],
  ])('are rejected when they are %j', (text, reason) => {
    expect(() => parseCheckpointLines(text)).toThrow(FormatError);
    expect(() => parseCheckpointLines(text)).toThrow(reason);
  });
});

describe('checkpoints', () => {
  test('parses the example of c2sp.org/tlog-checkpoint', () => {
    const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
    const signature =
      '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/' +
      'Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';
    const checkpoint = readCheckpoint(`${text}\n${signature}`);
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 });
    expect(formatCheckpoint(checkpoint)).toBe(text);
    expect(parseNote(`${text}\n${signature}`).signatures[0]?.keyId).toBe('033de0ae');
  });

  test('verifies with the key of the log, and with no other', () => {
    const signed = signCheckpoint({ origin, size: 41, root }, log.privateKey);
    expect(openCheckpoint(signed, [logKey])).toEqual({ origin, size: 41, root });
    expect(() => openCheckpoint(signed, [known])).toThrow('No key that is trusted');
    expect(() => openCheckpoint(signed.replace('\n41\n', '\n42\n'), [logKey])).toThrow('is wrong');
  });

  test('rejects a checkpoint of another log that the same key has signed', () => {
    const text = formatCheckpoint({ origin: 'id.example/o/globex/audit', size: 41, root });
    expect(() => openCheckpoint(signNote(text, origin, log.privateKey), [logKey])).toThrow(
      'It is a checkpoint of another log: id.example/o/globex/audit, where id.example/o/acme/audit was expected',
    );
  });

  const hash = root.toString('base64');
  test.each([
    '',
    '\n',
    `${origin}\n41\n`,
    `${origin}\n41\n${hash}`,
    `\n41\n${hash}\n`,
    `${origin}\n041\n${hash}\n`,
    `${origin}\n-1\n${hash}\n`,
    `${origin}\n4e1\n${hash}\n`,
    `${origin}\n9007199254740992\n${hash}\n`,
    `${origin}\n41\n${hash.slice(1)}\n`,
    `${origin}\n41\n${root.toString('hex')}\n`,
    `${origin}\n41\n${hash}\nextra\n`,
    `${origin}\n 41\n${hash}\n`,
  ])('rejects %j', (text) => {
    expect(() => parseCheckpoint(text)).toThrow(FormatError);
  });

  test('does not sign a checkpoint that cannot be parsed', () => {
    for (const size of [-1, 1.5, NaN, 2 ** 53])
      expect(() => signCheckpoint({ origin, size, root }, log.privateKey)).toThrow(FormatError);
    expect(() => signCheckpoint({ origin: 'two\nlines', size: 1, root }, log.privateKey)).toThrow(FormatError);
  });
});

describe('tiles', () => {
  test('paths', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 2, index: 0, width: 17 })).toBe('tile/2/000.p/17');
    const tile = fc.record({ level: fc.nat(63), index: fc.nat(2 ** 40), width: fc.integer({ min: 1, max: 256 }) });
    fc.assert(fc.property(tile, (t) => expect(parseTilePath(tilePath(t).replace('tile/', ''))).toEqual(t)));
  });

  test.each([
    '',
    '0',
    '0/',
    '0/1',
    '0/0001',
    '64/000',
    '00/000',
    '0/x000/001',
    '0/001/002',
    '0/x001',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/01',
    '0/000.p/',
    '-1/000',
    '0/000/',
    '/0/000',
    '0/x999/x999/x999/x999/x999/999',
    'entries/000',
  ])('rejects %j', (path) => expect(() => parseTilePath(path)).toThrow(FormatError));

  test('of the tree of 70,000 leaves in the specification, and of one of 256', () => {
    const count = (size: number) => {
      const groups = new Map<string, number>();
      for (const { level, width } of tilesOf(size))
        groups.set(`${level}:${width}`, (groups.get(`${level}:${width}`) ?? 0) + 1);
      return Object.fromEntries(groups);
    };
    expect(count(70_000)).toEqual({ '0:256': 273, '0:112': 1, '1:256': 1, '1:17': 1, '2:1': 1 });
    expect(count(256)).toEqual({ '0:256': 1, '1:1': 1 });
    expect(count(0)).toEqual({});
    expect(subtreesOfTile({ level: 1, index: 1, width: 2 })).toEqual([
      { level: 8, index: 256 },
      { level: 8, index: 257 },
    ]);
  });
});

describe('proof files', () => {
  const checkpoint = signCheckpoint({ origin, size: 41, root }, log.privateKey);

  test('have the format of c2sp.org/tlog-proof, with and without extra data', () => {
    const file = formatProofFile({ index: 7, hashes: [root, root], checkpoint });
    expect(file).toBe(
      `c2sp.org/tlog-proof@v1\nindex 7\n${root.toString('base64')}\n${root.toString('base64')}\n\n${checkpoint}`,
    );
    expect(parseProofFile(file)).toEqual({ index: 7, hashes: [root, root], checkpoint });
    const extra = Buffer.from('{"a":1}');
    expect(parseProofFile(formatProofFile({ index: 0, hashes: [], checkpoint, extra }))).toEqual({
      index: 0,
      hashes: [],
      checkpoint,
      extra,
    });
  });

  test.each([
    '',
    'c2sp.org/tlog-proof@v1\n\n',
    'c2sp.org/tlog-proof@v2\nindex 7\n\nx',
    'c2sp.org/tlog-proof@v1\nindex 07\n\nx',
    'c2sp.org/tlog-proof@v1\nindex 7\nAAAA\n\nx',
    'c2sp.org/tlog-proof@v1\nextra !\nindex 7\n\nx',
  ])('rejects %j', (text) => expect(() => parseProofFile(text)).toThrow(FormatError));
});

test('every parser rejects garbage with a FormatError', () => {
  const alphabet = fc.constantFrom(
    '\n',
    '\n\n',
    '— ',
    'index ',
    '+',
    ' ',
    'AAAA',
    '=',
    '0',
    '7',
    'x001/',
    '.p/',
    origin,
    'c2sp.org/tlog-proof@v1',
    '\0',
    'é',
    '\ud800',
  );
  const garbage = fc.oneof(
    fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  fc.assert(
    fc.property(garbage, (text) => {
      for (const read of [
        parseNote,
        parseVerifierKey,
        parseCheckpoint,
        readCheckpoint,
        parseTilePath,
        parseProofFile,
      ]) {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
