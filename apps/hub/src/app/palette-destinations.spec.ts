import { expect, test } from '@jest/globals';
import { destinationOf } from './palette-destinations.ts';

test.each([
  ['app_2VwTq0yB1n8d5cJ7wX2kZg', '/apps/app_2VwTq0yB1n8d5cJ7wX2kZg'],
  ['019AA5F2-7c1f-7a42-b1c3-2d0e9f8a7b03', '/customers/019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03'],
  ['app_x', undefined],
  ['../apps', undefined],
  ['', undefined],
])('the ID %j leads to %j', (id, expected) => expect(destinationOf(id)).toBe(expected));
