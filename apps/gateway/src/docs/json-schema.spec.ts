import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { jsonSchema, type Json } from './json-schema.js';

describe('jsonSchema', () => {
  const money = z.strictObject({ amount: z.int() }).meta({ id: 'Money' });

  it('makes a schema with an id a component and returns a reference', () => {
    const components: Json = {};
    expect(jsonSchema(money, components, 'input')).toEqual({ $ref: '#/components/schemas/Money' });
    expect(components).toEqual({
      Money: {
        type: 'object',
        properties: { amount: { type: 'integer' } },
        required: ['amount'],
        additionalProperties: false,
      },
    });
  });

  it('makes nested schemas with an id components', () => {
    const components: Json = {};
    const schema = jsonSchema(z.strictObject({ price: money }), components, 'input');
    expect(schema.properties).toEqual({ price: { $ref: '#/components/schemas/Money' } });
    expect(Object.keys(components)).toEqual(['Money']);
  });

  it('allows unknown members in responses only', () => {
    const schema = z.strictObject({ name: z.string() });
    expect(jsonSchema(schema, {}, 'input')).toHaveProperty('additionalProperties', false);
    expect(jsonSchema(schema, {}, 'output')).not.toHaveProperty('additionalProperties');
  });

  it('leaves out the pattern of a standard format', () => {
    expect(jsonSchema(z.uuid(), {}, 'input')).toEqual({ type: 'string', format: 'uuid' });
  });
});
