export const services = ['gateway', 'auth', 'issuance', 'subjects', 'audit', 'directory', 'signals'];

export interface Options {
  rounds: number;
  /** Duration of one measurement. */
  seconds: number;
  concurrency: number[];
  /** Cases by name; all when empty. */
  only: string[];
  /** Customers of the app whose lists are read. */
  subjects: number;
  /** People of the large organization. */
  people: number;
  /** Calls of each public route without a token. */
  calls: number;
  /** Of the callers of an overload. */
  connections: number;
  /** Organizations whose issuers receive requests. */
  organizations: number;
  /** The largest size of a lot of growth. */
  largest: number;
  json?: string;
  /** Writes the result to bench/results. */
  save: boolean;
  /** Service to profile under load, instead of measuring. */
  profile?: string;
  help: boolean;
}

export const help = `Usage: npm run bench [-- options]                 measures this tree
       npm run bench -- compare A B              compares two saved results (commits or files)
       npm run bench -- ab COMMIT [options]      measures COMMIT (A) and this tree (B) alternately

  --rounds N          interleaved rounds, of which medians are printed (5)
  --seconds S         length of one measurement (2)
  --concurrency LIST  concurrent requests (1,16,64)
  --only LIST         of floor,token,offer,further-offer,get,list,deep-list,sign-in,people,people-search,members,
                      entitlements,person-check,person-sign-in,issuers,audit,verify,limits (all)
                      or what is not part of all: growth (all three), growth-organizations, growth-customers,
                      growth-log, or alone: overload,anonymous,peers,log-readers,destinations,analytics,export,
                      webhooks
  --subjects N        customers of the app whose lists are read (100000)
  --people N          people of the organization whose lists are read, a multiple of 1000 (100000)
  --organizations N   organizations for issuers (1000; generating their keys takes minutes)
  --largest N         largest size of a lot of growth: 5,000 organizations, 1,000,000 customers, 10,000,000 entries
                      (1,000,000 of an export)
  --calls N           anonymous calls of each public route (1000000), for --only anonymous
  --connections N     connections of the callers (800), for --only overload
  --save              writes cases and growth to bench/results, for compare and docs; needs a tree without changes
  --json FILE         writes all measurements
  --profile SERVICE   profiles the service under the load of each case instead of measuring
  --help              this text

It starts its own stack in its own folder, beside any running stack. ab has --rounds, --seconds, --concurrency,
--only and --subjects, for cases without people.
`;

const number = (text: string): number => Number(text);
const list = (text: string): string[] => text.split(',').filter(Boolean);

/** @throws {Error} with a sentence for the user */
export function parseOptions(args: string[]): Options {
  const options: Options = {
    rounds: 5,
    seconds: 2,
    concurrency: [1, 16, 64],
    only: [],
    subjects: 100_000,
    people: 100_000,
    organizations: 1000,
    largest: Infinity,
    calls: 1_000_000,
    connections: 800,
    save: false,
    help: false,
  };
  for (let i = 0; i < args.length; i++) {
    const [name = '', inline] = args[i]!.split(/=(.*)/s, 2);
    if (name === '--help' || name === '-h') {
      options.help = true;
      continue;
    }
    if (name === '--save') {
      options.save = true;
      continue;
    }
    const value = inline ?? args[++i] ?? '';
    if (name === '--rounds') options.rounds = number(value);
    else if (name === '--seconds') options.seconds = number(value);
    else if (name === '--subjects') options.subjects = number(value);
    else if (name === '--people') options.people = number(value);
    else if (name === '--organizations') options.organizations = number(value);
    else if (name === '--largest') options.largest = number(value);
    else if (name === '--calls') options.calls = number(value);
    else if (name === '--connections') options.connections = number(value);
    else if (name === '--concurrency') options.concurrency = list(value).map(number);
    else if (name === '--only') options.only = list(value);
    else if (name === '--json') options.json = value;
    else if (name === '--profile') options.profile = value;
    else throw new Error(`Unknown option ${args[i] ?? name}.`);
  }
  for (const n of [
    options.rounds,
    options.seconds,
    options.subjects,
    options.people,
    options.organizations,
    options.largest,
    options.calls,
    options.connections,
    ...options.concurrency,
  ]) {
    if (!(n > 0))
      throw new Error(
        '--rounds, --seconds, --subjects, --people, --organizations, --largest, --calls, --connections and ' +
          '--concurrency must be numbers above zero.',
      );
  }
  if (options.people % 1000 !== 0) throw new Error('--people must be a multiple of 1000.');
  if (options.profile !== undefined && !services.includes(options.profile))
    throw new Error(`--profile must be one of ${services.join(', ')}.`);
  return options;
}
