import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { contracts, directoryEventSchema, issuanceEventSchema } from '@holdfast/contracts';
import { validationIssues } from '@holdfast/platform';
import { declaredEndpoints } from './declared-endpoints.js';

const endpoints = declaredEndpoints();

type Shape = {
  [key: string]: unknown;
  properties?: Record<string, Shape>;
  items?: Shape;
  additionalProperties?: Shape | boolean;
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
};

/** Text that breaks parsers: almost URIs, almost dates, almost durations, numbers at the limits, malformed text. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'nope',
    ':',
    'a:',
    '//',
    'http://',
    'https://[',
    'https://*',
    'https://*.example/',
    'https://a:99999/',
    'https://%',
    'javascript:alert(1)',
    'com.example.app:/in',
    'https://a\n.example',
    '\ud800',
    '\u0000',
    '__proto__',
    '2026-02-30T00:00:00.000Z',
    '2026-11-21T24:00:00Z',
    '0000-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '2026-11-21T09:30:00.0000000001+99:99',
    'P',
    'PT',
    'P99999999999999999999Y',
    '1e400',
    '-0',
    '00000000-0000-0000-0000-000000000000',
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.webUrl(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const junk = fc.oneof(
  hostileText,
  fc.constantFrom(null, undefined, true, 0, -0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 1, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Inputs of almost the right form, so that they get far into a schema, with arbitrary values in some places. */
function hostile(
  { properties, items, anyOf, oneOf, allOf, enum: values, const: only, type }: Shape,
  depth = 0,
): fc.Arbitrary<unknown> {
  const wellFormed = (): fc.Arbitrary<unknown> => {
    const choices = anyOf ?? oneOf ?? allOf;
    if (depth > 6) return junk;
    if (choices) return fc.oneof(...choices.map((choice) => hostile(choice, depth + 1)));
    if (properties)
      return fc.record(
        Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, hostile(shape, depth + 1)])),
        { requiredKeys: [] },
      );
    if (items) return fc.array(hostile(items, depth + 1), { maxLength: 3 });
    if (values) return fc.constantFrom(...values);
    if (only !== undefined) return fc.constant(only);
    if (type === 'integer' || type === 'number') return fc.oneof(fc.integer(), fc.double());
    if (type === 'boolean') return fc.boolean();
    return type === 'string' ? hostileText : junk;
  };
  return fc.oneof({ weight: 5, arbitrary: wellFormed() }, { weight: 1, arbitrary: junk });
}

const shapeOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' }) as Shape;
const schemas: [string, z.ZodType][] = [
  ...contracts.map(({ subject, request }): [string, z.ZodType] => [subject, request]),
  ...endpoints.flatMap(({ id, params, query, body }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]): [string, z.ZodType][] =>
      schema ? [[`${id} ${part}`, schema]] : [],
    ),
  ),
  ['events of issuance', issuanceEventSchema],
  ['events of directory', directoryEventSchema],
];

// A check that throws becomes a 500, and an error in the log, for an input that is only invalid.
test.each(schemas)('%s accepts or rejects any input without throwing', (_, schema) => {
  fc.assert(
    fc.property(hostile(shapeOf(schema)), (input) => typeof schema.safeParse(input).success === 'boolean'),
    { numRuns: 100 },
  );
});

test('the generated inputs reach the checks of URIs', () => {
  const { request } = contracts.find(({ subject }) => subject === 'rpc.directory.create-app')!;
  const messages = fc
    .sample(hostile(shapeOf(request)), 500)
    .flatMap((input) => request.safeParse(input).error?.issues.map(({ message }) => message) ?? []);
  expect(messages).toEqual(
    expect.arrayContaining([
      expect.stringContaining('must be a whole URI'),
      expect.stringContaining('must not have a wildcard'),
    ]),
  );
});

/** The right kinds of value with wrong content, and the wrong kinds. */
const garbage = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  'nonsense',
  'x'.repeat(5000),
  [],
  [null],
  Array.from({ length: 300 }, () => 'x'),
  {},
  { nonsense: 1 },
];

/** Inputs with garbage in each member in turn, and nothing beside it but what leads there. */
function* withGarbage(shape: Shape, depth = 0): Generator<unknown> {
  yield* garbage;
  if (depth > 6) return;
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = shape;
  for (const choice of [...anyOf, ...oneOf, ...allOf]) yield* withGarbage(choice, depth + 1);
  const constants = Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) => ('const' in member ? [[name, member.const]] : [])),
  );
  for (const [name, member] of Object.entries(properties))
    for (const value of withGarbage(member, depth + 1)) yield { ...constants, [name]: value };
  if (items) for (const value of withGarbage(items, depth + 1)) yield [value];
  if (typeof additionalProperties === 'object')
    for (const value of withGarbage(additionalProperties, depth + 1)) yield { a: value, ['x'.repeat(200)]: value };
}

/** How texts of issues begin: they continue the name of the member. */
const plain = /^("[^"]+" )?(must|may|has|is|are|does|needs|cannot|name|give|use|both|only) /;
const ofZod =
  /expected|received|^Invalid|Too (big|small)|Unrecognized|\bof the (form|type)\b|^is not valid$|undefined|NaN/;

test.each(schemas)('%s says in plain words what is wrong with each member', (_, schema) => {
  const messages = new Set<string>();
  for (const input of withGarbage(shapeOf(schema)))
    for (const { detail } of validationIssues(schema.safeParse(input).error?.issues ?? [])) messages.add(detail);
  expect([...messages].filter((message) => ofZod.test(message) || !plain.test(message))).toEqual([]);
});
