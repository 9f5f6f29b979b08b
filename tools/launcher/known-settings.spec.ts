import { describe, expect, test } from '@jest/globals';
import { settingsWithoutEffect } from './known-settings.ts';

const known = new Set(['OFFER_MIN_SECONDS', 'LOG_LEVEL']);

describe('a setting without effect', () => {
  test('in the .env file is named, with a known setting that is spelt alike and the page that lists all', () => {
    expect(settingsWithoutEffect(known, { OFER_MIN_SECONDS: '2', SMTP_HOST: 'mail' }, {})).toEqual([
      'OFER_MIN_SECONDS in the .env file has no effect: no service has a setting of that name. ' +
        'Did you mean OFFER_MIN_SECONDS? All settings: docs/reference/configuration.md',
      'SMTP_HOST in the .env file has no effect: no service has a setting of that name. ' +
        'All settings: docs/reference/configuration.md',
    ]);
  });

  test('that the launcher sets itself is named', () => {
    expect(settingsWithoutEffect(known, { SECRET_PEPPER: 'mine' }, {})).toEqual([
      'SECRET_PEPPER in the .env file has no effect: "npm start" sets it itself.',
    ]);
  });

  test('in the environment is named only when it is spelt like a known setting', () => {
    expect(settingsWithoutEffect(known, {}, { OFFER_MIN_SECOND: '2', SMTP_HOST: 'mail', TERM: 'xterm' })).toEqual([
      'The environment variable OFFER_MIN_SECOND has no effect: no service has a setting of that name. ' +
        'Did you mean OFFER_MIN_SECONDS? All settings: docs/reference/configuration.md',
    ]);
  });

  test('is none of the known ones and none of the launcher', () => {
    const file = { OFFER_MIN_SECONDS: '2', PORT: '9000', NATS_URL: 'nats://127.0.0.1' };
    expect(settingsWithoutEffect(known, file, { LOG_LEVEL: 'debug' })).toEqual([]);
  });
});
