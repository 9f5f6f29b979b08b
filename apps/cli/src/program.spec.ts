import { expect, it } from '@jest/globals';
import { createProgram } from './program.js';
import { topLevelCommands } from './top-level-commands.js';

const names = topLevelCommands.map(({ name }) => name);

it('has a summary of every command, and loads none of them for the list', async () => {
  const program = await createProgram(['--help']);
  expect(program.commands.map((command) => command.name())).toEqual(names);
  expect(program.commands.filter((command) => command.commands.length > 0 || command.options.length > 0)).toEqual([]);
  expect(program.helpInformation()).toMatch(/org +organizations; each has its own issuer/);
});

it.each(names)('%s is added by its own modules, which add nothing else', async (name) => {
  for (const args of [[name], ['help', name], ['--unknown', name]]) {
    const program = await createProgram(args);
    expect(program.commands.map((command) => command.name())).toEqual(names);
    const command = program.commands.find((known) => known.name() === name)!;
    expect(command.commands.length + command.options.length).toBeGreaterThan(0);
    expect(command.description()).not.toBe('');
  }
});

it.each([
  ['org list', false],
  ['org dump acme', true],
  ['org --help', true],
  ['help org', true],
  ['org unknown', true],
])('%s loads the commands about whole organizations: %s', async (line, loaded) => {
  const program = await createProgram(line.split(' '));
  const org = program.commands.find((known) => known.name() === 'org')!;
  expect(org.commands.map((command) => command.name())).toContain('list');
  expect(org.commands.some((command) => command.name() === 'dump')).toBe(loaded);
});
