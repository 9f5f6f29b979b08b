import type { Assignee, Assignment, AuditTarget, EventData, Maker, RequestContext } from '@holdfast/contracts';
import type { Change, ChangeEvent } from '../changes/changes.js';
import { groupTarget, personTarget } from '../groups/group.js';

export interface AssignmentRow {
  id: string;
  app: string;
  user: string | null;
  group: string | null;
  accessRequest: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  makerType: Maker['type'] | null;
  makerId: string | null;
}

export const assignmentColumns = `id, client_id AS app, person_id AS "user", group_id AS "group",
  access_request_id AS "accessRequest", created_at AS "createdAt", expires_at AS "expiresAt",
  created_by_type AS "makerType", coalesce(created_by_person::text, created_by_app) AS "makerId"`;

export function toAssignment(row: AssignmentRow): Assignment {
  const { id, app, user, group, accessRequest, createdAt, expiresAt, makerType: type, makerId } = row;
  return {
    id,
    app,
    ...(user !== null && { user }),
    ...(group !== null && { group }),
    ...(accessRequest !== null && { accessRequest }),
    createdAt: createdAt.toISOString(),
    ...(type !== null && { createdBy: { type, ...(makerId !== null && { id: makerId }) } }),
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
  };
}

/** Whom an assignment is about: its event has the version of this person or group. */
function assigneeOf({ user, group }: Pick<AssignmentRow, 'user' | 'group'>): Assignee {
  return user !== null ? { user } : { group: group! };
}

/** Audit targets of an assignment, its app, and its person or group. */
export function assignmentTargets({
  id,
  app,
  user,
  group,
}: Pick<AssignmentRow, 'id' | 'app' | 'user' | 'group'>): AuditTarget[] {
  return [
    { type: 'app', id: app },
    { type: 'assignment', id, ...(user !== null && { dataSubject: user }) },
    user !== null ? personTarget(user) : groupTarget(group!),
  ];
}

/** `version` is that of the person or group. */
export function createdEvent(row: AssignmentRow, version: number): ChangeEvent {
  const { id, app, expiresAt } = row;
  const assignee = assigneeOf(row);
  return {
    type: 'assignment.created',
    ...assignee,
    app,
    version,
    data: { assignment: id, app, ...assignee, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) },
  };
}

/** The end of an assignment: its event and record. */
export function endedChange(
  { org }: Pick<RequestContext, 'org'>,
  row: AssignmentRow,
  version: number,
  cause: EventData<'assignment.ended'>['cause'],
): Change {
  const { id, app } = row;
  const assignee = assigneeOf(row);
  const data = { assignment: id, app, ...assignee, cause };
  return {
    org,
    events: [{ type: 'assignment.ended', ...assignee, app, version, data }],
    access: [],
    action: 'assignment.end',
    targets: assignmentTargets(row),
    changes: { cause: { to: cause } },
  };
}
