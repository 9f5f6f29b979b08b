import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { appKinds, operationNames } from '@holdfast/contracts';
import {
  changesSignIns,
  leadsCustomers,
  refusalOf,
  type AppAct,
  type AppManager,
  type ProtectedApp,
} from './app-protection.js';

const acts: AppAct[] = ['create', 'change', 'delete', 'create_secret', 'revoke_secret'];
const right = 'apps:manage';
const program: AppManager = { type: 'app', clientId: 'app_program', mayManageGrants: false, right };
const person: AppManager = { type: 'person', mayManageGrants: false, right };
const admin: AppManager = { type: 'person', mayManageGrants: true, right };
/** The same, by `ssf:manage`. */
const byReceivers = (caller: AppManager): AppManager => ({ ...caller, right: 'ssf:manage' });
const app: ProtectedApp = {
  clientId: 'app_1',
  kind: 'web',
  scopes: [],
  builtIn: false,
  createdBy: null,
  takenOver: false,
};
const own = { ...app, createdBy: 'app_program' };
const receiver: ProtectedApp = { ...app, kind: 'receiver' };

const allowed = (caller: AppManager, target: ProtectedApp) =>
  acts.filter((act) => refusalOf(caller, target, act) === undefined);
const withoutSecrets: AppAct[] = ['create', 'change', 'delete', 'revoke_secret'];

describe('what a program or person may do to an app', () => {
  test('keys are changed by people who may manage grants alone, also of an app that a program made', () => {
    const targets = [app, own, receiver, { ...app, kind: 'service' as const }, { ...app, scopes: [operationNames[0]] }];
    for (const target of targets) {
      for (const caller of [program, person, byReceivers(program), byReceivers(person)])
        expect(refusalOf(caller, target, 'change_keys')).toMatch(/Only people who may manage grants/);
      expect(refusalOf(admin, target, 'change_keys')).toBeUndefined();
    }
  });

  test.each<[string, AppManager, ProtectedApp, AppAct[]]>([
    ['a program, an app without scope that it made', program, own, acts],
    ['a program, an app without scope that others made', program, app, ['create']],
    ['a program, an app without scope that another program made', program, { ...app, createdBy: 'app_2' }, ['create']],
    ['a program, an app that people have taken over from it', program, { ...own, takenOver: true }, ['create']],
    ['a program, an app that it made and that holds a scope', program, { ...own, scopes: ['offers:write'] }, []],
    ['a program, a service app without scope', program, { ...own, kind: 'service' }, []],
    ['a program, itself', program, { ...app, clientId: 'app_program' }, []],
    ['a program, a part of Holdfast', program, { ...own, builtIn: true }, []],
    ['a person without grants:manage, an app without scope', person, app, withoutSecrets],
    ['a person without grants:manage, an app with a scope', person, { ...app, scopes: ['issued:read'] }, []],
    ['a person without grants:manage, a service app', person, { ...app, kind: 'service' }, []],
    ['a person with grants:manage, an app with a scope', admin, { ...app, scopes: ['issued:read'] }, acts],
    ['a person with grants:manage, a service app', admin, { ...app, kind: 'service' }, acts],
    ['a person with grants:manage, a part of Holdfast', admin, { ...app, builtIn: true }, []],
    ['a program with apps:manage, a receiver that it made', program, { ...own, kind: 'receiver' }, []],
    ['a person with apps:manage, a receiver', person, receiver, []],
    ['a program with ssf:manage, a receiver that it made', byReceivers(program), { ...own, kind: 'receiver' }, acts],
    ['a program with ssf:manage, a receiver that others made', byReceivers(program), receiver, ['create']],
    ['a person with ssf:manage, a receiver', byReceivers(person), receiver, acts],
    ['a program with ssf:manage, another app', byReceivers(program), own, []],
    ['a person with ssf:manage, another app', byReceivers(person), app, []],
  ])('%s', (_, caller, target, expected) => {
    expect(allowed(caller, target)).toEqual(expected);
  });

  test('says why, for every refusal', () => {
    for (const act of acts)
      expect(refusalOf(program, { ...app, kind: 'service' }, act)).toBe(
        'Service apps are made and changed by people who may manage grants, and by the operator.',
      );
  });

  test('lets no program touch an app with a scope, a service app or itself, whatever else is true of them', () => {
    const anyApp = fc.record({
      clientId: fc.constantFrom('app_program', 'app_1'),
      kind: fc.constantFrom(...appKinds),
      scopes: fc.subarray(operationNames),
      builtIn: fc.boolean(),
      createdBy: fc.constantFrom(null, 'app_program', 'app_2'),
      takenOver: fc.boolean(),
    });
    fc.assert(
      fc.property(anyApp, fc.constantFrom(...acts), fc.boolean(), (target, act, mayManageGrants) => {
        // A program's token cannot hold grants:manage. Even if it did, nothing would change.
        if (refusalOf({ ...program, mayManageGrants }, target, act) !== undefined) return;
        expect(target).toMatchObject({ clientId: 'app_1', scopes: [], builtIn: false });
        expect(target.kind).not.toBe('service');
        expect(target.kind).not.toBe('receiver');
        if (act !== 'create') expect(target).toMatchObject({ createdBy: 'app_program', takenOver: false });
      }),
      { numRuns: 5000 },
    );
  });
});

test.each([
  'redirectUris',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'origins',
  'pkce',
  'refreshTokens',
  'credentialType',
])('a change of %s changes sign-ins', (setting) => expect(changesSignIns(['displayName', setting])).toBe(true));

test('a change of nothing else does', () => {
  for (const changed of [
    [],
    ['name', 'displayName', 'logoUri', 'accentColor', 'logoPath', 'startUri', 'helpUri', 'idTokenAlg'],
  ])
    expect(changesSignIns(changed)).toBe(false);
});

test.each(['startUri', 'helpUri'])(
  'a change of %s leads customers elsewhere, and a change of the colour does not',
  (setting) => {
    expect(leadsCustomers(['accentColor', setting])).toBe(true);
    expect(leadsCustomers(['accentColor', 'logoPath', 'displayName'])).toBe(false);
  },
);
