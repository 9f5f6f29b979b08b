import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { contracts, directoryEventSchema, issuanceEventSchema } from '@holdfast/contracts';
import { declaredEndpoints } from './declared-endpoints.js';

const endpoints = declaredEndpoints();

type Shape = {
  [key: string]: unknown;
  properties?: Record<string, Shape>;
  items?: Shape;
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
