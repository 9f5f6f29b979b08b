import { describe, expect, test } from '@jest/globals';
import { columns, namedStatement, rowOf } from './named-statement.js';

interface Entry {
  org: string;
  seq: number;
  sealed?: Buffer;
}

const entries = columns<Entry>({
  org: ['text', (e) => e.org],
  seq: ['bigint', (e) => e.seq],
  personal_data: ['bytea', (e) => e.sealed ?? null],
});

describe('named statements', () => {
  test('number the parameters in the order of their declaration', () => {
    const { name, text } = namedStatement(
      'spec_order',
      { at: 'timestamptz', entries, settled: 'uuid[]' },
      (p) => `UPDATE a SET at = ${p.at} FROM ${p.entries.unnest('e')} WHERE id = ANY (${p.settled}) AND at < ${p.at}`,
    );
    expect({ name, text }).toEqual({
      name: 'spec_order',
      text:
        'UPDATE a SET at = $1 FROM unnest($2::text[], $3::bigint[], $4::bytea[]) AS e(org, seq, personal_data) ' +
        'WHERE id = ANY ($5) AND at < $1',
    });
  });

  test('pass values in the same order, and rows as one array per column', () => {
    const insert = namedStatement('spec_values', { at: 'timestamptz', entries, settled: 'uuid[]' }, () => '');
    const at = new Date(0);
    const sealed = Buffer.from('sealed');
    const given = [
      { org: 'acme', seq: 1 },
      { org: 'globex', seq: 2, sealed },
    ];
    // The order of the given object means nothing.
    expect(insert.values({ settled: ['a', 'b'], entries: given, at })).toEqual([
      at,
      ['acme', 'globex'],
      [1, 2],
      [null, sealed],
      ['a', 'b'],
    ]);
    expect(insert.values({ settled: [], entries: [], at: null })).toEqual([null, [], [], [], []]);
  });

  test('name the columns of rows, all or some', () => {
    const { text } = namedStatement(
      'spec_names',
      { entries },
      (p) => `${p.entries.names}; ${p.entries.unnest('e', ['seq'])}; ${p.entries.unnestOfAnyLength('q')}`,
    );
    expect(text).toBe(
      'org, seq, personal_data; unnest($2::bigint[]) AS e(seq); ' +
        'unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::bytea[])) AS q(org, seq, personal_data)',
    );
    expect(() => namedStatement('spec_no_column', { entries }, (p) => p.entries.unnest('e', ['sequence']))).toThrow(
      'there is no column sequence',
    );
  });

  test('insert one row', () => {
    const insert = namedStatement('spec_row', { id: 'uuid', org: 'text' }, (p) => `INSERT INTO a ${rowOf(p)}`);
    expect(insert.text).toBe('INSERT INTO a (id, org) VALUES ($1, $2)');
  });

  test('compile with every value only, each of its type', () => {
    const insert = namedStatement('spec_types', { id: 'uuid', seq: 'bigint', entries }, () => '');
    const valid = { id: '', seq: 1, entries: [] };
    // @ts-expect-error the value `seq` is missing
    insert.values({ id: '', entries: [] });
    // @ts-expect-error the value `seq` is a number
    insert.values({ ...valid, seq: 'a' });
    // @ts-expect-error there is no `extra`
    insert.values({ ...valid, extra: 1 });
    // @ts-expect-error an entry has `seq`
    insert.values({ ...valid, entries: [{ org: 'acme' }] });
    // @ts-expect-error the value `org` is a text
    columns<Entry>({ org: ['text', (e) => e.seq] });
    expect(insert.values(valid)).toHaveLength(5);
  });
});
