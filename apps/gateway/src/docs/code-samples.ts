import { curlSource, fieldsSource, type SampleRequest } from './curl-source.js';
import type { Json } from './json-schema.js';
import { callSource, clientSource, fetchSource } from './sdk-source.js';

/** An operation of the API reference, as far as samples need it. */
interface Operation {
  operationId: string;
  parameters: Parameter[];
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, { example?: Record<string, string>; examples?: Record<string, Example> }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: { examples?: unknown[]; default?: unknown; enum?: unknown[] };
}

interface Example {
  value: unknown;
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
/** The parameter of a list that a sample shows with its default, although it may be left out. */
const pageSize = 'limit';

/**
 * The member `x-codeSamples` of an operation: how curl makes the request, and how the SDK does. Their values are the
 * examples of the operation's parameters and the first example of its body. Operations that no app can call with its
 * own token have none, except the one that issues these tokens.
 *
 * @throws Error when a parameter that is required has no example
 */
export function codeSamplesOf(method: string, path: string, described: Json, baseUrl: string): Json {
  const operation = described as unknown as Operation;
  const { operationId, requestBody } = operation;
  if (operationId === 'createToken') {
    const fields = requestBody?.content[form]?.example ?? {};
    return samples(fieldsSource(baseUrl + path, fields), clientSource(baseUrl));
  }
  const scope = operation.security.flatMap(({ clientCredentials = [] }) => clientCredentials)[0];
  if (scope === undefined) return {};

  const valuesIn = (place: string) => valuesOf(operation, place);
  const { shortId, ...pathValues } = valuesIn('path');
  const query = valuesIn('query');
  const [example] = Object.values(requestBody?.content[json]?.examples ?? {});
  const media = mediaOf(operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String({ shortId, ...pathValues }[name]));
  const target = filled + queryText(query);
  const request: SampleRequest = { method, url: baseUrl + target, body: example?.value, media };
  return samples(
    curlSource(request),
    media.length > 0 && !media.includes(json)
      ? fetchSource(target, scope)
      : callSource(operationId, { path: pathValues, query, body: example?.value }, media.length > 0),
  );
}

function samples(curl: string, typescript: string): Json {
  return {
    'x-codeSamples': [
      { lang: 'Shell', label: 'curl', source: curl },
      { lang: 'TypeScript', label: '@holdfast/sdk', source: typescript },
    ],
  };
}

/** Media types of the successful responses. */
function mediaOf({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.keys(content) : [],
  );
}

function valuesOf({ operationId, parameters }: Operation, place: string): Record<string, unknown> {
  const isPageSize = ({ name, schema }: Parameter) => name === pageSize && schema.default !== undefined;
  const shown = parameters.filter((one) => one.in === place && (one.required || isPageSize(one)));
  return Object.fromEntries(
    shown.map(({ name, schema }) => {
      const value = schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
      if (value === undefined) throw new Error(`The parameter ${name} of ${operationId} has no example.`);
      return [name, value];
    }),
  );
}

function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]);
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}
