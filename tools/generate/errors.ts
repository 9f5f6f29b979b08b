import { errorCatalogue } from '@holdfast/contracts';
import { code, page, table } from './markdown.ts';

export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).map(([name, { status, title, help }]) => [
    code(name),
    name === 'invalid_request' ? '400 or 422' : String(status),
    title,
    help,
  ]);
  return page(
    'Errors',
    'libs/contracts/src/errors.ts',
    'Every error of the API is `application/problem+json` (RFC 9457). Branch on `code`: its meaning never changes, ' +
      'and the list may grow. The token endpoint responds with the errors of RFC 6749 §5.2.',
    table(['Code', 'Status', 'Meaning', 'What to do'], rows),
  );
}
