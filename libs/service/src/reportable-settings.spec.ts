import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { baseConfigSchema, keyFromEnv } from '@holdfast/platform';
import { reportableSettings } from './reportable-settings.js';

const schema = baseConfigSchema
  .extend({
    KEY: keyFromEnv.describe('Secret: a key'),
    PIN: z.coerce.number().describe('Secret: a number'),
    MODE: z.enum(['fast', 'safe']).default('safe').describe('Mode'),
    NAMES: z.string().transform((text) => text.split(',')),
  })
  .transform((config) => ({ ...config, derived: 42 }));

test('reports numbers, switches and listed values, and of all others only whether they are set', () => {
  const config = schema.parse({
    NATS_URL: 'nats://bus.internal:4222',
    NATS_NKEY_SEED: 'SUCANARY',
    BASE_URL: 'https://id.acme.example',
    HOLDFAST_TEST_CLOCK: '+60',
    KEY: 'k'.repeat(43),
    PIN: '1234',
    NAMES: 'acme,globex',
  });
  const settings = reportableSettings(schema, config);
  expect(settings).toMatchObject({
    NATS_URL: '(set)',
    NATS_NKEY_SEED: '(set)',
    NATS_CA_FILE: '(not set)',
    BASE_URL: '(set)',
    OPS_PORT: 0,
    OPS_HOST: '(set)',
    LOG_LEVEL: 'info',
    HOLDFAST_TEST_CLOCK: 60,
    HOLDFAST_EXIT_WITH_PARENT: false,
    KEY: '(set)',
    PIN: '(set)',
    MODE: 'safe',
    NAMES: '(set)',
  });
  expect(Object.keys(settings)).not.toContain('derived');
  expect(JSON.stringify(settings)).not.toMatch(/internal|CANARY|acme|kkk|1234/);
});
