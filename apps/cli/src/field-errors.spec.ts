import { beforeEach, describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { fieldError } from './field-errors.js';
import { createProgram } from './program.js';

describe('fieldError names a field as the operator typed it:', () => {
  let command: Command;
  beforeEach(async () => {
    const program = new Command().exitOverride();
    command = program
      .command('create <org> [operations...]')
      .requiredOption('--name <name>')
      .option('--redirect-uri <uri>', '', (value: string, before: string[] = []) => [...before, value])
      .option('--grant <operation>', '', (value: string, before: string[] = []) => [...before, value])
      .option('--backchannel-logout-uri <uri>')
      .option('--no-backchannel-logout-uri')
      .action(() => undefined);
    await program.parseAsync(
      [
        'create',
        'ACME',
        'x',
        '--name',
        'shop',
        '--redirect-uri',
        'https://a.example/',
        '--redirect-uri',
        'no "pe',
        '--backchannel-logout-uri',
        'ftp://a',
      ],
      { from: 'user' },
    );
  });

  test.each([
    ['#/redirectUris/1', '--redirect-uri "no \\"pe": must be right'],
    ['#/redirectUris', '--redirect-uri: must be right'],
    ['#/scopes/0', '--grant: must be right'],
    ['#/backchannelLogoutUri', '--backchannel-logout-uri: must be right'],
    ['#/name', '--name: must be right'],
    ['#/org', '<org>: must be right'],
    ['#/operations/0', '<operations>: must be right'],
    ['#/app/name', '--name: must be right'],
    ['#/app/redirectUris/1', '--redirect-uri "no \\"pe": must be right'],
    ['#/some/deep~1er/%C3%A9', 'some.deep/er.é: must be right'],
    ['#', 'must be right'],
  ])('%s as %s', (pointer, text) => expect(fieldError({ pointer, detail: 'must be right' }, command)).toBe(text));

  test('or by its path when there is no command', () =>
    expect(fieldError({ pointer: '#/redirectUris/1', detail: 'must be right' }, undefined)).toBe(
      'redirectUris.1: must be right',
    ));
});

test.each([
  [
    'app create',
    [
      'org',
      'name',
      'kind',
      'audience',
      'credentialType',
      'redirectUris',
      'postLogoutRedirectUris',
      'origins',
      'backchannelLogoutUri',
      'refreshTokens',
      'pkce',
      'idTokenAlg',
      'scopes',
    ],
  ],
  [
    'app update',
    [
      'clientId',
      'name',
      'credentialType',
      'redirectUris',
      'postLogoutRedirectUris',
      'origins',
      'backchannelLogoutUri',
      'pkce',
      'idTokenAlg',
    ],
  ],
  ['org create', ['shortId', 'name']],
  ['type create', ['name', 'display', 'validity', 'renewalWindow', 'revocable', 'holders', 'isDefault']],
  ['grant add', ['clientId', 'operations']],
  ['presence set', ['policy', 'turnstileSecret']],
])('%s has an option or argument for each member of its request', async (name, members) => {
  const [noun, action] = name.split(' ');
  const program = await createProgram([noun!]);
  const command = program.commands
    .find((command) => command.name() === noun)!
    .commands.find((command) => command.name() === action);
  expect(
    members.filter((member) => !/^(--|<)/.test(fieldError({ pointer: `#/${member}`, detail: 'x' }, command))),
  ).toEqual([]);
});
