import { expect, test } from '@jest/globals';
import { UncertainError } from '@holdfast/messaging/client';
import { AppError, unavailable, unprocessable } from '@holdfast/platform';
import { errorMessage } from './error-message.js';

test.each([
  [new AppError('unknown_app', 'There is no app "x".'), 'There is no app "x".'],
  [new AppError('unknown_app'), 'List the apps of your organization'],
  [
    unavailable('directory is not running'),
    'directory is not running. Is Holdfast running? Start it with `npm start`.',
  ],
  [unavailable('directory is not running'), 'If its HOLDFAST_HOME is another folder'],
  [new UncertainError('unavailable', 'directory did not answer in time'), 'Check whether the change was made'],
  [new UncertainError('internal'), 'Check whether the change was made'],
  [unprocessable([{ pointer: '#/shortId', detail: 'must be short' }]), 'shortId: must be short'],
  [new AppError('internal'), 'See the log of the service'],
])('errorMessage for %s contains %j', (error, text) => {
  expect(errorMessage(error)).toContain(text);
  expect(errorMessage(error)).not.toMatch(/\n\s+at /);
});
