import { z } from 'zod';
import { issuerRoute, shortId, signInUidPattern } from '@holdfast/contracts';
import { endpoint, type Endpoint } from '@holdfast/contracts/http';
import { describedJson, describedText, oauthErrorResponse, oauthErrorSchema } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';

const tag = 'OpenID Connect';
const uid = z
  .string()
  .regex(signInUidPattern, 'must be the id of a sign-in')
  .describe('The sign-in, as in the URL of its page');
const ofOrganization = z.strictObject({ shortId });
export const ofSignIn = z.strictObject({ shortId, uid });
export const errors: Endpoint['errors'] = ['unknown_organization'];
const isPublic = 'OAuth and OpenID Connect authenticate clients and customers';
export const forEverybody = { limit: 'metadata', unrecorded: 'the same for everybody' } as const;
export const preflight = { limit: 'token', unrecorded: 'a CORS preflight: the request itself follows' } as const;
export const signIn = { action: 'customer.sign_in', limit: 'authorize' } as const;
export const signOut = { action: 'customer.sign_out', limit: 'authorize' } as const;

/** An endpoint of an organization's issuer. auth validates its requests and records those that have an `action`. */
export const issuerEndpoint = (
  id: string,
  method: Endpoint['method'],
  path: string,
  summary: string,
  response: string,
  more: Pick<Endpoint, 'description' | 'params' | 'action' | 'unrecorded' | 'limit' | 'reference' | 'internal'>,
) =>
  endpoint({
    id,
    method,
    public: isPublic,
    path: issuerRoute(path),
    tag,
    summary,
    params: ofOrganization,
    responses: { 200: { description: response } },
    errors,
    errorForm: 'oauth',
    ...(more.action && { recorder: 'auth' as const }),
    ...more,
  });

export const example = {
  clientId: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
};

export interface Member {
  description: string;
  required?: boolean;
  example?: string;
  values?: readonly string[];
}

/** Members of a form for a client that authenticates with `private_key_jwt`. */
export const clientAssertion: Record<string, Member> = {
  client_assertion_type: {
    description: 'With `client_assertion`: its type',
    values: ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
  },
  client_assertion: {
    description: 'Of an app that authenticates with its private key: a JWT that the key has signed (RFC 7523)',
  },
};

const schemaOf = ({ values }: Member) => ({ type: 'string', ...(values && { enum: values }) });

export const queryOf = (members: Record<string, Member>) =>
  Object.entries(members).map(([name, member]) => ({
    name,
    in: 'query',
    required: member.required ?? false,
    description: member.description,
    schema: schemaOf(member),
    ...(member.example && { example: member.example }),
  }));

export function formOf(members: Record<string, Member>): Json {
  const required = Object.keys(members).filter((name) => members[name]!.required);
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, { ...schemaOf(member), description: member.description }]),
  );
  const exampleValues = Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => (member.example ? [[name, member.example]] : [])),
  );
  return {
    required: required.length > 0,
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties, ...(required.length > 0 && { required }) },
        example: exampleValues,
      },
    },
  };
}

export const page = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});
const authorizationErrorSchema = {
  ...oauthErrorSchema,
  properties: {
    ...oauthErrorSchema.properties,
    iss: describedText('The issuer (RFC 9207)', { format: 'uri' }),
    state: describedText('That of the request'),
  },
};
/** An error that a person sees as a page, and a program as JSON, by the Accept header. */
export const errorPage = (description: string, error: string, error_description: string) => ({
  description,
  content: {
    ...describedJson(authorizationErrorSchema, { error, error_description }),
    'text/html': { schema: { type: 'string' } },
  },
});
export const redirect = (description: string) => ({
  description,
  headers: { Location: { description: 'Where to continue', schema: { type: 'string', format: 'uri-reference' } } },
  // A note for programs that do not follow it (RFC 9110 §15.4).
  content: { 'text/html': { schema: { type: 'string' } }, 'text/plain': { schema: { type: 'string' } } },
});
export const unsupportedMediaType = { $ref: '#/components/responses/UnsupportedMediaType' };
export const noOrganization = { $ref: '#/components/responses/UnknownOrganization' };
/**
 * Client authentication: web apps by Basic, or by `client_secret` or `client_assertion` in the form; public clients
 * send their `client_id`.
 */
export const byClient = [{ clientBasic: [] }, {}];
export const clientId = { description: 'For spa and native apps, which have no secret', example: example.clientId };
export const invalidClient = oauthErrorResponse(
  '`invalid_client`: no such client, a wrong secret or client assertion, or a disabled app; the response is the same',
  'invalid_client',
  'client authentication failed',
  {
    'WWW-Authenticate': { description: 'HTTP Basic is required', schema: { type: 'string' } },
  },
);
