import type { AccessRequest, AccessRequestStatus, AuditTarget, RequestContext } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { Change } from '../changes/changes.js';
import { personTarget } from '../groups/group.js';
import type { PersonalDataEncryption, SealedPerson } from '../people/personal-data/personal-data.js';

export interface AccessRequestRow {
  id: string;
  org: string;
  person: string;
  app: string;
  reason: Buffer;
  status: AccessRequestStatus;
  requestedSeconds: number;
  grantedSeconds: number | null;
  deciderType: NonNullable<AccessRequest['decidedBy']>['type'] | null;
  deciderApp: string | null;
  deciderPerson: string | null;
  decisionReason: Buffer | null;
  createdAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  assignment: string | null;
  personalDataKey: Buffer;
}

/** Of a request `r`, its person `p` and the assignment `a` that it created. */
export const accessRequestColumns = `r.id, r.org, r.person_id AS person, r.client_id AS app, r.reason, r.status,
  r.requested_seconds AS "requestedSeconds", r.granted_seconds AS "grantedSeconds",
  r.decided_by_type AS "deciderType", r.decided_by AS "deciderApp", r.decided_by_person AS "deciderPerson",
  r.decision_reason AS "decisionReason", r.created_at AS "createdAt", r.expires_at AS "expiresAt",
  r.decided_at AS "decidedAt", p.personal_data_key AS "personalDataKey",
  (SELECT a.id FROM assignment a WHERE a.org = r.org AND a.person_id = r.person_id AND a.client_id = r.client_id
     AND a.access_request_id = r.id) AS assignment`;

/** Nobody has decided it, and now nobody can. */
export function statusAt({ status, expiresAt }: Pick<AccessRequestRow, 'status' | 'expiresAt'>, now: Date) {
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
}

/** What the reasons are encrypted for: bound to the request, so that they cannot be moved to another one. */
export const reasonPurpose = (id: string) => `reason of access request ${id}`;
export const decisionPurpose = (id: string) => `decision on access request ${id}`;

export function toAccessRequest(row: AccessRequestRow, encryption: PersonalDataEncryption, now: Date): AccessRequest {
  const { id, grantedSeconds, assignment, decidedAt, deciderType, decisionReason } = row;
  const person: Omit<SealedPerson, 'personalData'> = {
    id: row.person,
    org: row.org,
    personalDataKey: row.personalDataKey,
  };
  const decider = row.deciderPerson ?? row.deciderApp;
  return {
    id,
    user: row.person,
    app: row.app,
    reason: encryption.decryptText(person, row.reason, reasonPurpose(id)),
    status: statusAt(row, now),
    durationSeconds: row.requestedSeconds,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    ...(grantedSeconds !== null && { grantedSeconds }),
    ...(assignment !== null && { assignment }),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
    ...(deciderType && { decidedBy: { type: deciderType, ...(decider !== null && { id: decider }) } }),
    ...(decisionReason && { decisionReason: encryption.decryptText(person, decisionReason, decisionPurpose(id)) }),
  };
}

export function accessRequestTargets({
  id,
  person,
  app,
}: Pick<AccessRequestRow, 'id' | 'person' | 'app'>): AuditTarget[] {
  return [{ type: 'access_request', id, dataSubject: person }, personTarget(person), { type: 'app', id: app }];
}

export type ClosedRequest = Pick<AccessRequestRow, 'id' | 'org' | 'person' | 'app'>;

const closings = {
  expired: ['access_request.expired', 'access_request.expire'],
  cancelled: ['access_request.cancelled', 'access_request.cancel'],
} as const;

/** The end of a request that nobody has decided: its event and record. `version` is that of the person. */
export function closedChange(status: keyof typeof closings, request: ClosedRequest, version: number): Change {
  const { id, org, person, app } = request;
  const [type, action] = closings[status];
  return {
    org,
    events: [{ type, user: person, app, version, data: { accessRequest: id, user: person, app } }],
    access: [],
    action,
    targets: accessRequestTargets(request),
  };
}

export type Act = 'approve' | 'deny' | 'withdraw';

/** Why this caller may not do this to the request now; undefined when it may. */
export function refusalOf(
  act: Act,
  row: Pick<AccessRequestRow, 'person' | 'status' | 'expiresAt' | 'decidedAt'>,
  { actor }: Pick<RequestContext, 'actor'>,
  now: Date,
): { code: 'own_request' | 'unknown_access_request' | 'invalid_state'; detail?: string } | undefined {
  const own = actor.type === 'person' && actor.id === row.person;
  // A person who may only withdraw their own requests does not learn that others exist.
  if (act === 'withdraw' && !own) return { code: 'unknown_access_request' };
  if (act !== 'withdraw' && own) return { code: 'own_request' };
  const status = statusAt(row, now);
  if (status === 'pending') return undefined;
  const at = (row.decidedAt ?? row.expiresAt).toISOString();
  return { code: 'invalid_state', detail: `The access request is ${status} since ${at}.` };
}

/** @throws the refusal, with the request as the target of the audit record */
export function requireAllowed(act: Act, row: AccessRequestRow, context: RequestContext, now: Date): void {
  const refusal = refusalOf(act, row, context, now);
  if (refusal) throw new AppError(refusal.code, refusal.detail, { targets: accessRequestTargets(row) });
}
