import { describe, expect, it } from '@jest/globals';
import { apiClient } from './index.js';

describe('the client of the API', () => {
  it('sends path, query and body of a call with the access token, and returns data or a problem', async () => {
    const sent: [string, string, string | null, string][] = [];
    const responses = [
      Response.json({ items: [], hasMore: false }),
      Response.json({ type: 'about:blank', code: 'conflict' }, { status: 409 }),
    ];
    const tokens = ['first', 'second'];
    const api = apiClient({
      baseUrl: 'https://id.example',
      token: () => Promise.resolve(tokens.shift()!),
      fetch: async (request) => {
        sent.push([request.method, request.url, request.headers.get('authorization'), await request.text()]);
        return responses.shift()!;
      },
    });
    const path = { shortId: 'acme' };
    const list = await api.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query: { limit: 7 } } });
    expect(list.data).toEqual({ items: [], hasMore: false });
    const created = await api.POST('/o/{shortId}/api/admin/groups', { params: { path }, body: { name: 'Support' } });
    expect([created.data, created.error?.code]).toEqual([undefined, 'conflict']);
    expect(sent).toEqual([
      ['GET', 'https://id.example/o/acme/api/credentials/subjects?limit=7', 'Bearer first', ''],
      ['POST', 'https://id.example/o/acme/api/admin/groups', 'Bearer second', '{"name":"Support"}'],
    ]);
  });
});
