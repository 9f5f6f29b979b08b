import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { roleNames, type Role } from '@holdfast/contracts';
import {
  losesOwner,
  refusalToIssueLink,
  requireMayGive,
  requireMayIssueLink,
  requireMayManage,
  type Caller,
} from './role-rules.js';

const caller = (...roles: Role[]): Caller => ({ id: 'caller', roles });
const person = (id: string, ...roles: Role[]) => ({ id, roles });
const rolesOf = fc.uniqueArray(fc.constantFrom(...roleNames));
const allows = (rule: () => void) => {
  try {
    rule();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'insufficient_role' });
    return false;
  }
};

describe('who may do what to whom', () => {
  it('an owner manages everybody, an admin everybody but owners, all others nobody, the operator everybody', () => {
    fc.assert(
      fc.property(rolesOf, rolesOf, (own, others) => {
        const target = person('target', ...others);
        const mayManage = own.includes('owner') || (own.includes('admin') && !others.includes('owner'));
        expect(allows(() => requireMayManage(caller(...own), 'users:manage', target))).toBe(mayManage);
        expect(allows(() => requireMayManage({ operator: true }, 'users:manage', target))).toBe(true);
      }),
    );
  });

  it('only owners make and unmake owners, and only the operator adds to their own roles', () => {
    fc.assert(
      fc.property(rolesOf, rolesOf, rolesOf, fc.boolean(), (own, before, after, self) => {
        const target = self ? person('caller', ...own) : person('target', ...before);
        const allowed = allows(() => requireMayGive(caller(...own), target, after));
        if (allowed && !own.includes('owner')) expect([...target.roles, ...after]).not.toContain('owner');
        if (allowed && self) expect(after.filter((role) => !own.includes(role))).toEqual([]);
        if (allowed) expect(own.includes('owner') || own.includes('admin')).toBe(true);
        expect(allows(() => requireMayGive({ operator: true }, target, after))).toBe(true);
      }),
    );
  });

  it('nobody issues a link to a person whose roles they could not give', () => {
    fc.assert(
      fc.property(rolesOf, rolesOf, (own, others) => {
        const refusal = refusalToIssueLink(caller(...own), person('target', ...others));
        const isAllowed = allows(() => requireMayIssueLink(caller(...own), person('target', ...others)));
        expect(isAllowed).toBe(refusal === undefined);
        if (refusal !== undefined) return;
        expect(allows(() => requireMayGive(caller(...own), person('another'), others))).toBe(true);
        expect(allows(() => requireMayManage(caller(...own), 'users:manage', person('target', ...others)))).toBe(true);
      }),
    );
    expect(refusalToIssueLink(caller('admin'), person('target', 'owner'))).toBe(
      'Only an owner may do this to an owner.',
    );
    expect(refusalToIssueLink(caller('admin'), person('target', 'admin'))).toBeUndefined();
    expect(refusalToIssueLink({ operator: true }, person('target', 'owner'))).toBeUndefined();
  });

  it('an app manages nobody', () => {
    expect(allows(() => requireMayManage({ id: 'app_1', roles: [] }, 'users:manage'))).toBe(false);
  });
});

describe('losesOwner', () => {
  const owner = { status: 'active', roles: ['owner'] } as { status: 'active'; roles: Role[] };
  it.each([
    ['a removal', owner, undefined, true],
    ['a deactivation', owner, { ...owner, status: 'deactivated' as const }, true],
    ['a demotion', owner, { ...owner, roles: [] }, true],
    ['another change', owner, { ...owner, roles: ['owner', 'admin'] as Role[] }, false],
    ['the removal of an invited owner', { ...owner, status: 'invited' as const }, undefined, false],
  ])('%s', (_, before, after, lost) => expect(losesOwner(before, after)).toBe(lost));
});
