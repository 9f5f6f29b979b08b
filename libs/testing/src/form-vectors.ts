import type { ExportVector, VectorMaker } from './vector-maker.js';

/** How lines and bytes are written. */
export function formVectors(make: VectorMaker): ExportVector[] {
  const { log } = make;
  const { size } = log;
  const entry = log.entries.findLast((e) => e.found?.action === 'audit.list')!;
  const { seq } = entry;
  const line = JSON.stringify(entry);
  const leaf = Buffer.from(entry.leaf!, 'base64').toString();
  const bytes = (text: string) => log.signed(log.withLeaf(entry, text));
  const damaged = `Line ${seq + 1} is damaged: it is not an entry. Entry ${seq - 1} comes before it.`;
  const unreadable = `Entry ${seq} cannot be read`;
  const truncated = `The file ends after entry ${size} without its last line: it was truncated.`;
  const lastLine = `Line ${size + 2} is damaged: it is not an entry.`;
  const first = entry.leaf!.charCodeAt(0);
  return [
    make.verified('members in another order, with spaces and escapes', [
      log.replaced(
        seq,
        `${JSON.stringify(Object.fromEntries(Object.entries(entry).reverse()), null, ' ')
          .replaceAll('\n', ' ')
          .replace('"leafHash"', '"leaf\\u0048ash"')}\r`,
      ),
    ]),
    make.refuted('a member twice', damaged, [log.replaced(seq, line.replace(/}$/, `,"seq":${seq}}`))]),
    make.refuted('a member twice within another one', damaged, [
      log.replaced(seq, line.replace('"outcome":"success"', '"outcome":"denied","outcome":"success"')),
    ]),
    make.refuted('an unknown member', `${unreadable}: it has the unknown member "note"`, [
      log.changed(seq, { note: 'fraud' }),
    ]),
    make.refuted('an unknown column', `${unreadable}: its "found" has the unknown member "reason"`, [
      log.changed(seq, { found: { ...entry.found!, reason: 'fraud' } }),
    ]),
    make.refuted('an unknown member in the last line', lastLine, [log.end({ note: 'x' })]),
    make.refuted('null instead of no member', `${unreadable}: it has a "names" of another form`, [
      log.changed(seq, { names: null }),
    ]),
    make.refuted('a column of another type', `${unreadable}: its "found"`, [
      log.changed(seq, { found: { ...entry.found!, targets: 'x' } }),
    ]),
    make.refuted('a line that is not JSON', damaged, [log.replaced(seq, line.slice(0, -1))]),
    make.refuted('a line that is no object', damaged, [log.replaced(seq, `[${line}]`)]),
    make.refuted('NaN instead of a number', damaged, [log.replaced(seq, line.replace(/"seq":\d+/, '"seq":NaN'))]),
    make.refuted('a seq that is no whole number', 'Entry ', [
      log.replaced(seq, line.replace(/"seq":\d+/, `"seq":${seq}.5`)),
    ]),
    make.refuted('an empty line', damaged, [{ line: seq, insertAfter: '' }]),
    make.refuted('a line behind the last one', `Line ${size + 3} is damaged`, [
      { line: size + 2, insertAfter: '{"type":"end"}' },
    ]),
    make.refuted('without its last line', truncated, [{ line: size + 2, remove: true }]),
    make.refuted(
      'without its newest entry',
      `The file has ${size - 1} entries up to ${size - 1}, but its last line says ${size} up to ${size}.`,
      [{ line: size + 1, remove: true }],
    ),
    make.refuted(
      'without its newest entry, with a fitting last line',
      `The log ends at ${size - 1}, but the newest checkpoint covers ${size}`,
      [log.end({ count: size - 1, lastSeq: size - 1 }), { line: size + 1, remove: true }],
    ),
    make.refuted('bytes in base64 that is not canonical', `${unreadable}: its bytes are not in base64`, [
      log.changed(seq, { leaf: `${entry.leaf} ` }),
    ]),
    make.refuted(
      'base64 with a character that has the low byte of another one',
      `${unreadable}: its bytes are not in base64`,
      [log.changed(seq, { leaf: String.fromCharCode(first + 0x100) + entry.leaf!.slice(1) })],
    ),
    make.refuted('a hash of another length', `${unreadable}: its leafHash is not 32 bytes in base64`, [
      log.changed(seq, { leafHash: 'AAAA' }),
    ]),
    make.verified('signed bytes with an unknown member', bytes(leaf.replace(/}$/, ',"later":{"a":1}}')), make.bySigner),
    make.refuted(
      'signed bytes with a member twice',
      unreadable,
      bytes(leaf.replace(/}$/, ',"action":"audit.drop"}')),
      make.bySigner,
    ),
    make.refuted(
      'signed bytes with a member twice within another one',
      unreadable,
      bytes(leaf.replace('"result":"success"', '"result":"denied","result":"success"')),
      make.bySigner,
    ),
    make.refuted('signed bytes that are no record', unreadable, bytes('{}'), make.bySigner),
    make.refuted(
      'signed bytes that are nested too deep',
      unreadable,
      bytes(leaf.replace(/}$/, `,"x":${'['.repeat(64)}${']'.repeat(64)}}`)),
      make.bySigner,
    ),
    make.refuted(
      'signed bytes with a day that does not exist',
      unreadable,
      log.signed(
        log.withLeaf(entry, leaf.replace(entry.found!.occurredAt, '2026-02-30T00:00:00.000Z'), {
          occurredAt: '2026-02-30T00:00:00.000Z',
        }),
      ),
      make.bySigner,
    ),
    make.refuted(
      'signed bytes whose id is no UUID',
      unreadable,
      log.signed(log.withLeaf(entry, leaf.replace(entry.found!.id, 'x'), { id: 'x' })),
      make.bySigner,
    ),
  ];
}
