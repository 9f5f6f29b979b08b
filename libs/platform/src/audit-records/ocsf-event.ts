import type { Action, AuditEvent } from '@holdfast/contracts';

/** Version of the Open Cybersecurity Schema Framework (https://schema.ocsf.io) that the events follow. */
const ocsfVersion = '1.3.0';

/** Activities of the classes that are used, by the last part of the action. */
const classes = {
  authentication: { uid: 3002, category: 3, activities: { sign_in: 1, sign_out: 2 } },
  entityManagement: {
    uid: 3004,
    category: 3,
    activities: {
      create: 1,
      add: 1,
      claim: 1,
      invite: 1,
      grant: 1,
      update: 3,
      renew: 3,
      rename: 3,
      rotate: 3,
      change: 3,
      configure: 3,
      move: 5,
      delete: 4,
      erase: 4,
      remove: 4,
      revoke: 4,
      withdraw: 4,
      ungrant: 4,
      drop: 4,
      expire: 4,
      end: 4,
      enable: 8,
      disable: 9,
      activate: 10,
      reactivate: 10,
      deactivate: 11,
      suspend: 12,
      resume: 13,
    },
  },
  groupManagement: { uid: 3006, category: 3, activities: { add: 3, remove: 4 } },
  apiActivity: { uid: 6003, category: 6, activities: { create: 1, read: 2, list: 2, update: 3, delete: 4 } },
} as const;
type Class = { uid: number; category: number; activities: Readonly<Record<string, number>> };

/** The activity of every class for what has no activity of its own. */
const otherActivity = 99;
/** Severity: 1 informational, 3 medium. */
const severities = { success: 1, denied: 3, failure: 1 } as const;
/** The methods that OCSF 1.3.0 knows. A receiver that validates rejects an event with another one, such as PATCH. */
const httpMethods = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'TRACE'] as const;

/** An OCSF event. `unmapped` has what OCSF has no attribute for. */
export interface OcsfEvent {
  activity_id: number;
  category_uid: number;
  class_uid: number;
  type_uid: number;
  severity_id: number;
  status_id: 1 | 2;
  status_code?: string;
  time: number;
  metadata: {
    version: string;
    uid: string;
    sequence: number;
    event_code: Action;
    correlation_uid: string;
    tenant_uid: string;
    product: { name: string; vendor_name: string };
    profiles?: string[];
  };
  [attribute: string]: unknown;
}

function isOf<T extends string>(values: readonly T[], value: string): boolean {
  return (values as readonly string[]).includes(value);
}

/**
 * Sign-ins and sign-outs are Authentication, added and removed members Group Management, other changes Entity
 * Management, and everything else, such as reads and denied requests, is API Activity. Group Management requires a user
 * (or privileges): a group that is created or deleted is an entity, and a request without members a call of the API.
 */
function classOf({ action, targets }: AuditEvent, verb: string): Class {
  if (verb in classes.authentication.activities) return classes.authentication;
  if (action === 'group.member.add' || action === 'group.member.remove')
    return targetOf(targets, 'group') && userOf(targets) ? classes.groupManagement : classes.apiActivity;
  return verb in classes.entityManagement.activities ? classes.entityManagement : classes.apiActivity;
}

function targetOf(targets: AuditEvent['targets'], type: string): string | undefined {
  return targets.find((target) => target.type === type)?.id;
}

function userOf(targets: AuditEvent['targets']): string | undefined {
  return targetOf(targets, 'customer') ?? targetOf(targets, 'person');
}

/**
 * An event of the audit log in the form of OCSF. Ids stay as the event has them: pseudonyms, where it was read with
 * pseudonyms only.
 */
export function ocsfEventOf(org: string, event: AuditEvent): OcsfEvent {
  const { action, actor, targets, outcome, request, changes } = event;
  const verb = action.slice(action.lastIndexOf('.') + 1);
  const ocsfClass = classOf(event, verb);
  const activityId = ocsfClass.activities[verb] ?? otherActivity;
  const [entity] = targets;
  const hasHttpMethod = isOf(httpMethods, request.method);
  const unmapped = {
    ...(targets.length > 0 && { targets }),
    ...(changes && { changes }),
    ...(outcome.count !== undefined && { count: outcome.count }),
    ...(outcome.replay && { replay: true }),
    ...(!hasHttpMethod && { method: request.method }),
    traceparent: request.traceparent,
    actorType: actor.type,
    result: outcome.result,
  };
  return {
    activity_id: activityId,
    category_uid: ocsfClass.category,
    class_uid: ocsfClass.uid,
    type_uid: ocsfClass.uid * 100 + activityId,
    ...(activityId === otherActivity && { activity_name: action }),
    severity_id: severities[outcome.result],
    status_id: outcome.result === 'success' ? 1 : 2,
    ...(outcome.code !== undefined && { status_code: outcome.code }),
    time: Date.parse(event.occurredAt),
    metadata: {
      version: ocsfVersion,
      uid: event.id,
      sequence: event.seq,
      event_code: action,
      correlation_uid: request.id,
      tenant_uid: org,
      product: { name: 'Holdfast', vendor_name: 'Holdfast' },
      // Entity and Group Management have `actor` by the profile Host only. API Activity lacks this profile.
      ...(ocsfClass !== classes.apiActivity && { profiles: ['host'] }),
    },
    actor: isOf(['customer', 'person'], actor.type)
      ? { user: { uid: actor.id } }
      : { app_uid: actor.id, app_name: actor.name ?? actor.type },
    ...attributesOf(ocsfClass, event),
    ...(ocsfClass === classes.entityManagement && {
      entity: entity ? { type: entity.type, uid: entity.id } : { type: 'organization', uid: org },
    }),
    http_request: {
      ...(hasHttpMethod && { http_method: request.method }),
      uid: request.id,
      ...(request.userAgent !== undefined && { user_agent: request.userAgent }),
    },
    src_endpoint: { ...(request.address === undefined ? { name: actor.id } : { ip: request.address }) },
    unmapped,
  };
}

/** The attributes that a class requires besides those of every class. */
function attributesOf({ uid }: Class, { actor, targets, request, outcome }: AuditEvent): object {
  const user = userOf(targets);
  switch (uid) {
    case classes.authentication.uid:
      return { user: { uid: user ?? actor.id }, service: { name: targetOf(targets, 'app') ?? 'Holdfast' } };
    case classes.groupManagement.uid:
      return {
        group: { uid: targetOf(targets, 'group') },
        user: { uid: user },
      };
    case classes.apiActivity.uid:
      return {
        api: {
          operation: `${request.method} ${request.route}`,
          request: { uid: request.id },
          ...(outcome.status !== undefined && { response: { code: outcome.status } }),
        },
      };
    default:
      return {};
  }
}
