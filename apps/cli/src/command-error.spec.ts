import { expect, test } from '@jest/globals';
import { UncertainError } from '@holdfast/messaging/client';
import { AppError, unavailable, unprocessable } from '@holdfast/platform';
import { sentence } from './command-error.js';

test.each([
  [new AppError('unknown_app', 'There is no app "x".'), 'There is no app "x".'],
  [new AppError('unknown_app'), 'List the apps with'],
  [unavailable('directory is not running'), 'Start it with: npm start'],
  [unavailable('directory is not running'), 'set HOLDFAST_HOME'],
  [new UncertainError('unavailable', 'directory did not answer in time'), 'look whether the change was made'],
  [new UncertainError('internal'), 'look whether the change was made'],
  [unprocessable([{ pointer: '#/shortId', detail: 'must be short' }]), 'shortId: must be short'],
  [new AppError('internal'), 'the log of the service has the details'],
])('%s', (error, words) => {
  expect(sentence(error)).toContain(words);
  expect(sentence(error)).not.toMatch(/\n\s+at /);
});
