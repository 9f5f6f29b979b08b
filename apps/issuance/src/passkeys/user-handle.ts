import { Inject, Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { UserHandles } from '@holdfast/passkeys';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';

/** Waits for a concurrent erasure, so that a handle never outlives its customer. */
const lockSubject = statement('user_handle_lock', 'SELECT 1 FROM subject WHERE id = $1 AND org = $2 FOR KEY SHARE');
/** A customer has one handle: concurrent claims get the same one. */
const handleOf = statement(
  'user_handle',
  `INSERT INTO webauthn_user AS u (subject, org, handle) VALUES ($1, $2, $3)
   ON CONFLICT (subject) DO UPDATE SET handle = u.handle RETURNING handle`,
);
/** Repeated attempts get the same one: a new passkey replaces that of an attempt that has failed half-way. */
const nextHandleOf = statement(
  'user_handle_next',
  `INSERT INTO webauthn_user AS u (subject, org, handle) VALUES ($1, $2, $3)
   ON CONFLICT (subject) DO UPDATE SET next_handle = coalesce(u.next_handle, excluded.handle)
   RETURNING handle, next_handle AS "nextHandle"`,
);

/** `nextHandle`: the handle of a passkey that replaces those of `handle`. */
interface Handles {
  handle: Buffer;
  nextHandle?: Buffer | null;
}

/** The WebAuthn user handles of customers. An authenticator keeps one passkey for each. */
@Injectable()
export class CustomerHandles {
  private readonly handles: UserHandles;

  constructor(@Inject(CONFIG) config: IssuanceConfig) {
    this.handles = new UserHandles(config, 'customers');
  }

  /**
   * The handle for a new passkey. One that replaces the others has another handle than they have, so that they stay on
   * the device, and valid, until the claim succeeds.
   * @throws AppError unknown_claim when the customer has been erased
   */
  async forClaim(sql: Sql, subject: string, org: string, replacesPasskeys: boolean): Promise<Handles> {
    if ((await sql.rows(lockSubject, [subject, org])).length === 0) throw new AppError('unknown_claim');
    const values = [subject, org, this.handles.create(org)];
    const [handles] = await sql.rows<Handles>(replacesPasskeys ? nextHandleOf : handleOf, values);
    return handles!;
  }
}
