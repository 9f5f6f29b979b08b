import type { AuditTarget } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import type { Person } from '../person.js';
import { requireMayManage, type Caller } from '../role-rules.js';
import { passkeysOf, type PasskeyRow } from './passkeys.repository.js';

/** Everybody manages their own passkeys; those of others need the right to manage people. */
export function requireMayManagePasskeys(caller: Caller, person: Person): void {
  if (!caller.operator && caller.id === person.id) return;
  requireMayManage(caller, 'users:manage', person);
}

/** @throws unknown_passkey */
export async function passkeyOf(
  sql: Sql,
  person: Person,
  id: string,
): Promise<{ passkey: PasskeyRow; others: PasskeyRow[] }> {
  const all = await passkeysOf(sql, person);
  const passkey = all.find((p) => p.id === id);
  if (!passkey) throw new AppError('unknown_passkey');
  return { passkey, others: all.filter((p) => p !== passkey) };
}

export function passkeyTarget(person: Person, id: string): AuditTarget {
  return { type: 'passkey', id, dataSubject: person.id };
}
