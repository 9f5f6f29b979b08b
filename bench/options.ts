import { availableParallelism } from 'node:os';

export const services = ['gateway', 'auth', 'issuance', 'subjects', 'audit', 'directory', 'signals'];

export interface Options {
  rounds: number;
  /** Of one measurement. */
  seconds: number;
  concurrency: number[];
  /** Cases by name; all when empty. */
  only: string[];
  /** Customers of the app whose lists are read. */
  subjects: number;
  /** Of each public route without a token. */
  calls: number;
  /** Organizations whose issuers are asked. */
  organizations: number;
  json?: string;
  /** Service to profile under load, in place of the measurements. */
  profile?: string;
  help: boolean;
}

export const help = `Usage: npm run bench [-- options]

  --rounds N          interleaved rounds, of which medians are printed (5)
  --seconds S         length of one measurement (2)
  --concurrency LIST  requests under way at once (1,16,64)
  --only LIST         of floor,token,offer,further-offer,get,list,deep-list,sign-in,issuers,audit,verify (all)
                      or one of overload,anonymous alone, which are no part of all
  --subjects N        customers of the app whose lists are read (100000)
  --organizations N   whose issuers are asked (1000; their keys are made first, which takes minutes)
  --calls N           anonymous calls of each public route (1000000), for --only anonymous
  --json FILE         writes everything that was measured
  --profile SERVICE   no table: profiles the service under the load of each case and prints where its time goes
  --help              this text

It starts a stack of its own in a folder of its own, beside whatever stack may be running.
`;

const number = (text: string): number => Number(text);
const list = (text: string): string[] => text.split(',').filter(Boolean);

/** @throws {Error} with a sentence for the reader */
export function parseOptions(args: string[]): Options {
  const options: Options = {
    rounds: 5,
    seconds: 2,
    concurrency: [1, 16, 64],
    only: [],
    subjects: 100_000,
    organizations: 1000,
    calls: 1_000_000,
    help: false,
  };
  for (let i = 0; i < args.length; i++) {
    const [name = '', inline] = args[i]!.split(/=(.*)/s, 2);
    if (name === '--help' || name === '-h') {
      options.help = true;
      continue;
    }
    const value = inline ?? args[++i] ?? '';
    if (name === '--rounds') options.rounds = number(value);
    else if (name === '--seconds') options.seconds = number(value);
    else if (name === '--subjects') options.subjects = number(value);
    else if (name === '--organizations') options.organizations = number(value);
    else if (name === '--calls') options.calls = number(value);
    else if (name === '--concurrency') options.concurrency = list(value).map(number);
    else if (name === '--only') options.only = list(value);
    else if (name === '--json') options.json = value;
    else if (name === '--profile') options.profile = value;
    else throw new Error(`There is no option ${args[i] ?? name}.`);
  }
  for (const n of [
    options.rounds,
    options.seconds,
    options.subjects,
    options.organizations,
    options.calls,
    ...options.concurrency,
  ]) {
    if (!(n > 0))
      throw new Error(
        '--rounds, --seconds, --subjects, --organizations, --calls and --concurrency want numbers above zero.',
      );
  }
  if (options.profile !== undefined && !services.includes(options.profile))
    throw new Error(`--profile wants one of ${services.join(', ')}.`);
  return options;
}

/** Whether this process, and so all that it starts, may use more than the two cores that the figures are about. */
export function hasMoreCores(): boolean {
  return availableParallelism() > 2;
}
