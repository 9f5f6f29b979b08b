import { describe, expect, test } from '@jest/globals';
import type { Contract } from './contract.js';
import * as exported from './index.js';

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'callers' in value && 'reply' in value;

describe('registry of contracts', () => {
  test('contains every contract that a module exports', () => {
    const declared = (Object.values(exported) as unknown[]).filter(isContract);
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.filter((contract) => !exported.contracts.includes(contract))).toEqual([]);
  });

  test('contains each subject once, under the service that handles it', () => {
    const subjects = exported.contracts.map(({ subject }) => subject);
    expect(subjects).toEqual([...new Set(subjects)]);
    for (const [name, value] of Object.entries(exported))
      if (name.endsWith('Contracts') && Array.isArray(value))
        expect((value as readonly Contract[]).filter(({ service }) => `${service}Contracts` !== name)).toEqual([]);
  });
});
