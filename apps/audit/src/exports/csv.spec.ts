import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AuditEvent } from '@holdfast/contracts';
import { csvCell, csvHeader, csvRow } from './csv.js';

/** A parser of RFC 4180, written from its grammar. */
function parsed(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let at = 0;
  while (at < text.length) {
    expect(text[at]).toBe('"');
    for (at += 1; ; at += 1) {
      if (text[at] !== '"') cell += text[at];
      else if (text[at + 1] !== '"') break;
      else {
        cell += '"';
        at += 1;
      }
    }
    rows.at(-1)!.push(cell);
    cell = '';
    if (text[at + 1] === ',') at += 2;
    else {
      expect(text.slice(at + 1, at + 3)).toBe('\r\n');
      at += 3;
      if (at < text.length) rows.push([]);
    }
  }
  return rows;
}

const dangerous = /^[=+\-@\t\r\n]/;
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '"=1', "'=1", 'a,b', 'a\r\nb', '', '"'),
);

test('a parser finds each cell as it was, with an apostrophe before what would be a formula', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const [row] = parsed(`${cells.map(csvCell).join(',')}\r\n`);
      expect(row).toEqual(cells.map((cell) => (dangerous.test(cell) ? `'${cell}` : cell)));
      for (const cell of row!) expect(cell).not.toMatch(dangerous);
    }),
    { numRuns: 1000 },
  );
});

test('a row has the columns of the header, and no value of an event becomes a formula', () => {
  fc.assert(
    fc.property(text, text, (name, agent) => {
      const event: AuditEvent = {
        id: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03',
        seq: 3,
        occurredAt: '2026-11-21T09:30:00.000Z',
        action: 'offer.create',
        actor: { type: 'app', id: name, name },
        targets: [
          { type: 'customer', id: 'c', pseudonym: 'p' },
          { type: 'offer', id: 'o' },
        ],
        outcome: { result: 'success', status: 201 },
        request: { id: name, traceparent: '00', method: 'POST', route: '/o', userAgent: agent, address: name },
        changes: { name: { to: name } },
      };
      const [header, row] = parsed(csvHeader + csvRow(event));
      const values = Object.fromEntries(header!.map((column, i) => [column, row![i]!]));
      expect(row).toHaveLength(header!.length);
      expect(values).toMatchObject({ seq: '3', targetIds: 'c o', targetPseudonyms: 'p', status: '201', code: '' });
      for (const cell of row!) expect(cell).not.toMatch(dangerous);
    }),
  );
});
