import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { namedLimits, namedValues } from './named-values.js';

const problem = (schema: z.ZodType, text: string) => schema.safeParse(text).error?.issues[0]?.message;

describe('named values', () => {
  const urls = namedValues(z.string().regex(/^[a-z]+$/, 'must be letters'), z.url());

  test('are read with spaces around them, and with = in a value', () => {
    expect(urls.parse(' a=nats://a:4222 ; b=nats://b?user=c;')).toEqual({ a: 'nats://a:4222', b: 'nats://b?user=c' });
    expect(urls.parse('')).toEqual({});
  });

  test.each([
    ['a name that occurs twice', 'a=nats://a;a=nats://b', 'must have each name once'],
    ['a name that is not allowed', 'A=nats://a', 'must be letters'],
    ['a name without a value', 'a', /expected/],
    ['a value that is not allowed', 'a=b', 'Invalid URL'],
  ])('with %s are refused', (_, text, message) => {
    expect(problem(urls, text)).toMatch(message);
  });
});

describe('named limits', () => {
  const limits = namedLimits(['read', 'write'], 'requests');

  test('are those that are given', () => {
    expect(limits.parse('read=5, write = 10')).toEqual({ read: 5, write: 10 });
    expect(limits.parse('')).toEqual({});
  });

  test.each([
    ['an unknown name', 'delete=1', 'does not know "delete"; it knows read, write'],
    ['a name that occurs twice', 'read=1,read=2', 'must have each name once'],
    ['no number', 'read=many', 'read must be a whole number of requests, 1 or more'],
    ['no value', 'read', 'read must be a whole number of requests, 1 or more'],
    ['zero', 'read=0', 'read must be a whole number of requests, 1 or more'],
  ])('with %s are refused', (_, text, message) => {
    expect(problem(limits, text)).toBe(message);
  });
});
