import { describe, expect, test } from '@jest/globals';
import { settingsWithoutEffect } from './declared-settings.ts';

const declared = new Set(['OFFER_MIN_SECONDS', 'LOG_LEVEL']);

describe('a setting without effect', () => {
  test('in the .env file is reported, with a declared setting of similar spelling and the page that lists all', () => {
    expect(settingsWithoutEffect(declared, { OFER_MIN_SECONDS: '2', SMTP_HOST: 'mail' }, {})).toEqual([
      'OFER_MIN_SECONDS in the .env file has no effect: no service has a setting of that name. ' +
        'Did you mean OFFER_MIN_SECONDS? All settings: docs/reference/configuration.md',
      'SMTP_HOST in the .env file has no effect: no service has a setting of that name. ' +
        'All settings: docs/reference/configuration.md',
    ]);
  });

  test('that the launcher sets itself is reported', () => {
    expect(settingsWithoutEffect(declared, { SECRET_PEPPER: 'mine' }, {})).toEqual([
      'SECRET_PEPPER in the .env file has no effect: "npm start" sets it itself.',
    ]);
  });

  test('in the environment is reported only when it is spelt like a declared setting', () => {
    expect(settingsWithoutEffect(declared, {}, { OFFER_MIN_SECOND: '2', SMTP_HOST: 'mail', TERM: 'xterm' })).toEqual([
      'The environment variable OFFER_MIN_SECOND has no effect: no service has a setting of that name. ' +
        'Did you mean OFFER_MIN_SECONDS? All settings: docs/reference/configuration.md',
    ]);
  });

  test('is neither a declared one nor one of the launcher', () => {
    const file = { OFFER_MIN_SECONDS: '2', PORT: '9000', NATS_URL: 'nats://127.0.0.1', SHOP_SESSION_SECRET: 'x' };
    expect(settingsWithoutEffect(declared, file, { LOG_LEVEL: 'debug' })).toEqual([]);
  });
});
