import { Controller, Inject } from '@nestjs/common';
import {
  getAccessRequest,
  listAccessRequests,
  type AccessRequest,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { newest } from '../groups/newest.js';
import { OperatorReads } from '../organizations/operator-reads.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { accessRequestColumns, toAccessRequest, type AccessRequestRow } from './access-request.js';
import { AccessRequests } from './access-requests.js';

/**
 * How many requests one page looks at when it has several filters: its cost is the same however many there are. A page
 * with rare matches has fewer items than its limit, and the next one continues there.
 */
const maxCandidates = 1000;

/** The first filter is an index scan in the order of the page; the others ($5 to $7) are applied to what it finds. */
function page(name: string, first: string): Statement {
  return statement(
    `access_requests_${name}`,
    `SELECT ${accessRequestColumns}, ($5::text IS NULL OR $5 = CASE
         WHEN r.status = 'pending' AND r.expires_at <= $8 THEN 'expired' ELSE r.status END)
       AND ($6::uuid IS NULL OR r.person_id = $6) AND ($7::text IS NULL OR r.client_id = $7) AS matches
     FROM (SELECT * FROM access_request WHERE org = $1 AND (created_at, id) < ($2, $3) ${first}
           ORDER BY created_at DESC, id DESC LIMIT $4) r,
       LATERAL (SELECT personal_data_key FROM person WHERE org = r.org AND id = r.person_id OFFSET 0) p
     ORDER BY r.created_at DESC, r.id DESC`,
  );
}
export const accessRequestPages = {
  user: page('user', 'AND person_id = $6'),
  app: page('app', 'AND client_id = $7'),
  status: page('status', 'AND status = $5'),
  none: page('all', ''),
};

type Request = RequestOf<typeof listAccessRequests>;

/** GET …/admin/access-requests, and …/mine: newest first. */
@Controller()
export class ListAccessRequestsHandler {
  constructor(
    private readonly database: Database,
    private readonly accessRequests: AccessRequests,
    private readonly encryption: PersonalDataEncryption,
    private readonly reads: OperatorReads,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getAccessRequest)
  async get({ id }: RequestOf<typeof getAccessRequest>, context: RequestContext): Promise<AccessRequest> {
    await this.reads.requireOrganization(context);
    const found = await this.accessRequests.find(this.database, context.org, id);
    await this.reads.record(context, 'access_request.read', [{ type: 'access_request', id, dataSubject: found.user }]);
    return found;
  }

  @Handles(listAccessRequests)
  async list(request: Request, context: RequestContext): Promise<ReplyOf<typeof listAccessRequests>> {
    await this.reads.record(context, 'access_request.list');
    const { mine = false, status, app, limit, after } = request;
    // Nobody but a person has requests of their own: for a program the list is empty.
    if (mine && context.actor.type !== 'person') return { items: [] };
    const user = mine ? context.actor.id : request.user;
    const filters = [user, app, status].filter((filter) => filter !== undefined).length;
    // Pending requests may have expired a moment ago, so the index of statuses alone is not exact.
    const scanned = filters > 1 || status !== undefined ? Math.max(maxCandidates, limit + 1) : limit + 1;
    const { createdAt, id } = after ?? { createdAt: newest.at, id: newest.id };
    const first = user !== undefined ? 'user' : app !== undefined ? 'app' : status !== undefined ? 'status' : 'none';
    const now = this.clock.now();
    const values = [context.org, createdAt, id, scanned, status ?? null, user ?? null, app ?? null, now];
    const found = await this.database.rows<AccessRequestRow & { matches: boolean }>(accessRequestPages[first], values);
    const matching = found.filter(({ matches }) => matches);
    const shown = matching.slice(0, limit);
    // The last one of the page, or the last one that was looked at.
    const end = matching.length > limit ? shown.at(-1) : found.length === scanned ? found.at(-1) : undefined;
    return {
      items: shown.map((row) => toAccessRequest(row, this.encryption, now)),
      ...(end && { next: { createdAt: end.createdAt.toISOString(), id: end.id } }),
    };
  }
}
