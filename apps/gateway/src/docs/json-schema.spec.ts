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

  it('has {} for any JSON, which its own recursive schema says less simply', () => {
    const components: Json = {};
    const schema = z
      .strictObject({
        from: z.json().optional().describe('Before'),
        to: z.json(),
        more: z.record(z.string(), z.json()),
      })
      .meta({ id: 'Change' });
    jsonSchema(schema, components, 'output');
    expect(components).toEqual({
      Change: {
        type: 'object',
        properties: {
          from: { description: 'Before' },
          to: {},
          more: { type: 'object', additionalProperties: {} },
        },
        required: ['to', 'more'],
      },
    });
  });

  it('refuses a recursive schema of our own without an id', () => {
    const tree: z.ZodType = z.strictObject({ children: z.array(z.lazy(() => tree)) });
    expect(() => jsonSchema(z.strictObject({ tree }), {}, 'output')).toThrow('needs an id');
  });

  it('leaves out the pattern of a standard format', () => {
    expect(jsonSchema(z.uuid(), {}, 'input')).toEqual({ type: 'string', format: 'uuid' });
  });
});
