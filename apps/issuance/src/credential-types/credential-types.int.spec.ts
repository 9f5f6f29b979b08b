import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createCredentialType,
  createOffer,
  listCredentialTypes,
  updateCredentialType,
  type SettingEvent,
} from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import { IssuanceStack, stubs } from '../issuance-stack.fixture.js';

describe('credential types', () => {
  let stack: IssuanceStack;
  let org: string;
  let organizations = 0;
  beforeAll(async () => void (stack = await IssuanceStack.start()));
  afterAll(() => stack?.stop());
  beforeEach(() => {
    org = `types-${(organizations += 1)}`;
    stubs.organizations.add(org);
  });

  const create = (input: { name: string } & Record<string, unknown>) =>
    stack.asOperator(createCredentialType, { display: 'Some type', ...input }, org);
  const update = (input: { name: string } & Record<string, unknown>) =>
    stack.asOperator(updateCredentialType, input, org);
  const list = async () => (await stack.asOperator(listCredentialTypes, {}, org)).items;
  const events = () => stack.received.filter((e): e is SettingEvent => 'setting' in e && e.org === org);
  const offer = (credentialType?: string) =>
    stack.gateway.request(
      createOffer,
      { offer: credentialType === undefined ? {} : { credentialType } },
      testContext({ org }),
    );

  it('begin with one type, the default', async () => {
    expect(await list()).toEqual([
      {
        name: 'customer',
        display: 'Customer',
        revocable: true,
        holders: ['passkey', 'wallet'],
        maxPasskeys: 10,
        isDefault: true,
      },
    ]);
  });

  it('are created and changed, each time with an event and a record', async () => {
    const type = { name: 'day-pass', display: 'Day pass', validity: 'PT24H', revocable: false, holders: ['passkey'] };
    expect(await create(type)).toEqual({ ...type, maxPasskeys: 10, isDefault: false });
    expect(await update({ name: 'day-pass', validity: 'P2D', renewalWindow: 'PT1H' })).toMatchObject({
      validity: 'P2D',
      renewalWindow: 'PT1H',
      revocable: false,
    });
    expect(await update({ name: 'day-pass', renewalWindow: null })).not.toHaveProperty('renewalWindow');
    await eventually(() => events().length === 3);
    expect(
      events().map(({ type, setting, version, audit }) => [type, setting, version, audit?.action, audit?.targets]),
    ).toEqual([
      [
        'credential_type.created',
        'credential_type/day-pass',
        1,
        'credential_type.create',
        [{ type: 'credential_type', id: 'day-pass' }],
      ],
      [
        'credential_type.updated',
        'credential_type/day-pass',
        2,
        'credential_type.update',
        [{ type: 'credential_type', id: 'day-pass' }],
      ],
      [
        'credential_type.updated',
        'credential_type/day-pass',
        3,
        'credential_type.update',
        [{ type: 'credential_type', id: 'day-pass' }],
      ],
    ]);
    expect(events()[1]!.audit!.changes).toEqual({
      validity: { from: 'PT24H', to: 'P2D' },
      renewalWindow: { to: 'PT1H' },
    });
    expect(events()[2]!.audit!.changes).toEqual({ renewalWindow: { from: 'PT1H' } });
  });

  it('have exactly one default after concurrent changes of the default', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `type-${i}`);
    await Promise.all(names.map((name) => create({ name, isDefault: true })));
    await Promise.all(names.map((name) => update({ name, isDefault: true })));
    expect((await list()).filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const { offer: offered } = await offer();
    expect(offered.credentialType).toBe((await list()).find(({ isDefault }) => isDefault)!.name);
    // The versions of each type have no gap: a type that is no longer the default has changed too.
    await eventually(() => {
      expect(events().length).toBeGreaterThanOrEqual(31);
      for (const name of names) {
        const versions = events()
          .filter(({ setting }) => setting === `credential_type/${name}`)
          .map(({ version }) => version);
        expect(versions.sort((a, b) => a - b)).toEqual(versions.map((_, i) => i + 1));
      }
    });
  });

  it.each([
    ['a renewal window without a validity', { name: 'x', renewalWindow: 'P1D' }, 'invalid_request'],
    [
      'a renewal window as long as the validity',
      { name: 'x', validity: 'P1D', renewalWindow: 'P1D' },
      'invalid_request',
    ],
    ['no holder', { name: 'x', holders: [] }, 'invalid_request'],
    ['an invalid duration', { name: 'x', validity: '1 year' }, 'invalid_request'],
    ['an invalid name', { name: 'A Name' }, 'invalid_request'],
    ['a name that is taken', { name: 'customer' }, 'conflict'],
  ])('are not created with %s, and nothing changes', async (_, input, code) => {
    const before = await list();
    await expect(create(input)).rejects.toMatchObject({ code });
    expect([await list(), events()]).toEqual([before, []]);
  });

  it('are not changed to terms with which they could not be created', async () => {
    await create({ name: 'yearly', validity: 'P1Y', renewalWindow: 'P30D' });
    for (const wrong of [{ validity: null }, { validity: 'P20D' }, { renewalWindow: 'P2Y' }, { isDefault: false }]) {
      await expect(update({ name: 'yearly', ...wrong })).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(update({ name: 'unknown', display: 'X' })).rejects.toMatchObject({
      code: 'unknown_credential_type',
    });
    expect((await list()).find(({ name }) => name === 'yearly')).toMatchObject({
      validity: 'P1Y',
      renewalWindow: 'P30D',
    });
  });

  it('of an unknown organization are not stored', async () => {
    org = 'nobody';
    await expect(list()).rejects.toMatchObject({ code: 'unknown_organization' });
    await expect(create({ name: 'x' })).rejects.toMatchObject({ code: 'unknown_organization' });
    await expect(update({ name: 'customer', display: 'X' })).rejects.toMatchObject({ code: 'unknown_organization' });
    expect(await stack.database.query(`SELECT 1 FROM issuance.credential_type WHERE org = 'nobody'`)).toEqual([]);
  });

  it('take effect', async () => {
    await offer();
    await create({ name: 'new-default', isDefault: true });
    expect((await offer('new-default')).offer.credentialType).toBe('new-default');
    await eventually(async () => (await offer()).offer.credentialType === 'new-default');
  });
});
