import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { accessTokenFormats, authMethods, type App, type createApp, type RequestOf } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';

/** Options of `app create` and `app update` about the keys and tokens of an app. */
export interface KeyOptions {
  authMethod?: NonNullable<App['tokenEndpointAuthMethod']>;
  jwksFile?: string;
  jwksUri?: string;
  requireDpop?: boolean;
  accessTokenFormat?: NonNullable<App['accessTokenFormat']>;
}

type KeySettings = Pick<
  RequestOf<typeof createApp>,
  'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri' | 'requireDpop' | 'accessTokenFormat'
>;

export function addKeyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--auth-method <method>',
        'how it authenticates at token endpoints: with a client secret, or with a private key of its own ' +
          '(default for web and service apps: client_secret_basic)',
      ).choices(authMethods),
    )
    .option('--jwks-file <file>', 'file with its public keys, a JSON Web Key Set')
    .option('--jwks-uri <uri>', 'https address from which auth fetches its public keys instead')
    .option('--require-dpop', 'issue it only tokens that are bound to a key of it (DPoP)')
    .option('--no-require-dpop', 'issue it bearer tokens too')
    .addOption(
      new Option(
        '--access-token-format <format>',
        'format of the access tokens that it gets when it signs customers in (default: opaque)',
      ).choices(accessTokenFormats),
    );
}

/** The members of a request for the options that were given, and the other options. */
export function keySettingsOf<Options extends KeyOptions>({
  authMethod,
  jwksFile,
  ...rest
}: Options): Omit<Options, 'authMethod' | 'jwksFile'> & KeySettings {
  return {
    ...rest,
    ...(authMethod !== undefined && { tokenEndpointAuthMethod: authMethod }),
    ...(jwksFile !== undefined && { jwks: readJwks(jwksFile) }),
  };
}

function readJwks(file: string): NonNullable<KeySettings['jwks']> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`--jwks-file: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}.`);
  }
  try {
    return JSON.parse(text) as NonNullable<KeySettings['jwks']>;
  } catch {
    throw new CommandError(`--jwks-file: ${file} is not JSON. It must be a JSON Web Key Set: {"keys":[…]}.`);
  }
}
