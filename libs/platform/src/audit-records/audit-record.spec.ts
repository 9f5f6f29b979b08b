import { describe, expect, it } from '@jest/globals';
import { maxAuditRecordBytes, type RequestContext } from '@holdfast/contracts';
import { auditRecord, auditRecordBytes } from './audit-record.js';

const context: RequestContext = {
  org: 'acme',
  actor: { type: 'app', id: 'app-1' },
  request: { id: 'r', traceparent: 't', method: 'PATCH', route: '/' },
  auditId: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03',
};
const what = { action: 'app.update', targets: [], outcome: { result: 'success' } } as const;
const uris = (first: number, count: number, length = 300) =>
  Array.from({ length: count }, (_, i) => `https://a.example/${first + i}/`.padEnd(length, 'x'));
const recorded = (from: string[] | undefined, to: string[]) =>
  auditRecord(context, new Date(0), {
    ...what,
    targets: [],
    changes: { redirectUris: { ...(from && { from }), to } },
  }).changes!.redirectUris;

describe('a list in the changes of an audit record', () => {
  it('has its values before and after while it is short', () => {
    const [from, to] = [uris(0, 2), uris(1, 2)];
    expect(recorded(from, to)).toEqual({ from, to });
  });

  it('of more than 4 kB has what was added and removed, and its length before and after', () => {
    expect(recorded(uris(0, 20), [...uris(1, 19), ...uris(90, 1)])).toEqual({
      from: { count: 20, removed: uris(0, 1) },
      to: { count: 20, added: uris(90, 1) },
    });
    expect(recorded(uris(0, 20), [])).toEqual({
      from: { count: 20, removed: uris(0, 20) },
      to: { count: 0, added: [] },
    });
  });

  it('counts a value that is there twice twice', () => {
    const [a, b] = [uris(0, 1, 3000)[0]!, uris(1, 1, 3000)[0]!];
    expect(recorded([a, a, b], [a, b, b])).toEqual({
      from: { count: 3, removed: [a] },
      to: { count: 3, added: [b] },
    });
  });

  it('has all its values when it is new', () => {
    expect(recorded(undefined, uris(0, 20))).toEqual({ to: uris(0, 20) });
  });
});

describe('an audit record', () => {
  it('of 64 KiB is written whole, and a larger one is refused before the change is made', () => {
    const of = (length: number) =>
      auditRecord(context, new Date(0), { ...what, targets: [], changes: { note: { to: 'ä'.repeat(length) } } });
    const overhead = auditRecordBytes(of(0));
    const most = Math.floor((maxAuditRecordBytes - overhead) / 2);
    expect(of(most).changes!.note!.to).toHaveLength(most);
    expect(() => of(most + 1)).toThrow(expect.objectContaining({ code: 'invalid_request', status: 422 }));
  });
});
