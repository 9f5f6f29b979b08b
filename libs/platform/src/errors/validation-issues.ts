import type { z } from 'zod';
import type { ValidationIssue } from '@holdfast/contracts';

/** Locates each issue by JSON Pointer (RFC 6901). Every unknown member is an issue of its own. */
export function validationIssues(issues: readonly z.core.$ZodIssue[]): (ValidationIssue & { pointer: string })[] {
  return issues.flatMap((issue) => {
    const pointer = jsonPointer(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ pointer: `${pointer}/${escape(key)}`, detail: 'is not a known member' }));
    }
    return [{ pointer, detail: issue.message }];
  });
}

function jsonPointer(path: readonly PropertyKey[]): string {
  return ['#', ...path.map((part) => escape(String(part)))].join('/');
}

/** RFC 6901 §3 and §6: `~` and `/` are escaped, and the fragment form is percent-encoded. */
function escape(part: string): string {
  // A lone surrogate, which input may contain, cannot be percent-encoded.
  return encodeURIComponent(part.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}
