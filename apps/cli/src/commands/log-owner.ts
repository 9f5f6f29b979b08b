import { InvalidArgumentError, type Command } from 'commander';
import type { z } from 'zod';
import type { Contract, ReplyOf } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import type { OperatorSession } from '../operator-session.js';

/** Whose logs a command is about. */
export interface Owner extends Json {
  org?: string;
  all?: boolean;
}

/** Adds a command about the log of an organization, or about the logs of all. */
export function owned(parent: Command, syntax: string, description: string, examples: string[]): Command {
  return addCommand(parent, syntax, description, examples)
    .option('--org <org>', 'of this organization')
    .option('--all', 'of all organizations');
}

/** What all organizations have in common is on each shard. @throws CommandError unless one owner is named */
export async function requestOfOwner<C extends Contract>(
  { request, requestEach }: OperatorSession,
  owner: Owner,
  contract: C,
  input: z.input<C['request']>,
): Promise<[ReplyOf<C>, ...ReplyOf<C>[]]> {
  const { org } = ownerOf(owner);
  return org === undefined ? requestEach(contract, input) : [await request(contract, input, org)];
}

/** @throws CommandError unless one owner is named */
export function ownerOf({ org, all = false }: { [K in keyof Owner]: Owner[K] | undefined }): Owner {
  if ((org !== undefined) === all) throw new CommandError('Name an organization with --org, or pass --all.');
  return org === undefined ? { all } : { org };
}

/** A place in a log. @throws InvalidArgumentError */
export function seq(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('Use a whole number.');
  return Number(value);
}
