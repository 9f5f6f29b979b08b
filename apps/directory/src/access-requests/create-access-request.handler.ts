import { Controller, Inject } from '@nestjs/common';
import {
  accessRequestLifetimeSeconds,
  createAccessRequest,
  maxAccessRequestsPerDay,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { sqlOf, statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, newId, unprocessable, type Clock } from '@holdfast/platform';
import { Changes } from '../changes/changes.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { accessRequestTargets, reasonPurpose } from './access-request.js';
import { AccessRequests } from './access-requests.js';

type Request = RequestOf<typeof createAccessRequest>;
type Reply = ReplyOf<typeof createAccessRequest>;

/** Locks the person: their requests are counted one after another. */
const bump = statement(
  'access_request_requester',
  `UPDATE person SET version = version + 1 WHERE org = $1 AND id = $2 AND status = 'active'
   RETURNING version, personal_data_key AS "personalDataKey"`,
);
/** A concurrent deletion of the app waits, and cancels the new request too; or it was first, and finds no app here. */
const findApp = statement(
  'access_request_app',
  `SELECT 1 FROM app WHERE org = $1 AND client_id = $2 AND audience = 'people' AND NOT disabled AND NOT built_in
   FOR KEY SHARE`,
);
/** The time of the request that must be a day old before the next one. */
const nthLatest = statement(
  'access_request_nth_latest',
  `SELECT created_at AS at FROM access_request WHERE org = $1 AND person_id = $2
   ORDER BY created_at DESC, id DESC OFFSET ${maxAccessRequestsPerDay - 1} LIMIT 1`,
);
const insert = statement(
  'access_request_insert',
  `INSERT INTO access_request (id, org, person_id, client_id, reason, status, requested_seconds, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
);
const dayMs = 86_400_000;

/** POST …/admin/access-requests: a person requests access to an app, for themselves. */
@Controller()
export class CreateAccessRequestHandler {
  constructor(
    private readonly changes: Changes,
    private readonly accessRequests: AccessRequests,
    private readonly encryption: PersonalDataEncryption,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createAccessRequest)
  handle(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(createAccessRequest, request, context, (keyed) =>
      this.create(request.accessRequest, context, keyed),
    );
  }

  private create(
    { app, reason, durationSeconds }: Request['accessRequest'],
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const { org, actor } = context;
    if (actor.type !== 'person') throw new AppError('insufficient_scope', 'Only people request access.');
    const { id: person } = actor;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        const now = this.clock.now();
        const [requester] = await sql.rows<{ version: number; personalDataKey: Buffer }>(bump, [org, person]);
        if (!requester) throw new AppError('invalid_state', 'The person is not active.');
        if ((await sql.rows(findApp, [org, app])).length === 0)
          throw unprocessable([{ pointer: '#/app', detail: 'is no enabled app of people, other than the hub' }]);
        await requireRoom(sql, org, person, now);
        const id = newId();
        const sealed = this.encryption.encryptText(
          { id: person, org, personalDataKey: requester.personalDataKey },
          reason,
          reasonPurpose(id),
        );
        const expiresAt = new Date(now.getTime() + accessRequestLifetimeSeconds * 1000);
        const values = [id, org, person, app, sealed, durationSeconds, now, expiresAt];
        if ((await sql.rows(insert, values)).length === 0)
          throw new AppError('conflict', 'An access request of this person for this app is pending already.');
        return {
          change: {
            org,
            events: [
              {
                type: 'access_request.created',
                user: person,
                app,
                version: requester.version,
                data: { accessRequest: id, user: person, app },
              },
            ],
            access: [],
            action: 'access_request.create',
            targets: accessRequestTargets({ id, person, app }),
            changes: { reason: { to: reason }, durationSeconds: { to: durationSeconds } },
          },
          reply: { accessRequest: await this.accessRequests.find(sql, org, id) },
        };
      },
      keyed,
    );
  }
}

/** @throws rate_limited */
async function requireRoom(sql: Sql, org: string, person: string, now: Date): Promise<void> {
  const [row] = await sql.rows<{ at: Date }>(nthLatest, [org, person]);
  const waitMs = row ? row.at.getTime() + dayMs - now.getTime() : 0;
  if (waitMs > 0)
    throw new AppError('rate_limited', `A person makes at most ${maxAccessRequestsPerDay} access requests a day.`, {
      retryAfter: Math.ceil(waitMs / 1000),
    });
}
