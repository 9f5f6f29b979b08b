import type { App, Contract } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { beforeEach, expect, test } from '@jest/globals';
import type { House } from '../house.js';
import { seedDemo, type DemoOrganization } from './seed-demo.js';

/** A directory in memory, as far as the seed needs one. */
class FakeHouse {
  organizations: string[] = [];
  apps: App[] = [];
  secrets = new Map<string, string[]>();
  away = 0;
  made = 0;

  ask = (async (contract: Contract, input: Record<string, never>) => this.answer(contract.subject.replace('rpc.directory.', ''), input)) as unknown as House['ask'];

  private answer(name: string, input: Record<string, string>): unknown {
    if (this.away > 0 && (this.away -= 1) >= 0) throw new AppError('unavailable');
    const { clientId = '', shortId = '', org = '' } = input;
    switch (name) {
      case 'list-organizations': return { items: this.organizations.map((id) => ({ shortId: id })) };
      case 'create-organization': return this.organizations.push(shortId);
      case 'list-apps': return { items: this.apps.filter((app) => app.org === org) };
      case 'create-app': {
        const app = { ...input, clientId: `app_${(this.made += 1)}` } as unknown as App;
        this.apps.push(app);
        return { app, clientSecret: this.newSecret(app.clientId) };
      }
      case 'list-secrets': return { items: (this.secrets.get(clientId) ?? []).map((id) => ({ id })) };
      case 'create-secret': return { clientSecret: this.newSecret(clientId) };
      case 'revoke-secret': return this.secrets.set(clientId, this.secrets.get(clientId)!.filter((id) => id !== input.secretId));
      default: throw new Error(name);
    }
  }

  private newSecret(clientId: string): string {
    const secret = `secret_${(this.made += 1)}`;
    const live = [...(this.secrets.get(clientId) ?? []), secret];
    if (live.length > 2) throw new AppError('invalid_state');
    this.secrets.set(clientId, live);
    return secret;
  }
}

let house: FakeHouse;
const seed = (known: DemoOrganization[] = []) => seedDemo(house, 'http://localhost:8080', { shop: 4000, kiosk: 4001 }, known.flatMap(({ apps }) => apps));
beforeEach(() => {
  house = new FakeHouse();
});

test('makes two organizations with three apps each', async () => {
  const [acme, globex] = await seed();
  expect(acme).toMatchObject({ shortId: 'acme', issuer: 'http://localhost:8080/o/acme' });
  expect(acme!.apps.map(({ name, kind, scopes }) => [name, kind, scopes.length])).toEqual([['shop', 'web', 3], ['kiosk', 'web', 3], ['automation', 'service', 11]]);
  expect(globex!.apps.every((app) => app.clientSecret)).toBe(true);
});

test('changes nothing when all is there and remembered', async () => {
  const first = await seed();
  const { made } = house;
  expect(await seed(first)).toEqual(first);
  expect(house.made).toBe(made);
});

test('replaces a forgotten secret, again and again, without running into the limit', async () => {
  const first = await seed();
  for (let i = 0; i < 4; i += 1) {
    const again = await seed();
    expect(again[0]!.apps[0]).toMatchObject({ clientId: first[0]!.apps[0]!.clientId });
    expect(house.secrets.get(again[0]!.apps[0]!.clientId)).toContain(again[0]!.apps[0]!.clientSecret);
  }
});

test('waits for directory', async () => {
  house.away = 2;
  expect(await seed()).toHaveLength(2);
});
