/**
 * The rules of OCSF 1.3.0 (https://schema.ocsf.io/1.3.0) for the attributes that ocsf-event.ts uses, as JSON Schema,
 * written by hand from the definitions of its classes and objects. OCSF has more attributes. Here all objects are
 * closed, so that an invented attribute is found: look up the definition before adding one.
 */
export const ocsfVersion = '1.3.0';

type Schema = Readonly<Record<string, unknown>>;

// The scalar types of OCSF.
const text = { type: 'string', maxLength: 65_535 };
const integer = { type: 'integer' };
const timestampMs = { type: 'integer', minimum: 0 };
const ip = { type: 'string', maxLength: 40, anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };

function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The constraint `at_least_one` of OCSF, of the attributes that are listed here. */
function withAtLeastOne(schema: Schema, attributes: readonly string[]): Schema {
  return { ...schema, anyOf: attributes.map((attribute) => ({ required: [attribute] })) };
}

const named = { name: text, uid: text };
const user = withAtLeastOne(object(named), ['name', 'uid']);
const group = withAtLeastOne(object(named), ['name', 'uid']);
const service = withAtLeastOne(object(named), ['name', 'uid']);
const managedEntity = withAtLeastOne(object({ ...named, type: text }), ['name', 'uid']);
const actor = withAtLeastOne(object({ user, app_uid: text, app_name: text }), ['user', 'app_uid', 'app_name']);
const networkEndpoint = withAtLeastOne(object({ ...named, ip }), ['name', 'uid', 'ip']);
const httpMethod = { enum: ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'TRACE'] };
const httpRequest = object({ http_method: httpMethod, uid: text, user_agent: text });
const api = object({ operation: text, request: object({ uid: text }, ['uid']), response: object({ code: integer }) }, [
  'operation',
]);
const metadata = object(
  {
    version: { const: ocsfVersion },
    product: withAtLeastOne(object({ ...named, vendor_name: text }, ['vendor_name']), ['name', 'uid']),
    uid: text,
    sequence: integer,
    event_code: text,
    correlation_uid: text,
    tenant_uid: text,
    profiles: { type: 'array', items: text, uniqueItems: true },
  },
  ['version', 'product'],
);

interface ClassRules {
  uid: number;
  category: number;
  /** The highest activity. All classes have 0 (unknown), 99 (other), and all from 1 to this one. */
  lastActivity: number;
  attributes: Record<string, Schema>;
  required: readonly string[];
  /** How the class has `actor` and the profile Host: `host` has `actor` by this profile only. */
  actorOf: 'host' | 'class, host' | 'class';
}

/** Rules of `metadata.profiles`: Host must be named for its attribute `actor`, and only where the class has it. */
const profileRules: Record<ClassRules['actorOf'], Schema> = {
  host: {
    if: { required: ['actor'] },
    then: { properties: { metadata: { required: ['profiles'], properties: { profiles: { const: ['host'] } } } } },
  },
  'class, host': { properties: { metadata: { properties: { profiles: { const: ['host'] } } } } },
  class: { properties: { metadata: { properties: { profiles: { maxItems: 0 } } } } },
};

function eventClass({ uid, category, lastActivity, attributes, required, actorOf }: ClassRules): Schema {
  const activities = [...Array(lastActivity + 1).keys(), 99];
  const event = object(
    {
      activity_id: { enum: activities },
      activity_name: text,
      category_uid: { const: category },
      class_uid: { const: uid },
      type_uid: integer,
      severity_id: { enum: [0, 1, 2, 3, 4, 5, 6, 99] },
      status_id: { enum: [0, 1, 2, 99] },
      status_code: text,
      time: timestampMs,
      metadata,
      actor,
      http_request: httpRequest,
      src_endpoint: networkEndpoint,
      unmapped: { type: 'object' },
      ...attributes,
    },
    ['activity_id', 'category_uid', 'class_uid', 'type_uid', 'severity_id', 'time', 'metadata', ...required],
  );
  // The type is that of this activity, and no other.
  const types = activities.map((id) => ({
    properties: { activity_id: { const: id }, type_uid: { const: uid * 100 + id } },
  }));
  return { ...event, oneOf: types, allOf: [profileRules[actorOf]] };
}

/** The classes by their `class_uid`. */
export const ocsfClasses: Readonly<Record<number, Schema>> = {
  // Authentication requires a service or a destination endpoint, which the mapping does not use.
  3002: eventClass({
    uid: 3002,
    category: 3,
    lastActivity: 6,
    attributes: { user, service },
    required: ['user', 'service'],
    actorOf: 'class, host',
  }),
  3004: eventClass({
    uid: 3004,
    category: 3,
    lastActivity: 13,
    attributes: { entity: managedEntity },
    required: ['entity'],
    actorOf: 'host',
  }),
  // Group Management requires a user or privileges, which the mapping does not use.
  3006: eventClass({
    uid: 3006,
    category: 3,
    lastActivity: 6,
    attributes: { group, user },
    required: ['group', 'user'],
    actorOf: 'host',
  }),
  6003: eventClass({
    uid: 6003,
    category: 6,
    lastActivity: 4,
    attributes: { api },
    required: ['api', 'actor', 'src_endpoint'],
    actorOf: 'class',
  }),
};
