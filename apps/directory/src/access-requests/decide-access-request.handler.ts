import { Controller } from '@nestjs/common';
import {
  approveAccessRequest,
  denyAccessRequest,
  makerOf,
  withdrawAccessRequest,
  type Maker,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError, unprocessable } from '@holdfast/platform';
import { createdEvent } from '../assignments/assignment.js';
import { insertAssignment } from '../assignments/assignments.js';
import type { PersonStatus } from '../people/person.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { accessRequestTargets, decisionPurpose, type AccessRequestRow } from './access-request.js';
import { AccessRequests, type Decision } from './access-requests.js';

const findApp = statement(
  'access_request_enabled_app',
  'SELECT 1 FROM app WHERE org = $1 AND client_id = $2 AND NOT disabled FOR KEY SHARE',
);

/** Approve, deny, withdraw: of each request one of them is done, once. */
@Controller()
export class DecideAccessRequestHandler {
  constructor(
    private readonly accessRequests: AccessRequests,
    private readonly encryption: PersonalDataEncryption,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(approveAccessRequest)
  approve(
    request: RequestOf<typeof approveAccessRequest>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof approveAccessRequest>> {
    const { id, approval } = request;
    return this.idempotency.once(approveAccessRequest, request, context, (keyed) =>
      this.accessRequests.decide(
        'approve',
        id,
        context,
        (row, status, sql, now) => approved(row, status, approval.durationSeconds, makerOf(context.actor), sql, now),
        keyed,
      ),
    );
  }

  /** The reason is in no record: its personal data key would be that of the decider, and not of the person. */
  @Handles(denyAccessRequest)
  deny(
    request: RequestOf<typeof denyAccessRequest>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof denyAccessRequest>> {
    const { id, denial } = request;
    const rule = ({ person, org, personalDataKey }: AccessRequestRow): Decision => ({
      status: 'denied',
      reason: this.encryption.encryptText({ id: person, org, personalDataKey }, denial.reason, decisionPurpose(id)),
    });
    return this.idempotency.once(denyAccessRequest, request, context, (keyed) =>
      this.accessRequests.decide('deny', id, context, rule, keyed),
    );
  }

  @Handles(withdrawAccessRequest)
  withdraw(
    request: RequestOf<typeof withdrawAccessRequest>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof withdrawAccessRequest>> {
    return this.idempotency.once(withdrawAccessRequest, request, context, (keyed) =>
      this.accessRequests.decide('withdraw', request.id, context, () => ({ status: 'withdrawn' }), keyed),
    );
  }
}

async function approved(
  row: AccessRequestRow,
  status: PersonStatus,
  durationSeconds: number | undefined,
  decider: Maker,
  sql: Sql,
  now: Date,
): Promise<Decision> {
  const { id, org, person: user, app, requestedSeconds } = row;
  const grantedSeconds = durationSeconds ?? requestedSeconds;
  if (grantedSeconds > requestedSeconds)
    throw unprocessable([
      { pointer: '#/durationSeconds', detail: `must be at most ${requestedSeconds}, as requested` },
    ]);
  const refuse = (detail: string) => new AppError('invalid_state', detail, { targets: accessRequestTargets(row) });
  if (status !== 'active') throw refuse('The person is not active, so the access request cannot be approved now.');
  if ((await sql.rows(findApp, [org, app])).length === 0)
    throw refuse('The app is disabled or deleted, so the access request cannot be approved now.');
  const expiresAt = new Date(now.getTime() + grantedSeconds * 1000);
  const assignment = await insertAssignment(
    sql,
    org,
    { user, app, accessRequest: id, createdAt: now, expiresAt },
    decider,
  );
  if (!assignment) throw new Error(`access request ${id} has an assignment already`);
  return {
    status: 'approved',
    grantedSeconds,
    further: (version) => createdEvent(assignment, version),
    targets: [{ type: 'assignment', id: assignment.id, dataSubject: user }],
    changes: { durationSeconds: { from: requestedSeconds, to: grantedSeconds } },
  };
}
