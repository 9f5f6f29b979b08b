import type { Json } from './json-schema.js';

/**
 * Parts of the API reference for endpoints that auth validates: here no schema exists that it could be derived from.
 */

export const describedText = (description: string, more: Json = {}) => ({ type: 'string', description, ...more });
export const describedTexts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
export const describedJson = (schema: Json, example: Json) => ({ 'application/json': { schema, example } });

export const oauthErrorSchema = {
  type: 'object',
  description: 'An error of OAuth 2.0 (RFC 6749 §5.2)',
  properties: {
    error: describedText('The code to branch on'),
    error_description: describedText('What is wrong, for people'),
  },
  required: ['error'],
};
export const oauthErrorResponse = (description: string, error: string, error_description: string, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: describedJson(oauthErrorSchema, { error, error_description }),
});

export const temporarilyUnavailable = oauthErrorResponse(
  '`temporarily_unavailable`: a dependency is unavailable, or the request cannot be recorded',
  'temporarily_unavailable',
  'try again in a moment',
  { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
);
