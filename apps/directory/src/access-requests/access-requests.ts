import { Inject, Injectable } from '@nestjs/common';
import type { AccessRequest, AccessRequestStatus, AuditRecord, AuditTarget, RequestContext } from '@holdfast/contracts';
import { sqlOf, statement, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { Changes, type ChangeEvent } from '../changes/changes.js';
import type { PersonStatus } from '../people/person.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import {
  accessRequestColumns,
  accessRequestTargets,
  requireAllowed,
  toAccessRequest,
  type AccessRequestRow,
  type Act,
} from './access-request.js';

const find = `SELECT ${accessRequestColumns} FROM access_request r JOIN person p ON p.org = r.org AND p.id = r.person_id
   WHERE r.org = $1 AND r.id = $2`;
const findOne = statement('access_request_find', find);
const lock = statement('access_request_lock', `${find} FOR NO KEY UPDATE OF r`);
const bump = statement(
  'access_request_person_version',
  'UPDATE person SET version = version + $3 WHERE org = $1 AND id = $2 RETURNING version, status',
);
const decide = statement(
  'access_request_decide',
  `UPDATE access_request SET status = $3, decided_at = $4, decided_by_type = $5, decided_by = $6,
     decided_by_person = $7, granted_seconds = $8, decision_reason = $9
   WHERE org = $1 AND id = $2`,
);

/** What a decision stores and emits. */
export interface Decision {
  status: Exclude<AccessRequestStatus, 'pending'>;
  grantedSeconds?: number;
  /** Encrypted. */
  reason?: Buffer;
  /** Emitted after the event of the request, with the versions that follow. */
  further?: (version: number) => ChangeEvent;
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'];
}

const actions = {
  approve: 'access_request.approve',
  deny: 'access_request.deny',
  withdraw: 'access_request.withdraw',
} as const;
const types = {
  approve: 'access_request.approved',
  deny: 'access_request.denied',
  withdraw: 'access_request.withdrawn',
} as const;

/** Access requests. Of concurrent decisions exactly one is made: the others get 409 with its outcome. */
@Injectable()
export class AccessRequests {
  constructor(
    private readonly changes: Changes,
    private readonly encryption: PersonalDataEncryption,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_access_request */
  async find(sql: Sql, org: string, id: string): Promise<AccessRequest> {
    return toAccessRequest(await found(sql, findOne, org, id), this.encryption, this.clock.now());
  }

  /**
   * Locks the person and then the request, checks that the caller may decide it, applies `rule`, and commits request,
   * events and record. `events` is how many the decision emits: one, or two with `further`.
   * @throws unknown_access_request, own_request, invalid_state
   */
  decide(
    act: Act,
    id: string,
    context: RequestContext,
    rule: (row: AccessRequestRow, person: PersonStatus, sql: Sql, now: Date) => Decision | Promise<Decision>,
    keyed?: KeyedRequest,
  ): Promise<{ accessRequest: AccessRequest }> {
    const { org, actor } = context;
    const count = act === 'approve' ? 2 : 1;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        const now = this.clock.now();
        const { person, app } = await found(sql, findOne, org, id);
        const [locked] = await sql.rows<{ version: number; status: PersonStatus }>(bump, [org, person, count]);
        if (!locked) throw new AppError('unknown_access_request');
        const row = await found(sql, lock, org, id);
        requireAllowed(act, row, context, now);
        const decision = await rule(row, locked.status, sql, now);
        const { status, grantedSeconds = null, reason = null, further, targets = [], changes } = decision;
        const [deciderApp, deciderPerson] = actor.type === 'person' ? [null, actor.id] : [actor.id, null];
        const by = act === 'withdraw' ? [null, null, null] : [actor.type, deciderApp, deciderPerson];
        await sql.rows(decide, [org, id, status, now, ...by, grantedSeconds, reason]);
        const first = locked.version - count + 1;
        const next = further?.(first + 1);
        const assignment = next && { assignment: (next.data as { assignment: string }).assignment };
        const data = { accessRequest: id, user: person, app, ...assignment };
        const accessRequest = toAccessRequest(await found(sql, findOne, org, id), this.encryption, now);
        return {
          change: {
            org,
            events: [{ type: types[act], user: person, app, version: first, data }, ...(next ? [next] : [])],
            access: [],
            action: actions[act],
            targets: [...accessRequestTargets(row), ...targets],
            ...(changes && { changes }),
          },
          reply: { accessRequest },
        };
      },
      keyed,
    );
  }
}

async function found(sql: Sql, statement: typeof findOne, org: string, id: string): Promise<AccessRequestRow> {
  const [row] = await sql.rows<AccessRequestRow>(statement, [org, id]);
  if (!row) throw new AppError('unknown_access_request');
  return row;
}
